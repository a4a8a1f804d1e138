// SPDX-License-Identifier: MIT

import HTTPTypes
import SeededRandom
import Testing

@testable import RestClient

/// RFC 9111, section 5.2.
@Suite
struct CacheControlTests {
    private func control(_ lines: String...) -> CacheControl {
        var headers: HTTPFields = [:]
        for line in lines {
            headers.append(HTTPField(name: .cacheControl, value: line))
        }
        return CacheControl(headers)
    }

    @Test(
        arguments: [
            ("max-age=60", .valid(.seconds(60))),
            ("MaX-aGe=60", .valid(.seconds(60))),
            ("foo, max-age=60 , bar=1", .valid(.seconds(60))),
            (#"max-age="60""#, .valid(.seconds(60))),
            ("max-age=0060", .valid(.seconds(60))),
            ("max-age=0", .valid(.zero)),
            ("max-age=2147483649", .valid(.seconds(2_147_483_649))),
            ("max-age=99999999999999999999", .valid(.seconds(3_155_760_000))),
            ("max-age=60, max-age=10", .valid(.seconds(10))),
            ("max-age=10, max-age=60", .valid(.seconds(10))),
            ("max-age=10, max-age=x", .invalid),
            ("max-age=-60", .invalid),
            ("max-age=60.5", .invalid),
            ("max-age=a60", .invalid),
            ("max-age='60'", .invalid),
            ("max-age=", .invalid),
            ("max-age =60", .invalid),
            ("max-age= 60", .invalid),
            ("max-age", .absent),
            ("", .absent),
            ("s-maxage=60", .absent),
            (#"extension="max-age=60""#, .absent),
            (#"extension="a, max-age=60", max-age=1"#, .valid(.seconds(1))),
            (#"extension="a\", max-age=60", max-age=1"#, .valid(.seconds(1))),
        ] as [(String, CacheControl.Seconds)]
    )
    func `RFC 9111, 1.2.2 and 4.2.1: a number of seconds is digits, and of several the smallest counts`(
        line: String,
        seconds: CacheControl.Seconds
    ) {
        #expect(control(line).seconds(.maxAge) == seconds)
    }

    @Test(arguments: [
        ("no-store", true), ("No-StOrE", true), ("max-age=1,no-store", true), ("no-store=x", true),
        ("no-store =x", true), ("no-store=\u{301}x", true),
        ("not-no-store", false), (#"a="no-store""#, false), (#"a="x, no-store"#, true), ("", false),
    ])
    func `a directive is known by its name, and cannot hide in a text that has no end`(line: String, isThere: Bool) {
        #expect(control(line).contains(.noStore) == isThere)
    }

    @Test
    func `several lines are read as one`() {
        let control = control("s-maxage=3600", "max-age=1", "private")
        #expect(control.seconds(.maxAge) == .valid(.seconds(1)))
        #expect(control.contains(.isPrivate))
    }

    @Test
    func `RFC 9111, 5.2.2.4: no-cache may name fields`() {
        let control = control(#"no-cache="a, B""#, "max-age=1")
        #expect(control.contains(.noCache))
        #expect(!control.isUnqualified(.noCache))
        #expect(control.fieldNames(.noCache).map(\.canonicalName) == ["a", "b"])
        #expect(self.control("no-cache").isUnqualified(.noCache))
    }

    @Test
    func `bytes of any kind do not trap`() {
        var generator = SeededGenerator(seed: 5)
        let alphabet = Array("no-cache=max-age \"\\,=;0189-é")
        for _ in 0..<3_000 {
            let count = Int.random(in: 0..<40, using: &generator)
            let text = String((0..<count).compactMap { _ in alphabet.randomElement(using: &generator) })
            let elements = FieldList.elements(of: text)
            #expect(elements.allSatisfy { !$0.isEmpty })
            _ = control(text).seconds(.maxAge)
        }
    }
}
