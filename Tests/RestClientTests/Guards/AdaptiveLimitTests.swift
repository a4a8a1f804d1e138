// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct AdaptiveLimitTests {
    private static let limit = ConcurrencyLimit.adaptive(initial: 10, within: 2...100)

    private static func learn(_ adaptive: inout AdaptiveLimit, _ latency: Duration?, times: Int) {
        for _ in 0..<times {
            adaptive.learn(latency, running: adaptive.value(limit), limit)
        }
    }

    @Test
    func `it grows while the server keeps its pace, up to its bound`() {
        var adaptive = AdaptiveLimit()
        Self.learn(&adaptive, .milliseconds(10), times: 10)
        #expect(adaptive.value(Self.limit) > 10)
        Self.learn(&adaptive, .milliseconds(10), times: 1_000)
        #expect(adaptive.value(Self.limit) == 100)
    }

    @Test
    func `it shrinks when responses become slow, and grows again when they are fast`() {
        var adaptive = AdaptiveLimit()
        Self.learn(&adaptive, .milliseconds(10), times: 100)
        let before = adaptive.value(Self.limit)
        Self.learn(&adaptive, .milliseconds(80), times: 12)
        let slow = adaptive.value(Self.limit)
        #expect(slow < before / 2)
        Self.learn(&adaptive, .milliseconds(10), times: 100)
        #expect(adaptive.value(Self.limit) > slow)
    }

    @Test
    func `failures shrink it, down to its bound`() {
        var adaptive = AdaptiveLimit()
        Self.learn(&adaptive, nil, times: 1)
        #expect(adaptive.value(Self.limit) == 9)
        Self.learn(&adaptive, nil, times: 100)
        #expect(adaptive.value(Self.limit) == 2)
    }

    @Test
    func `a limit that is not used does not grow`() {
        var adaptive = AdaptiveLimit()
        for _ in 0..<1_000 {
            adaptive.learn(.milliseconds(10), running: 1, Self.limit)
        }
        #expect(adaptive.value(Self.limit) == 10)
    }

    @Test
    func `a fixed limit stays`() {
        var adaptive = AdaptiveLimit()
        adaptive.learn(nil, running: 8, 8)
        #expect(adaptive.value(8) == 8)
        #expect(adaptive.value(.fixed(-3)) == 1)
        #expect(adaptive.value(.adaptive(initial: 500, within: 0...4)) == 4)
    }
}
