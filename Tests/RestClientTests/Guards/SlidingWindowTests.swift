// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct SlidingWindowTests {
    private static let length = Duration.seconds(10)

    private static func window(_ times: [Double]) -> SlidingWindow {
        var window = SlidingWindow()
        for time in times {
            window.count(at: .seconds(time), in: length) { $0.calls += 1 }
        }
        return window
    }

    private static func calls(_ times: [Double], at now: Double, in length: Duration = length) -> Int {
        var window = window(times)
        return window.counts(at: .seconds(now), in: length).calls
    }

    @Test
    func `a window begins with nothing, and each kind of count is its own`() {
        var window = SlidingWindow()
        #expect(window.counts(at: .zero, in: Self.length) == SlidingWindow.Counts())
        let none = SlidingWindow.Counts()
        #expect([none.calls, none.failures, none.slow, none.retries] == [0, 0, 0, 0])

        for second in 0..<4 {
            window.count(at: .seconds(second), in: Self.length) { counts in
                (counts.calls, counts.failures) = (counts.calls + 1, counts.failures + 2)
                (counts.slow, counts.retries) = (counts.slow + 3, counts.retries + 4)
            }
        }

        let sum = window.counts(at: .seconds(4), in: Self.length)
        #expect([sum.calls, sum.failures, sum.slow, sum.retries] == [4, 8, 12, 16])
        let rest = window.counts(at: .seconds(10), in: Self.length)
        #expect([rest.calls, rest.failures, rest.slow, rest.retries] == [3, 6, 9, 12])
    }

    @Test(arguments: [
        (0.0, 0.0, 1), (0, 9.999, 1), (0, 10, 0), (0.999, 9.999, 1), (0.999, 10, 0), (1, 10, 1), (1, 10.999, 1),
        (1, 11, 0),
        (5, 4.9, 0), (5, 5, 1), (-3, -1, 1), (-3, 7, 0), (-0.5, 8.9, 1), (-0.5, 9, 0),
    ])
    func `a window has ten steps, and forgets the oldest as a whole`(time: Double, now: Double, count: Int) {
        #expect(Self.calls([time], at: now) == count)
    }

    @Test
    func `calls within a step are one step, and counting forgets the old ones`() {
        #expect(Self.calls([0, 0.1, 0.9, 1, 9.9], at: 9.9) == 5)
        #expect(Self.calls([0, 0.1, 0.9, 1, 9.9], at: 10) == 2)
        #expect(Self.calls([0, 5, 10], at: 10) == 2)
        // A clock that went back: later steps count for nothing, and do not come back.
        #expect(Self.calls([5, 3], at: 5) == 1)
        #expect(Self.calls([3, 5], at: 3) == 1)
    }

    @Test
    func `a window without a length forgets at once, and nothing overflows`() {
        var window = SlidingWindow()
        window.count(at: .seconds(1_000_000), in: .zero) { $0.calls += 1 }
        #expect(window.counts(at: .seconds(1_000_000), in: .zero).calls == 1)
        #expect(window.counts(at: .seconds(1_000_000) + .milliseconds(2), in: .zero).calls == 0)
        #expect(window.counts(at: .seconds(1_000_000), in: .seconds(-5)).calls == 0)
    }
}
