// SPDX-License-Identifier: MIT

public import HTTPTypes

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// The number of bytes in the file.
    public let length: Int64

    /// The header fields of the last response; empty if all bytes were there before.
    public let headers: HTTPFields
}

extension DownloadedFile: MirroredByDescription {
    /// The length and the header fields, with secrets masked.
    public var description: String {
        ["\(length) bytes", Redaction.headers(headers)].filter { !$0.isEmpty }.joined(separator: "\n")
    }
}
