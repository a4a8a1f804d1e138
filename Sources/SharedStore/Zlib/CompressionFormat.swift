// SPDX-License-Identifier: MIT

/// The format of deflated data.
package struct CompressionFormat: Sendable, Hashable {
    /// The window bits that make zlib use the format.
    let windowBits: Int32
    private let name: String

    /// Gzip (RFC 1952), with a checksum and a length; HTTP calls it "gzip".
    package static let gzip = CompressionFormat(windowBits: 15 + 16, name: "gzip")
    /// Zlib (RFC 1950), with a checksum; HTTP calls it "deflate".
    package static let zlib = CompressionFormat(windowBits: 15, name: "zlib")
    /// Deflated data alone (RFC 1951), without a checksum; some servers send it as "deflate".
    package static let raw = CompressionFormat(windowBits: -15, name: "raw")
    /// Gzip or zlib, whichever the data is; only for reading.
    package static let automatic = CompressionFormat(windowBits: 15 + 32, name: "automatic")
}

extension CompressionFormat: CustomStringConvertible {
    /// The format's name.
    package var description: String { name }
}
