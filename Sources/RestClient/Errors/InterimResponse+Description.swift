// SPDX-License-Identifier: MIT

extension InterimResponse: MirroredByDescription {
    /// The status and the header fields, with secrets masked.
    public var description: String { Redaction.response(status, headers, body: nil) }
}
