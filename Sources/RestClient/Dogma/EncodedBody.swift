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

extension EncodedBody: MirroredByDescription {
    /// The length and the media type.
    public var description: String { "\(bytes.count) bytes" + (contentType.map { " of \(MessageText.of($0))" } ?? "") }
}

extension RequestBody {
    init(_ encoded: EncodedBody) {
        self.init(content: .bytes(encoded.bytes), contentType: encoded.contentType)
    }
}
