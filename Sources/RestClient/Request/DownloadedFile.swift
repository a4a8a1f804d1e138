// SPDX-License-Identifier: MIT

public import HTTPTypes

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// How many bytes it has.
    public let length: Int64

    /// The last response that brought some of them; `nil` if all were there before.
    let response: StreamedResponse?

    /// The header fields of the last response; empty if all bytes were there before.
    public var headers: HTTPFields { response?.headers ?? [:] }
}
