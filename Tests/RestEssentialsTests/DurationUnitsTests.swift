// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@Suite struct DurationUnitsTests {
    @Test(arguments: [
        (Duration.zero, Int64(0)),
        (.nanoseconds(1), 1),
        (.milliseconds(-1500), -1_500_000_000),
        (.seconds(Int64.max), .max),
        (.seconds(Int64.min), .min),
    ])
    func `whole nanoseconds are limited to what their type can represent`(_ duration: Duration, _ expected: Int64) {
        #expect(duration.wholeNanoseconds == expected)
    }

    @Test
    func `a duration is converted to seconds and to milliseconds`() {
        #expect(Duration.milliseconds(1500).timeInterval == 1.5)
        #expect(Duration.microseconds(2500).inMilliseconds == 2.5)
        #expect(Duration.seconds(1e20).timeInterval == 1e20)
        #expect(Duration.seconds(-1e20).timeInterval == -1e20)
    }

    /// Whole microseconds are as near as a `Double` can be, other durations one step further at most.
    @Test(arguments: 0..<96, [-1, 1, 3, 5, 999_999_937])
    func `seconds are those that the standard library's division gives`(bits: Int, factor: Int128) {
        let attoseconds = factor << bits
        let whole = attoseconds / 1_000_000_000_000 * 1_000_000_000_000
        #expect(Duration(attoseconds: whole).timeInterval == Double(whole) / 1e18)
        let expected = Double(attoseconds) / 1e18
        let actual = Duration(attoseconds: attoseconds).timeInterval
        #expect(expected.nextDown...expected.nextUp ~= actual)
    }

    @Test(arguments: [
        (0.0, Duration.zero), (1.5, .milliseconds(1_500)), (-2, .seconds(-2)), (.nan, .zero),
        (.infinity, .seconds(4e13)), (-.infinity, .seconds(-4e13)), (1e300, .seconds(4e13)),
        (.leastNonzeroMagnitude, .zero),
    ])
    func `any number of seconds is a duration`(seconds: Double, expected: Duration) {
        #expect(Duration.bounded(seconds: seconds) == expected)
    }
}
