// SPDX-License-Identifier: MIT

extension RawResponse: MirroredByDescription {
    /// The status, the header fields and the length of the body, with secrets masked.
    public var description: String { Redaction.response(status, headers, body: body.count) }
}
