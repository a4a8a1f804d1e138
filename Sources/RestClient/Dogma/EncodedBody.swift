// SPDX-License-Identifier: MIT

public import RestEssentials

/// A body ready to be sent.
public struct EncodedBody: Sendable, Hashable {
    /// The bytes.
    public var bytes: Data

    /// The value of the `Content-Type` field; `nil` sends none.
    public var contentType: String?

    /// Creates a body.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - contentType: Their media type.
    public init(_ bytes: Data, contentType: String?) {
        self.bytes = bytes
        self.contentType = contentType
    }
}

extension EncodedBody: CustomStringConvertible, CustomReflectable {
    /// The length and the media type.
    public var description: String { "\(bytes.count) bytes" + (contentType.map { " of \($0)" } ?? "") }

    /// The description, for `dump` and other uses of reflection: a model may hold secrets of the program.
    public var customMirror: Mirror { Redaction.mirror(of: self) }
}
