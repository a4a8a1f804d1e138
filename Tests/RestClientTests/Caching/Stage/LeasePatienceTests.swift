// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

struct LeasePatienceTests {
    @Test
    func `looks become rarer, and end with the lease`() {
        var patience = LeasePatience(duration: .milliseconds(400), now: .seconds(5))
        var now = Duration.seconds(5)
        var pauses: [Duration] = []
        while let pause = patience.pause(at: now) {
            pauses.append(pause)
            now += pause
        }

        #expect(pauses == [2, 4, 8, 16, 32, 64, 100, 100, 74].map(Duration.milliseconds))
        #expect(now == .seconds(5) + .milliseconds(400))
    }

    @Test
    func `a look that took too long is the last one`() {
        var patience = LeasePatience(duration: .seconds(1), now: .zero)
        #expect(patience.pause(at: .milliseconds(999)) == .milliseconds(1))
        #expect(patience.pause(at: .seconds(2)) == nil)
    }

    @Test(
        arguments: [
            (Duration.zero, Duration.milliseconds(100)), (.seconds(-1), .milliseconds(100)),
            (.seconds(10), .seconds(10)),
            (.seconds(100_000), .seconds(300)), (.seconds(Int64.max), .seconds(300)),
        ]
    )
    func `a lease is neither too short to be of use nor endless`(wanted: Duration, usable: Duration) {
        #expect(ClientCore.usableLease(wanted) == usable)
    }
}
