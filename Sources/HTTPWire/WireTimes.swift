// SPDX-License-Identifier: MIT

import NIOCore

/// The instants of an exchange in nanoseconds of one clock; 0 stands for what did not happen.
package struct WireTimes: Sendable {
    package var began: UInt64 = 0
    /// When the connection was ready; `nil` if another exchange had used it before.
    package var connected: UInt64?
    package var headSent: UInt64 = 0
    /// When the last byte of the body was passed to the connection.
    package var requestSent: UInt64 = 0
    package var headReceived: UInt64 = 0
    package var ended: UInt64 = 0
    /// The connection, if it was made for this exchange.
    var made: WireConnection?

    /// The steps by which the connection was made; `nil` if another exchange had used it before.
    package var steps: WireSteps? { made?.steps }

    package init(began: UInt64 = 0, connected: UInt64? = nil, headSent: UInt64 = 0) {
        self.began = began
        self.connected = connected
        self.headSent = headSent
    }

    package static var now: UInt64 { NIODeadline.now().uptimeNanoseconds }
}
