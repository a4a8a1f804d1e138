// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct PageSchemeTests {
    private func text(_ position: PagePosition?) -> String {
        switch position {
        case nil: "end"
        case .start?: "start"
        case .offset(let number)?: "offset \(number)"
        case .number(let number)?: "page \(number)"
        case .cursor(let text)?: "cursor \(text)"
        case .url(let text)?: "url \(text)"
        }
    }

    @Test(arguments: [
        (PageScheme.offset(), PagePosition.offset(0), PageFacts(itemCount: 10), "offset 10"),
        (.offset(), .offset(10), PageFacts(itemCount: 7), "offset 17"),
        (.offset(), .offset(10), PageFacts(itemCount: 0), "end"),
        (.offset(), .offset(10), PageFacts(itemCount: -1), "end"),
        (.offset(), .offset(10), PageFacts(itemCount: 1), "offset 11"),
        (.offset().size(10, as: "limit"), .offset(0), PageFacts(itemCount: 10), "offset 10"),
        (.offset().size(10, as: "limit"), .offset(0), PageFacts(itemCount: 9), "end"),
        (.offset().size(10, as: "limit"), .offset(0), PageFacts(itemCount: 11), "offset 11"),
        (.offset().size(10, as: "limit").continuingAfterShortPages(), .offset(0), PageFacts(itemCount: 9), "offset 9"),
        (.offset().size(10, as: "limit"), .offset(0), PageFacts(itemCount: 9, isLast: false), "offset 9"),
        (.offset().size(10, as: "limit"), .offset(0), PageFacts(itemCount: 9, total: 30), "offset 9"),
        (.offset().size(10, as: "limit"), .offset(20), PageFacts(itemCount: 10, total: 30), "end"),
        (.offset(first: 1), .offset(21), PageFacts(itemCount: 10, total: 30), "end"),
        (.offset(), .offset(0), PageFacts(itemCount: 10, isLast: true), "end"),
        (.offset(), .offset(.max - 1), PageFacts(itemCount: 10), "end"),
        (.number(), .number(1), PageFacts(itemCount: 10), "page 2"),
        (.number(first: 0), .number(0), PageFacts(itemCount: 10), "page 1"),
        (.number(), .number(3), PageFacts(itemCount: 0), "end"),
        (.number().size(10, as: "per_page"), .number(3), PageFacts(itemCount: 9), "end"),
        (.number().size(10, as: "per_page"), .number(3), PageFacts(itemCount: 10, total: 30), "end"),
        (.number().size(10, as: "per_page"), .number(2), PageFacts(itemCount: 10, total: 30), "page 3"),
        (.number(), .number(2), PageFacts(itemCount: 10, total: 5), "page 3"),
        (.number(), .number(.max), PageFacts(itemCount: 10), "end"),
        (.number().size(1, as: "n"), .number(.max - 1), PageFacts(itemCount: 10, total: 30), "page \(Int.max)"),
        (.number().size(10, as: "n"), .number(3), PageFacts(itemCount: 10, total: 31), "page 4"),
        (.number(first: 0).size(10, as: "n"), .number(2), PageFacts(itemCount: 10, total: 30), "end"),
        (.number().size(.max, as: "n"), .number(7), PageFacts(itemCount: 1, total: 9), "end"),
        (.number(first: .min).size(1, as: "n"), .number(7), PageFacts(itemCount: 1, total: 1), "page 8"),
        (.number(first: .min), .number(7), PageFacts(itemCount: 10, total: 30), "page 8"),
        (.offset(first: .min), .offset(7), PageFacts(itemCount: 10), "offset 17"),
        (
            .number().size(.max, as: "n").continuingAfterShortPages(), .number(7), PageFacts(itemCount: 1, total: 9),
            "page 8"
        ),
        (.cursor(), .start, PageFacts(itemCount: 10, next: "abc"), "cursor abc"),
        (.cursor(), .cursor("abc"), PageFacts(itemCount: 0, next: "d"), "cursor d"),
        (.cursor().size(10, as: "n"), .cursor("abc"), PageFacts(itemCount: 3, next: "d"), "cursor d"),
        (.cursor(), .cursor("abc"), PageFacts(itemCount: 10), "end"),
        (.cursor(), .cursor("abc"), PageFacts(itemCount: 10, next: ""), "end"),
        (.cursor(), .cursor("abc"), PageFacts(itemCount: 10, next: "d", isLast: true), "end"),
        (.link, .start, PageFacts(itemCount: 10, next: "https://a/2"), "url https://a/2"),
        (.link, .url("https://a/2"), PageFacts(itemCount: 10), "end"),
        (.nextURL, .url("https://a/2"), PageFacts(itemCount: 0, next: "https://a/3"), "url https://a/3"),
        (.nextURL, .start, PageFacts(itemCount: 10, next: ""), "end"),
    ])
    func `the next position follows from the page`(
        rule: PageScheme,
        position: PagePosition,
        facts: PageFacts,
        expected: String
    ) {
        #expect(text(rule.position(after: position, facts)) == expected)
    }

    @Test(
        arguments: [
            (.offset(), [.offset(0), .offset(7)], [.offset(-1), .number(1), .start, .cursor("a")]),
            (.number(), [.number(0), .number(7)], [.number(-1), .offset(1), .start, .url("a")]),
            (.cursor(), [.start, .cursor("a")], [.cursor(""), .number(1), .url("a")]),
            (.link, [.start, .url("a")], [.url(""), .offset(1), .cursor("a")]),
            (.nextURL, [.start, .url("a")], [.url(""), .offset(1), .cursor("a")]),
        ] as [(PageScheme, [PagePosition], [PagePosition])]
    )
    func `a kind of paging uses its own positions`(rule: PageScheme, own: [PagePosition], others: [PagePosition]) {
        #expect(own.allSatisfy { rule.accepts($0) })
        #expect(!others.contains { rule.accepts($0) })
    }

    @Test(arguments: [(-1, 1, 0), (0, 1, 0), (1, 1, 1), (2, 2, 2)])
    func `a page has one item at least, and a listing may have no page`(number: Int, size: Int, limit: Int) {
        let rule = PageRule<[Int]>.number().size(number, as: "n").limit(number)

        #expect(rule.scheme.size == size)
        #expect(rule.scheme.pageLimit == limit)
        #expect(rule.limit(nil).scheme.pageLimit == nil)
    }

    @Test
    func `a rule ends with a short page and loads nothing ahead, unless told otherwise`() {
        let rule = PageRule<[Int]>.number()

        #expect(rule.scheme.endsWithShortPage && !rule.scheme.prefetches)
        #expect(!rule.continuingAfterShortPages().scheme.endsWithShortPage)
        #expect(rule.prefetching().scheme.prefetches)
    }

    @Test(arguments: [
        (PageScheme.offset().size(5, as: "limit"), PagePosition.offset(10), ["offset=10", "limit=5"]),
        (.number("p"), .number(1), ["p=1"]), (.cursor("after").size(5, as: "n"), .start, ["n=5"]),
        (.cursor("after").size(5, as: "n"), .cursor("a&b"), ["after=a&b", "n=5"]),
        (.link.size(5, as: "n"), .start, ["n=5"]),
        (.link.size(5, as: "n"), .url("https://a/2"), []), (.nextURL, .start, []),
    ])
    func `a page is requested with query items, one at a URL without any`(
        rule: PageScheme,
        position: PagePosition,
        expected: [String]
    ) {
        #expect(rule.parameters(for: position).map { "\($0.name)=\($0.value)" } == expected)
    }
}
