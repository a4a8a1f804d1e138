// SPDX-License-Identifier: MIT

import SharedStore

/// A content coding that can be removed (RFC 9110, section 8.4.1).
enum ContentDecoding: String, Sendable, CaseIterable {
    case gzip
    case deflate
    #if Brotli
    case brotli = "br"
    #endif
    #if Zstd
    case zstd
    #endif

    /// Creates a coding by its name, in any case and including old names (RFC 9110, section 8.4.1.3).
    init?(name: some StringProtocol) {
        let name = FieldList.token(name)
        guard let coding = name == "x-gzip" ? .gzip : Self(rawValue: name) else {
            return nil
        }
        self = coding
    }

    func decoder() throws(StoreError) -> any CodingDecoder {
        switch self {
        case .gzip: ZlibDecoder(isGzip: true)
        case .deflate: ZlibDecoder(isGzip: false)
        #if Brotli
        case .brotli: try BrotliDecoder()
        #endif
        #if Zstd
        case .zstd: try ZstdDecoder()
        #endif
        }
    }
}
