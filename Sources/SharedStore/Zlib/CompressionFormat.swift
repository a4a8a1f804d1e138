// SPDX-License-Identifier: MIT

package struct CompressionFormat: Sendable, Hashable, CustomStringConvertible {
    let windowBits: Int32
    package let description: String
    /// True if zeros may follow the end of the data, as padding.
    private(set) var allowsPadding = false

    private init(windowBits: Int32, name: String) {
        self.windowBits = windowBits
        description = name
    }

    /// Gzip (RFC 1952), with a checksum and a length; HTTP calls it "gzip".
    package static let gzip = CompressionFormat(windowBits: 15 + 16, name: "gzip")
    /// Zlib (RFC 1950), with a checksum; HTTP calls it "deflate".
    package static let zlib = CompressionFormat(windowBits: 15, name: "zlib")
    /// Deflated data alone (RFC 1951), without a checksum; some servers send it as "deflate".
    package static let raw = CompressionFormat(windowBits: -15, name: "raw")
    /// Deflated data alone in messages that share a window (RFC 7692); the peer may end it, and begin again.
    package static let messages = CompressionFormat(windowBits: -15, name: "raw messages")
    /// Gzip or zlib, whichever the data is; only for reading.
    package static let automatic = CompressionFormat(windowBits: 15 + 32, name: "automatic")
}

extension CompressionFormat {
    /// Deflated data alone, in messages, with a window of that many bits: from 9 to 15, or zlib refuses it.
    package static func messages(windowBits: Int) -> CompressionFormat {
        CompressionFormat(windowBits: -Int32(clamping: windowBits), name: "raw messages")
    }

    /// The same format, with zeros behind the end of the data, which servers add to fill a block.
    package var padded: CompressionFormat {
        var format = self
        format.allowsPadding = true
        return format
    }

    var isGzip: Bool { windowBits == Self.gzip.windowBits }

    var isAutomatic: Bool { windowBits == Self.automatic.windowBits }

    /// A Boolean value that is true if more compressed data may follow the end of some.
    var mayContinue: Bool { isGzip || isAutomatic || description == CompressionFormat.messages.description }
}
