// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import HTTPWire

struct WireClock {
    private(set) var times = WireTimes()

    mutating func begin() {
        times.began = WireTimes.now
    }

    mutating func sendHead() {
        times.headSent = WireTimes.now
    }

    var isSent: Bool { times.headSent != 0 }

    mutating func sendRequest() {
        times.requestSent = WireTimes.now
    }

    mutating func receiveHead() {
        times.headReceived = WireTimes.now
    }

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
