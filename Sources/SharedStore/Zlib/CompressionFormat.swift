// SPDX-License-Identifier: MIT

/// The wrapping around deflated data.
package struct CompressionFormat: Sendable, Hashable {
    /// How zlib is asked for the format: its window bits, with what they mean added.
    let windowBits: Int32
    private let name: String

    /// Gzip (RFC 1952), with a checksum and a length; HTTP calls it "gzip".
    package static let gzip = CompressionFormat(windowBits: 15 + 16, name: "gzip")
    /// Zlib (RFC 1950), with a checksum; HTTP calls it "deflate".
    package static let zlib = CompressionFormat(windowBits: 15, name: "zlib")
    /// Deflated data alone (RFC 1951), without a checksum; what some servers send when they say "deflate".
    package static let raw = CompressionFormat(windowBits: -15, name: "raw")
    /// Gzip or zlib, whichever the data is; only for reading.
    package static let automatic = CompressionFormat(windowBits: 15 + 32, name: "automatic")
}

extension CompressionFormat: CustomStringConvertible {
    /// The format's name.
    package var description: String { name }
}
