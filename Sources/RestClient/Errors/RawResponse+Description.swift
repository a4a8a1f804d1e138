// SPDX-License-Identifier: MIT

extension RawResponse: CustomStringConvertible, CustomReflectable {
    /// The status, the header fields and the length of the body, with secrets masked.
    public var description: String { Redaction.response(status, headers, body: body.count) }

    /// The description, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Redaction.mirror(of: self) }
}
