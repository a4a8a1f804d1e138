// SPDX-License-Identifier: MIT

import NIOCore

/// A frame of HTTP/2, as far as its own bytes say what it is (RFC 9113, section 6).
enum HTTP2Frame {
    /// Bytes of a body; `size` counts the padding, as the windows do.
    case data(stream: Int, ByteBuffer, size: Int, endsStream: Bool)
    /// The begin of a block of fields, compressed.
    case headers(stream: Int, ByteBuffer, endsBlock: Bool, endsStream: Bool)
    /// More of a block of fields.
    case continuation(stream: Int, ByteBuffer, endsBlock: Bool)
    case reset(stream: Int, HTTP2Reason)
    case settings([(setting: HTTP2Setting, value: Int)])
    case settingsAcknowledged
    case ping(UInt64, isReply: Bool)
    case goAway(lastStream: Int, HTTP2Reason)
    case windowUpdate(stream: Int, increment: Int)
    /// One that says nothing to a client: a priority, or a type that is not known.
    case ignored

    /// The number of bytes before the payload.
    static let headSize = 9

    /// The kinds of frames by their number (RFC 9113, section 11.2).
    enum Kind: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// The flags of a frame.
    struct Flags: OptionSet {
        let rawValue: UInt8
        /// Of DATA and HEADERS.
        static let endsStream = Flags(rawValue: 0x1)
        /// Of SETTINGS and PING.
        static let acknowledges = Flags(rawValue: 0x1)
        static let endsBlock = Flags(rawValue: 0x4)
        static let isPadded = Flags(rawValue: 0x8)
        static let hasPriority = Flags(rawValue: 0x20)
    }
}
