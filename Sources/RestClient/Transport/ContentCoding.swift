// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// Removes the content codings of a body (RFC 9110, section 8.4).
enum ContentCoding {
    /// The value of the `Accept-Encoding` field that a transport sends unless the request has its own.
    static let accepted = ContentDecoding.allCases.map(\.rawValue).joined(separator: ", ")

    /// Returns a body without its gzip and deflate codings; unknown codings stay.
    ///
    /// - Parameters:
    ///   - body: The body on the wire.
    ///   - codings: The values of `Content-Encoding`, in order.
    ///   - limit: The maximum number of bytes in the result.
    /// - Returns: The body.
    /// - Throws: ``RestClientError`` if the body is damaged, incomplete, or decompresses to more than the limit.
    static func decode(_ body: Data, codings: [String], limit: Int) throws(RestClientError) -> Data {
        let names = codings.joined(separator: ",").split(separator: ",").map { $0.filter { !$0.isWhitespace } }
        var body = body
        // The last coding was applied last, so it is removed first.
        for name in names.reversed() where !body.isEmpty {
            switch name.lowercased() {
            case "gzip", "x-gzip":
                body = try inflate(body, .gzip, limit: limit)
            case "deflate":
                // The coding is the zlib format, but some servers send raw deflated data.
                body = try inflate(body, isZlib(body) ? .zlib : .raw, limit: limit)
            case "identity":
                continue
            default:
                return body
            }
        }
        return body
    }

    private static func inflate(
        _ body: Data,
        _ format: CompressionFormat,
        limit: Int
    ) throws(RestClientError) -> Data {
        do throws(StoreError) {
            return try Inflater.decompress(body, format: format, limit: limit)
        } catch {
            switch error.code {
            case .limitExceeded:
                throw TransportFailure.bodyOverLimit(limit)
            default:
                throw RestClientError(
                    .malformedResponse,
                    "the compressed body of the response is damaged or incomplete",
                    underlying: error
                )
            }
        }
    }

    /// Returns true if a body begins with zlib's header (RFC 1950, section 2.2).
    static func isZlib(_ body: Data) -> Bool {
        let head = body.prefix(2).map(Int.init)
        return head.count == 2 && head[0] & 0x0F == 8 && (head[0] << 8 | head[1]).isMultiple(of: 31)
    }
}
