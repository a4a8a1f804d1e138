// SPDX-License-Identifier: MIT

import RestEssentials
package import SharedStore

/// The encoding of a response's body.
public enum LoopbackContentEncoding: Hashable, Sendable {
    /// A gzip member (RFC 1952), labelled `gzip`.
    case gzip
    /// A zlib stream (RFC 1950), labelled `deflate` as the standard requires.
    case deflate
    /// A deflate stream without the zlib wrapper (RFC 1951), labelled `deflate`, as some servers send it.
    case rawDeflate

    package var label: String {
        switch self {
        case .gzip: "gzip"
        case .deflate, .rawDeflate: "deflate"
        }
    }

    package func encode(_ bytes: [UInt8]) throws(StoreError) -> [UInt8] {
        Array(try Deflater.compress(Data(bytes), format: format))
    }

    var format: CompressionFormat {
        switch self {
        case .gzip: .gzip
        case .deflate: .zlib
        case .rawDeflate: .raw
        }
    }
}
