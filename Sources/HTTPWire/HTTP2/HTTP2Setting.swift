// SPDX-License-Identifier: MIT

/// A setting of a connection (RFC 9113, section 6.5.2).
struct HTTP2Setting: RawRepresentable, Hashable {
    let rawValue: UInt16

    static let headerTableSize = HTTP2Setting(rawValue: 0x1)
    static let enablePush = HTTP2Setting(rawValue: 0x2)
    static let maximumConcurrentStreams = HTTP2Setting(rawValue: 0x3)
    static let initialWindowSize = HTTP2Setting(rawValue: 0x4)
    static let maximumFrameSize = HTTP2Setting(rawValue: 0x5)
    static let maximumHeaderListSize = HTTP2Setting(rawValue: 0x6)
}
