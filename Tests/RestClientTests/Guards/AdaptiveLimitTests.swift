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

    /// A limit of 10,000, which has learnt the latencies of calls that did not use it, in milliseconds.
    private static func limit(after idle: [Double], then latency: Double, running: Int = 10_000) -> Int {
        let limit = ConcurrencyLimit.adaptive(initial: 10_000, within: 1...1_000_000)
        var adaptive = AdaptiveLimit()
        for latency in idle {
            adaptive.learn(.milliseconds(latency), running: 0, limit)
        }
        adaptive.learn(.milliseconds(latency), running: running, limit)
        return adaptive.value(limit)
    }

    @Test(
        arguments: [
            // It grows by a fifth of its root, and up to one and a half times the usual latency as well.
            ([], 10, 10_020), ([10], 10, 10_020), ([10], 14.9, 10_020), ([10], 1, 10_020),
            // Then it shrinks by a fifth of what is too much, but by no more than a tenth.
            ([10], 20.1, 9_512), ([10], 29, 9_054), ([10], 31, 9_020), ([10], 10_000, 9_020),
            // A slower server is taken for usual by a twentieth, a faster one by three tenths.
            ([10, 20], 22, 9_451), ([20, 10], 35, 9_477), ([10, 10], 20.1, 9_512),
            // No latency is less than a microsecond.
            ([0], 0.0021, 9_448), ([0.0005], 0.0021, 9_448),
        ] as [([Double], Double, Int)]
    )
    func `a used limit follows the quotient of the usual latency and the latest one`(
        idle: [Double],
        latency: Double,
        value: Int
    ) {
        #expect(Self.limit(after: idle, then: latency) == value)
    }

    @Test(arguments: [(5_000, 10_020), (4_999, 10_000), (0, 10_000)])
    func `a limit is used when half of it is`(running: Int, value: Int) {
        #expect(Self.limit(after: [10], then: 10, running: running) == value)
    }

    @Test
    func `a fixed limit stays`() {
        var adaptive = AdaptiveLimit()
        adaptive.learn(nil, running: 8, 8)
        #expect(adaptive.value(8) == 8)
        #expect(adaptive.value(.fixed(-3)) == .max)
        #expect(adaptive.value(.fixed(0)) == .max)
        #expect(adaptive.value(.adaptive(initial: 500, within: 0...4)) == 4)
    }
}
