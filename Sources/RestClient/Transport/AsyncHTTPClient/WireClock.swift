// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import HTTPWire
import NIOCore

/// The instants of one exchange, recorded by its collector.
struct WireClock {
    private var began: UInt64 = 0
    private var headSent: UInt64 = 0
    private var requestSent: UInt64 = 0
    private var headReceived: UInt64 = 0
    private var ended: UInt64 = 0

    mutating func begin() {
        began = Self.now
    }

    mutating func sendHead() {
        headSent = Self.now
    }

    /// True if the head was sent.
    var isSent: Bool { headSent != 0 }

    mutating func sendRequest() {
        requestSent = Self.now
    }

    mutating func receiveHead() {
        headReceived = Self.now
    }

    /// The progress of the exchange.
    func progress(awaitsBody: Bool, latest: UInt64) -> PaceRule.Progress {
        if ended != 0 {
            return .ended
        }
        if headReceived != 0 {
            return .receiving(since: max(headReceived, latest))
        }
        guard headSent != 0, !awaitsBody || requestSent != 0 else {
            return .sending
        }
        return .waiting(since: max(headSent, requestSent))
    }

    mutating func end() {
        ended = Self.now
    }

    /// Returns the timings of the exchange.
    ///
    /// - Parameter instant: When its connection was ready; `nil` if that is unknown.
    /// - Returns: The timings.
    func timings(connectedAt instant: NIODeadline?) -> ExchangeTimings {
        ExchangeTimings(
            began: began,
            connected: instant?.uptimeNanoseconds,
            headSent: headSent,
            requestSent: requestSent,
            headReceived: headReceived,
            ended: ended
        )
    }

    private static var now: UInt64 { NIODeadline.now().uptimeNanoseconds }
}

#endif
