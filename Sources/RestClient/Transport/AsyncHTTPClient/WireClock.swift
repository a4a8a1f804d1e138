// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import HTTPWire

/// Records the instants of one exchange, for its collector.
struct WireClock {
    /// The instants so far.
    private(set) var times = WireTimes()

    mutating func begin() {
        times.began = WireTimes.now
    }

    mutating func sendHead() {
        times.headSent = WireTimes.now
    }

    /// True if the head was sent.
    var isSent: Bool { times.headSent != 0 }

    mutating func sendRequest() {
        times.requestSent = WireTimes.now
    }

    mutating func receiveHead() {
        times.headReceived = WireTimes.now
    }

    /// The progress of the exchange.
    func progress(awaitsBody: Bool, latest: UInt64) -> PaceRule.Progress {
        if times.ended != 0 {
            return .ended
        }
        if times.headReceived != 0 {
            return .receiving(since: max(times.headReceived, latest))
        }
        guard isSent, !awaitsBody || times.requestSent != 0 else {
            return .sending
        }
        return .waiting(since: max(times.headSent, times.requestSent))
    }

    mutating func end() {
        times.ended = WireTimes.now
    }
}

#endif
