// SPDX-License-Identifier: MIT

import NIOCore

/// Writing frames.
extension ByteBuffer {
    /// The first bytes of a client (RFC 9113, section 3.4).
    static let http2Preface = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

    /// Writes what precedes the payload of a frame.
    mutating func writeFrameHead(
        _ kind: HTTP2Frame.Kind,
        _ flags: HTTP2Frame.Flags = [],
        stream: Int = 0,
        size: Int
    ) {
        writeMultipleIntegers(
            UInt8(truncatingIfNeeded: size >> 16),
            UInt16(truncatingIfNeeded: size),
            kind.rawValue,
            flags.rawValue,
            UInt32(truncatingIfNeeded: stream)
        )
    }

    mutating func writeSettings(_ settings: [(HTTP2Setting, Int)]) {
        writeFrameHead(.settings, size: settings.count * 6)
        for (setting, value) in settings {
            writeMultipleIntegers(setting.rawValue, UInt32(truncatingIfNeeded: value))
        }
    }

    mutating func writeWindowUpdate(stream: Int, increment: Int) {
        writeFrameHead(.windowUpdate, stream: stream, size: 4)
        writeInteger(UInt32(truncatingIfNeeded: increment))
    }

    mutating func writeReset(stream: Int, _ code: HTTP2Reason) {
        writeFrameHead(.reset, stream: stream, size: 4)
        writeInteger(code.rawValue)
    }

    mutating func writePing(_ data: UInt64, isReply: Bool) {
        writeFrameHead(.ping, isReply ? .acknowledges : [], size: 8)
        writeInteger(data)
    }

    mutating func writeGoAway(lastStream: Int, _ code: HTTP2Reason) {
        writeFrameHead(.goAway, size: 8)
        writeMultipleIntegers(UInt32(truncatingIfNeeded: lastStream), code.rawValue)
    }

    /// Writes a field as it is, which no table keeps, on the way to the server either (RFC 7541, section 6.2.3).
    mutating func writeLiteralField(_ name: [UInt8], _ value: [UInt8]) {
        writeInteger(UInt8(0x10))
        for text in [name, value] {
            var rest = text.count
            if rest < 0x7F {
                writeInteger(UInt8(rest))
            } else {
                writeInteger(UInt8(0x7F))
                rest -= 0x7F
                while rest >= 0x80 {
                    writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
                    rest >>= 7
                }
                writeInteger(UInt8(rest))
            }
            writeBytes(text)
        }
    }

    /// Writes a block of fields as HEADERS and as many CONTINUATION frames as it takes.
    mutating func writeFields(_ block: ByteBuffer, stream: Int, frameSize: Int, endsStream: Bool) {
        var rest = block
        var kind = HTTP2Frame.Kind.headers
        repeat {
            let count = Swift.min(rest.readableBytes, frameSize)
            var flags: HTTP2Frame.Flags = kind == .headers && endsStream ? .endsStream : []
            if count == rest.readableBytes {
                flags.insert(.endsBlock)
            }
            writeFrameHead(kind, flags, stream: stream, size: count)
            if var part = rest.readSlice(length: count) {
                writeBuffer(&part)
            }
            kind = .continuation
        } while rest.readableBytes > 0
    }
}
