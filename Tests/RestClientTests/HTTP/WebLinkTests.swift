// SPDX-License-Identifier: MIT

import SeededRandom
import Testing

@testable import RestClient

/// RFC 8288, with its examples.
@Suite
struct WebLinkTests {
    /// The links as text: target, relations, anchor, parameters.
    private func texts(_ lines: [String]) -> [String] {
        WebLink.links(in: lines)
            .map { link in
                let parameters = link.parameters.map { " \($0.name)=\($0.value)" }.joined()
                return "\(link.target) [\(link.relations.joined(separator: ","))]"
                    + (link.anchor.map { " #\($0)" } ?? "") + parameters
            }
    }

    @Test(arguments: [
        // The examples of section 3.5.
        (
            "<http://example.com/TheBook/chapter2>; rel=\"previous\"; title=\"previous chapter\"",
            ["http://example.com/TheBook/chapter2 [previous] title=previous chapter"]
        ),
        ("</>; rel=\"http://example.net/foo\"", ["/ [http://example.net/foo]"]),
        ("</terms>; rel=\"copyright\"; anchor=\"#foo\"", ["/terms [copyright] ##foo"]),
        (
            "</TheBook/chapter2>; rel=\"previous\"; title*=UTF-8'de'letztes%20Kapitel, "
                + "</TheBook/chapter4>; rel=\"next\"; title*=UTF-8'de'n%c3%a4chstes%20Kapitel",
            [
                "/TheBook/chapter2 [previous] title=letztes Kapitel", "/TheBook/chapter4 [next] title=nächstes Kapitel",
            ]
        ),
        (
            "<http://example.org/>; rel=\"start http://example.net/relation/other\"",
            ["http://example.org/ [start,http://example.net/relation/other]"]
        ),
        (
            "<https://example.org/>; rel=\"start\", <https://example.org/index>; rel=\"index\"",
            ["https://example.org/ [start]", "https://example.org/index [index]"]
        ),
        // As a large host of source code writes it.
        (
            "<https://api.example.com/items?page=2&per_page=5>; rel=\"next\", "
                + "<https://api.example.com/items?page=9>; rel=\"last\"",
            ["https://api.example.com/items?page=2&per_page=5 [next]", "https://api.example.com/items?page=9 [last]"]
        ),
        // Commas, semicolons and quotes where they do not separate.
        ("<?a=1,2;b=3>; rel=next", ["?a=1,2;b=3 [next]"]),
        ("<a>; title=\"x, <b>; rel=next\"; rel=prev", ["a [prev] title=x, <b>; rel=next"]),
        ("<a>; title=\"say \\\"hi\\\" \\\\\"; rel=next", ["a [next] title=say \"hi\" \\"]),
        // White space everywhere.
        ("  < a > ;  rel = \"  next   last \" ;x ,\t<b>;rel=next ", ["a [next,last] x=", "b [next]"]),
        (",, <a>;rel=next ,,<b>;rel=prev,", ["a [next]", "b [prev]"]),
        // Upper and lower case.
        ("<a>; REL=Next; Title=T", ["a [next] title=T"]),
        // Of several, the first one.
        (
            "<a>; rel=next; rel=prev; title=1; title=2; hreflang=de; hreflang=en",
            [
                "a [next] title=1 hreflang=de hreflang=en"
            ]
        ),
        ("<a>; title*=UTF-8''%e2%82%ac; title=plain; rel=x", ["a [x] title=€"]),
        ("<a>; title=plain; title*=latin1''%a3; rel=x", ["a [x] title=plain"]),
        ("<a>; title=plain; title*=UTF-8''%zz; rel=x", ["a [x] title=plain"]),
        ("<a>; title=plain; title*=UTF-8''%ff; rel=x", ["a [x] title=plain"]),
        ("<a>", ["a []"]),
        ("<>; rel=next", [" [next]"]),
        // Malformed.
        ("", []), ("a; rel=next", []), ("<a", []), ("<a>; rel=next, b", ["a [next]"]),
        ("<a>; rel=\"next", ["a [next]"]), ("<a>; rel=\"next\\", ["a [next]"]), ("<a>; =x; ; rel=next", ["a [next]"]),
        ("<a> rel=next, <b>; rel=prev", ["a []"]),
    ])
    func `links are read as RFC 8288 has it`(value: String, expected: [String]) {
        #expect(texts([value]) == expected)
    }

    @Test
    func `a line that is malformed does not spoil the others`() {
        #expect(texts(["<a>; rel=next", "broken", "<b>; rel=\"last"]) == ["a [next]", "b [last]"])
    }

    @Test
    func `relations are compared without regard to case`() {
        let link = WebLink(target: "a", relations: ["NEXT"])

        #expect(link.hasRelation("next"))
        #expect(link.hasRelation("Next"))
        #expect(!link.hasRelation("nex"))
    }

    @Test
    func `links are read as they were written`() {
        var generator = SeededGenerator(seed: 10)
        let pieces = ["a", ",", ";", "\"", "\\", "=", "<", "ü", " ", ">"]
        for _ in 0..<500 {
            var written: [String] = []
            var expected: [String] = []
            for number in 0..<Int.random(in: 0...4, using: &generator) {
                let title = (0..<6).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
                let quoted = title.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                written.append("</p?n=\(number)>; title=\"\(quoted)\"; rel=\"next x\(number)\"")
                expected.append("/p?n=\(number) [next,x\(number)] title=\(title)")
            }
            #expect(texts([written.joined(separator: ", ")]) == expected)
            #expect(texts(written) == expected)
        }
    }

    @Test
    func `no text is a problem`() {
        var generator = SeededGenerator(seed: 11)
        let bytes = Array("<>;,=\"\\ rel*'%aü".utf8)
        for _ in 0..<2_000 {
            let text = (0..<24).map { _ in bytes[Int.random(in: 0..<bytes.count, using: &generator)] }
            #expect(WebLink.links(in: [String(decoding: text, as: UTF8.self)]).count <= 24)
        }
    }
}
