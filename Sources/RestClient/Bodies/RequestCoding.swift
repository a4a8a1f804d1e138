// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// A content coding that a request's body can be sent with (RFC 9110, section 8.4.1).
public struct RequestCoding: Sendable, Hashable, CustomStringConvertible {
    /// The name in `Content-Encoding`.
    public let description: String

    /// GZIP (RFC 1952).
    public static let gzip = RequestCoding(description: "gzip")
    /// The zlib format (RFC 1950), which HTTP calls deflate.
    public static let deflate = RequestCoding(description: "deflate")

    var format: CompressionFormat { self == .gzip ? .gzip : .zlib }
}

extension [RequestCoding] {
    func coded(_ bytes: Data) throws -> Data {
        try reduce(bytes) { try Deflater.compress($0, format: $1.format) }
    }
}
