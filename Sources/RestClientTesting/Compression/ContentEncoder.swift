// SPDX-License-Identifier: MIT

/// Compresses a body piece by piece, each piece readable as soon as it has arrived.
struct ContentEncoder {
    private let encoding: LoopbackContentEncoding
    private var deflater = Deflater()
    private var checksum: Checksum
    private var length: UInt32 = 0
    private var hasStarted = false

    init(_ encoding: LoopbackContentEncoding) {
        self.encoding = encoding
        checksum = encoding == .gzip ? .crc32() : .adler32()
    }

    /// Encodes the next piece; the last one, which may be empty, ends the stream.
    mutating func encode(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var output = hasStarted ? [] : header
        hasStarted = true
        checksum.add(bytes)
        length &+= UInt32(truncatingIfNeeded: bytes.count)
        output += deflater.deflate(bytes, isLast: isLast)
        if isLast {
            output += trailer
        }
        return output
    }

    private var header: [UInt8] {
        switch encoding {
        // Magic, deflate, no flags, no time, no extra flags, system unknown.
        case .gzip: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        // Deflate with a 32 KiB window, default level; the pair is a multiple of 31.
        case .deflate: [0x78, 0x9C]
        case .rawDeflate: []
        }
    }

    private var trailer: [UInt8] {
        switch encoding {
        case .gzip: checksum.value.littleEndianBytes + length.littleEndianBytes
        case .deflate: checksum.value.littleEndianBytes.reversed()
        case .rawDeflate: []
        }
    }
}

extension UInt32 {
    fileprivate var littleEndianBytes: [UInt8] {
        (0..<4).map { index in UInt8(truncatingIfNeeded: self >> (8 * index)) }
    }
}
