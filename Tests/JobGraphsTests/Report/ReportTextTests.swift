// SPDX-License-Identifier: MIT

import Testing

@testable import JobGraphs

@Suite struct ReportTextTests {
    @Test(arguments: [
        (Duration.zero, "0 ns"), (.nanoseconds(999), "999 ns"), (.nanoseconds(1_000), "1 µs"),
        (.nanoseconds(1_234), "1.23 µs"), (.nanoseconds(12_345), "12.3 µs"), (.nanoseconds(999_499), "999 µs"),
        (.nanoseconds(999_500), "1 ms"), (.milliseconds(480), "480 ms"), (.milliseconds(1_250), "1.25 s"),
        (.milliseconds(59_949), "59.9 s"), (.seconds(60), "1 min 00 s"), (.seconds(3_599), "59 min 59 s"),
        (.seconds(3_660), "1 h 01 min"), (.milliseconds(-3), "-3 ms"), (.seconds(-75), "-1 min 15 s"),
        (.seconds(Int64.max), "2562047 h 47 min"),
    ])
    func `a length of time has three digits and a unit`(duration: Duration, text: String) {
        #expect(ReportText.duration(duration) == text)
    }

    @Test(arguments: [(0, 6, "0.000000"), (250, 6, "0.000250"), (-1_500_000, 6, "-1.500000"), (12_345, 3, "12.345")])
    func `a decimal keeps every digit`(number: Int64, digits: Int, text: String) {
        #expect(ReportText.decimal(number, digits: digits) == text)
    }

    @Test(arguments: [
        (Duration.seconds(1), Duration.seconds(3), "33.333"), (.seconds(3), .seconds(3), "100.000"),
        (.seconds(9), .seconds(3), "100.000"), (.seconds(-9), .seconds(3), "0.000"), (.seconds(1), .zero, "0.000"),
    ])
    func `a share stays between nothing and all`(part: Duration, whole: Duration, text: String) {
        #expect(ReportText.percent(part, of: whole) == text)
    }

    @Test
    func `an attribute keeps its line breaks`() {
        #expect(ReportText.attribute("a\n\t<b>\r") == "a&#10;&#9;&lt;b&gt;&#13;")
        #expect(ReportText.escaped("a\n\t<b>\u{FFFF}") == "a\n\t&lt;b&gt;\u{FFFD}")
    }
}
