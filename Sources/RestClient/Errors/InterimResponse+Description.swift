// SPDX-License-Identifier: MIT

extension InterimResponse: CustomStringConvertible, CustomReflectable {
    /// The status and the header fields, with secrets masked.
    public var description: String { Redaction.response(status, headers, body: nil) }

    /// The description, for `dump` and other uses of reflection.
    public var customMirror: Mirror { Redaction.mirror(of: self) }
}
