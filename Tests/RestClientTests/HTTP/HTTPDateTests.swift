// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

/// RFC 9110, section 5.6.7.
@Suite
struct HTTPDateTests {
    /// In January 2027.
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Wed Nov 16 08:49:37 1994", 784_975_777),
        ("SUN, 06 NOV 1994 08:49:37 gmt", 784_111_777),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
        ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400),
        ("Tue, 19 Jan 2038 14:14:08 GMT", 2_147_523_248),
        ("Sun, 21 Nov 2286 04:46:39 GMT", 10_000_039_599),
        ("Thu, 30 Jun 2016 23:59:60 GMT", 1_467_331_200),
        ("Thursday, 18-Aug-50 02:01:18 GMT", 2_544_400_878),
        ("Tuesday, 18-Aug-76 02:01:18 GMT", 3_364_941_678),
        ("Thursday, 18-Aug-77 02:01:18 GMT", 3_396_477_678),
        ("Friday, 18-Aug-78 02:01:18 GMT", 272_253_678),
    ])
    func `all three forms are read, names without regard to case`(text: String, seconds: Int) {
        #expect(HTTPDate.date(text, now: now) == Date(timeIntervalSince1970: Double(seconds)))
    }

    @Test(arguments: [
        "", "0", "-1", "now", "foo", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 AEST", "Sun, 06 Nov 1994 08:49:37 +0000", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov  1994 08:49:37 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Foo, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 99994 08:49:37 GMT",
        "1994-11-06T08:49:37Z", "Sun, 06 Nov 1994 08:49:37 GMT ",
    ])
    func `any other text is not a date`(text: String) {
        #expect(HTTPDate.date(text, now: now) == nil)
    }

    @Test
    func `a date is read as it was written`() {
        #expect(HTTPDate.text(Date(timeIntervalSince1970: 784_111_777)) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(Date(timeIntervalSince1970: -1)) == "Wed, 31 Dec 1969 23:59:59 GMT")
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<2_000 {
            let date = Date(
                timeIntervalSince1970: Double(Int.random(in: -30_000_000_000...200_000_000_000, using: &generator))
            )
            #expect(HTTPDate.date(HTTPDate.text(date), now: now) == date)
        }
    }

    @Test
    func `texts of any kind do not trap`() {
        var generator = SeededGenerator(seed: 3)
        let alphabet = Array("SunNovGMTday ,:-0123456789é")
        for _ in 0..<3_000 {
            let count = Int.random(in: 0..<40, using: &generator)
            let text = String((0..<count).compactMap { _ in alphabet.randomElement(using: &generator) })
            _ = HTTPDate.date(text, now: now)
        }
    }
}
