// SPDX-License-Identifier: MIT

/// The reason that ends a stream or a connection (RFC 9113, section 7).
package struct HTTP2Reason: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    static let none = HTTP2Reason(rawValue: 0x0)
    static let protocolError = HTTP2Reason(rawValue: 0x1)
    static let flowControl = HTTP2Reason(rawValue: 0x3)
    static let streamClosed = HTTP2Reason(rawValue: 0x5)
    static let frameSize = HTTP2Reason(rawValue: 0x6)
    static let refusedStream = HTTP2Reason(rawValue: 0x7)
    static let cancel = HTTP2Reason(rawValue: 0x8)
    static let compression = HTTP2Reason(rawValue: 0x9)
    static let enhanceYourCalm = HTTP2Reason(rawValue: 0xB)
    static let http1Required = HTTP2Reason(rawValue: 0xD)
}
