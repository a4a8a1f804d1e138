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

/// Decides which content codings of a response are removed, and in which order: a pure value.
struct DecodingPlan: Sendable, Hashable {
    /// A body with more nested codings is treated as an attack.
    private static let nestingLimit = 4

    let decodings: [ContentDecoding]

    /// Creates the plan of a response.
    ///
    /// The coding that was applied last is listed last, and removed first. One that cannot be removed is kept, together
    /// with those below it: some servers list names of charsets here, and a request may have its own `Accept-Encoding`.
    init(_ lines: [String], status: Int, hasBody: Bool) throws(RestClientError) {
        let names = FieldList.elements(of: lines).map(String.init).filter { FieldList.token($0) != "identity" }
        guard hasBody, status != 206, status != 204, status != 304 else {
            decodings = []
            return
        }
        guard names.count <= Self.nestingLimit else {
            throw RestClientError(
                .unsupportedContentCoding,
                "the body of the response has \(names.count) nested content codings"
            )
        }
        var decodings: [ContentDecoding] = []
        var rest = names[...]
        while let decoding = rest.last.flatMap({ ContentDecoding(name: $0) }) {
            decodings.append(decoding)
            rest.removeLast()
        }
        self.decodings = decodings
    }
}
