// SPDX-License-Identifier: MIT

import NIOCore

/// A frame, as the rules of the protocol see it.
struct WireFrame: Equatable {
    /// The kinds of frames (RFC 6455, section 5.2).
    enum Opcode {
        static let continuation: UInt8 = 0x0
        static let text: UInt8 = 0x1
        static let binary: UInt8 = 0x2
        static let close: UInt8 = 0x8
        static let ping: UInt8 = 0x9
        static let pong: UInt8 = 0xA
    }

    var isFinal = true
    /// True if the payload is that of a compressed message, or its beginning (RFC 7692): the first reserved bit.
    var isCompressed = false
    /// True if one of the other bits is set that only extensions use.
    var hasReservedBits = false
    var opcode: UInt8
    var isMasked = false
    var payload: ByteBuffer

    init(_ opcode: UInt8, _ payload: ByteBuffer = ByteBuffer(), isFinal: Bool = true) {
        self.opcode = opcode
        self.payload = payload
        self.isFinal = isFinal
    }

    /// Creates a close frame.
    ///
    /// The reason is cut to the 123 bytes that fit, between two characters.
    init(closing code: WebSocketCloseCode, reason: String) {
        var payload = ByteBuffer()
        if code.canBeSent {
            payload.writeInteger(code.rawValue)
            var reason = reason[...]
            while reason.utf8.count > 123 {
                reason.removeLast()
            }
            payload.writeSubstring(reason)
        }
        self.init(Opcode.close, payload)
    }
}
