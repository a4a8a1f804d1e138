// SPDX-License-Identifier: MIT

import RestEssentials

/// Counts over the latest stretch of time, in ten steps: pure.
struct SlidingWindow: Sendable {
    struct Counts: Sendable, Hashable {
        var calls = 0
        var failures = 0
        var slow = 0
        var retries = 0

        static func += (left: inout Counts, right: Counts) {
            left.calls += right.calls
            left.failures += right.failures
            left.slow += right.slow
            left.retries += right.retries
        }
    }

    private static let stepCount = 10

    private var steps: [(number: Int64, counts: Counts)] = []
    private var sum = Counts()

    /// Adds to the counts of the present, and returns those of the window; `add` is called for the step and for the
    /// window.
    @discardableResult
    mutating func count(at now: Duration, in length: Duration, _ add: (inout Counts) -> Void) -> Counts {
        let number = Self.number(of: now, in: length)
        drop(before: number)
        if steps.last?.number != number {
            steps.append((number, Counts()))
        }
        add(&steps[steps.count - 1].counts)
        add(&sum)
        return sum
    }

    mutating func counts(at now: Duration, in length: Duration) -> Counts {
        drop(before: Self.number(of: now, in: length))
        return sum
    }

    private mutating func drop(before number: Int64) {
        // They are in their order, and most calls find nothing to drop.
        guard let first = steps.first, let last = steps.last,
            first.number <= number - Int64(Self.stepCount) || last.number > number
        else {
            return
        }
        // Steps of another length, or of a clock that went back, count for nothing.
        steps.removeAll { $0.number > number || $0.number <= number - Int64(Self.stepCount) }
        sum = steps.reduce(into: Counts()) { $0 += $1.counts }
    }

    private static func number(of now: Duration, in length: Duration) -> Int64 {
        let step = max(length.wholeNanoseconds, 1_000_000) / Int64(stepCount)
        let (number, rest) = now.wholeNanoseconds.quotientAndRemainder(dividingBy: step)
        return rest < 0 ? number - 1 : number
    }
}
