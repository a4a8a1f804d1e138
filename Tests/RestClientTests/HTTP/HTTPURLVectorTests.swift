// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import RestClient

/// The URL standard of the WHATWG, by its own test vectors for `http` and `https`.
@Suite
struct HTTPURLVectorTests {
    /// A row of the vectors; without `href` the input is no URL.
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        let input: String
        let base: String?
        let href: String?

        var testDescription: String { "\(input.debugDescription) on \(base ?? "nothing")" }
    }

    static let vectors: [Vector] = {
        let bytes = (try? TestResource.bytes("url-vectors.json")) ?? Data()
        return (try? JSONDecoder().decode([Vector].self, from: bytes)) ?? []
    }()

    /// Rows that would need the tables of UTS #46, by their input: see Docs/conformance.md.
    static let deviations: Set<String> = [
        "http://GOO\u{200B}\u{2060}\u{FEFF}goo.com", "http://www.foo\u{3002}bar.com", "http://\u{FF27}\u{FF4F}.com",
        "http://\u{4F60}\u{597D}\u{4F60}\u{597D}", "https://fa\u{DF}.ExAmPlE/",
        "http://\u{FF10}\u{FF38}\u{FF43}\u{FF10}\u{FF0E}\u{FF10}\u{FF12}\u{FF15}\u{FF10}\u{FF0E}\u{FF10}\u{FF11}",
        "https://%e2%98%83", "https://a%C2%ADb/", "https://xn--/",
        "http://a.b.c.xn--pokxncvks", "http://a.b.c.XN--pokxncvks", "http://a.b.c.Xn--pokxncvks",
        "http://10.0.0.xn--pokxncvks", "http://10.0.0.XN--pokxncvks", "http://10.0.0.xN--pokxncvks",
    ]

    private func resolve(_ vector: Vector) -> String? {
        do {
            let base = try vector.base.map { text throws(HTTPURL.Defect) in try HTTPURL(text) }
            return try HTTPURL(vector.input, relativeTo: base).text
        } catch {
            return nil
        }
    }

    @Test(arguments: vectors.filter { !deviations.contains($0.input) })
    func `a URL is read as the standard says`(vector: Vector) {
        #expect(resolve(vector) == vector.href)
    }

    @Test
    func `what deviates is named, and nothing else is`() {
        let deviating = Self.vectors.filter { resolve($0) != $0.href }

        #expect(Self.vectors.count { $0.href != nil } == 229)
        #expect(Set(deviating.map(\.input)) == Self.deviations)
        // Refused, or kept as it is: never taken for another host.
        #expect(deviating.allSatisfy { resolve($0) == nil || $0.href == nil })
    }

    @Test(arguments: [
        "mailto:kim@example.com", "javascript:alert(1)", "ftp://example.com/", "file:///etc/passwd", "data:,x",
    ])
    func `a URL of another scheme is said to be one`(text: String) throws {
        let base = try HTTPURL("https://example.com/")

        #expect(throws: HTTPURL.Defect.otherScheme) { try HTTPURL(text, relativeTo: base) }
    }

    @Test
    func `the fragment is not sent`() throws {
        #expect(try HTTPURL("https://example.com?a#b").textForSending == "https://example.com/?a")
        #expect(try HTTPURL("https://a/b#y").textForSending == "https://a/b")
    }
}
