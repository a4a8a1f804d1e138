// SPDX-License-Identifier: MIT

/// How a response's body is encoded on its way.
public enum LoopbackContentEncoding: Hashable, Sendable {
    /// A gzip member (RFC 1952), labelled `gzip`.
    case gzip
    /// A zlib stream (RFC 1950), labelled `deflate`: what the label means by the book.
    case deflate
    /// A deflate stream without the zlib wrapper (RFC 1951), labelled `deflate`: what some servers send.
    case rawDeflate

    /// The word in `Content-Encoding`.
    public var label: String {
        switch self {
        case .gzip: "gzip"
        case .deflate, .rawDeflate: "deflate"
        }
    }

    /// Compresses bytes.
    ///
    /// - Parameter bytes: The bytes.
    /// - Returns: The encoded body.
    public func encode(_ bytes: [UInt8]) -> [UInt8] {
        var encoder = ContentEncoder(self)
        return encoder.encode(bytes, isLast: true)
    }
}
