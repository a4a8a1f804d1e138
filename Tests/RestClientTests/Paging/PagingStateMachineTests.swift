// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite
struct PagingStateMachineTests {
    private struct Cut: Error {}

    private typealias Machine = PagingStateMachine<String>

    private func text(_ step: Machine.Step) -> String {
        switch step {
        case .load(let load): "load \(load.position)"
        case .deliver(let page, let ahead): "deliver \(page)" + (ahead.map { ", load \($0.position)" } ?? "")
        case .wait(let load): "wait \(load.position)"
        case .busy: "busy"
        case .end(let reason): "end \(reason)"
        case .fail(let error): "fail \(error.code)"
        }
    }

    private func text(_ outcome: Machine.Outcome) -> String {
        switch outcome {
        case .deliver(let page, let ahead): "deliver \(page)" + (ahead.map { ", load \($0.position)" } ?? "")
        case .fail(let error): "fail \((error as? RestClientError)?.code.description ?? "\(type(of: error))")"
        case .goOn(let load): "go on \(load.position)"
        case .end: "end"
        case .none: "none"
        }
    }

    /// Asks for the next page, which must have to be loaded.
    private func load(_ machine: inout Machine) throws -> Machine.Load {
        guard case .load(let load) = machine.moveNext() else {
            Issue.record("nothing is loaded")
            throw Cut()
        }
        return load
    }

    @Test
    func `pages come one after the other, and the listing ends`() throws {
        var machine = Machine(.offset())

        var page = try load(&machine)
        #expect(page.position == .offset(0))
        #expect(text(machine.loaded("a", PageFacts(itemCount: 3), for: page)) == "deliver a")
        page = try load(&machine)
        #expect(page.position == .offset(3))
        #expect(text(machine.loaded("b", PageFacts(itemCount: 0), for: page)) == "deliver b")

        #expect(!machine.canMoveNext)
        #expect(text(machine.moveNext()) == "end lastPage")
        #expect(machine.state == PagingState(position: nil, pageCount: 2, itemCount: 3))
    }

    /// Regression 23 of the forerunners: two calls at once loaded a page twice.
    @Test
    func `one page is loaded at a time`() throws {
        var machine = Machine(.number())
        let page = try load(&machine)

        #expect(text(machine.moveNext()) == "busy")
        #expect(text(machine.moveNext()) == "busy")
        #expect(machine.isLoading)
        #expect(text(machine.loaded("a", PageFacts(itemCount: 1), for: page)) == "deliver a")
        #expect(!machine.isLoading)
    }

    /// Regression 23 of the forerunners: an error ended the listing for good.
    @Test
    func `a failure keeps the position, and the listing can continue`() throws {
        var machine = Machine(.number())
        let first = try load(&machine)
        _ = machine.loaded("a", PageFacts(itemCount: 1), for: first)
        let second = try load(&machine)

        #expect(text(machine.failed(Cut(), for: second)) == "fail Cut")

        #expect(machine.canMoveNext)
        #expect(machine.state.position == .number(2))
        #expect(try load(&machine).position == .number(2))
    }

    /// Regression 23 of the forerunners: a reset did not help after an error.
    @Test
    func `a reset begins again, after an error, at the end and during a load`() throws {
        var machine = Machine(.number())
        let failed = try load(&machine)
        _ = machine.failed(Cut(), for: failed)
        #expect(try machine.reset() == nil)
        let last = try load(&machine)
        _ = machine.loaded("a", PageFacts(itemCount: 0), for: last)
        #expect(!machine.canMoveNext)

        try machine.reset()
        #expect(machine.canMoveNext)
        let running = try load(&machine)
        #expect(try machine.restore(PagingState(position: .number(7))) == running)
        let other = try load(&machine)

        #expect(other.position == .number(7))
        #expect(text(machine.loaded("late", PageFacts(itemCount: 1), for: running)) == "none")
        #expect(text(machine.failed(Cut(), for: running)) == "none")
        #expect(text(machine.loaded("b", PageFacts(itemCount: 1), for: other)) == "deliver b")
        #expect(machine.state == PagingState(position: .number(8), pageCount: 1, itemCount: 1))
    }

    @Test(arguments: [PagePosition.offset(3), .cursor("a"), .url("https://a"), .start, .number(-1)])
    func `a position of another kind of paging is an error and changes nothing`(position: PagePosition) throws {
        var machine = Machine(.number())
        let page = try load(&machine)

        let error = #expect(throws: RestClientError.self) { try machine.restore(PagingState(position: position)) }

        #expect(error?.code == .invalidPage)
        #expect(text(machine.loaded("a", PageFacts(itemCount: 1), for: page)) == "deliver a")
        #expect(throws: RestClientError.self) { try Machine(.number(), state: PagingState(position: position)) }
    }

    @Test
    func `the listing ends at the limit of pages, without an error`() throws {
        var machine = Machine(.number().limit(2).prefetching())
        let first = try load(&machine)
        guard case .deliver("a", let ahead?) = machine.loaded("a", PageFacts(itemCount: 1), for: first) else {
            Issue.record("nothing is loaded ahead")
            return
        }
        _ = machine.loaded("b", PageFacts(itemCount: 1), for: ahead)

        #expect(text(machine.moveNext()) == "deliver b")
        #expect(!machine.canMoveNext)
        #expect(text(machine.moveNext()) == "end limit")
        #expect(machine.state.position == .number(3))
        var none = Machine(.number().limit(0))
        #expect(text(none.moveNext()) == "end limit")
    }

    // MARK: - Ahead

    @Test
    func `the next page is loaded ahead and delivered at once`() throws {
        var machine = Machine(.number().prefetching())
        let first = try load(&machine)
        guard case .deliver("a", let second?) = machine.loaded("a", PageFacts(itemCount: 1), for: first) else {
            Issue.record("nothing is loaded ahead")
            return
        }

        #expect(second.position == .number(2))
        #expect(!machine.isLoading)
        #expect(machine.state.position == .number(2))
        #expect(text(machine.loaded("b", PageFacts(itemCount: 1), for: second)) == "none")
        #expect(machine.state == PagingState(position: .number(2), pageCount: 1, itemCount: 1))
        #expect(text(machine.moveNext()) == "deliver b, load number(3)")
        #expect(machine.state == PagingState(position: .number(3), pageCount: 2, itemCount: 2))
    }

    @Test
    func `a page that is being loaded ahead is waited for`() throws {
        var machine = Machine(.number().prefetching())
        let first = try load(&machine)
        guard case .deliver(_, let second?) = machine.loaded("a", PageFacts(itemCount: 1), for: first) else {
            Issue.record("nothing is loaded ahead")
            return
        }

        #expect(text(machine.moveNext()) == "wait number(2)")
        #expect(text(machine.moveNext()) == "busy")
        #expect(text(machine.loaded("b", PageFacts(itemCount: 0), for: second)) == "deliver b")
    }

    @Test
    func `a failed prefetch is silent, and the page is loaded again when it is requested`() throws {
        var machine = Machine(.number().prefetching())
        let first = try load(&machine)
        guard case .deliver(_, let second?) = machine.loaded("a", PageFacts(itemCount: 1), for: first) else {
            Issue.record("nothing is loaded ahead")
            return
        }

        #expect(text(machine.failed(Cut(), for: second)) == "none")

        #expect(try load(&machine).position == .number(2))
    }

    @Test
    func `a failed prefetch fails a waiting caller`() throws {
        var machine = Machine(.number().prefetching())
        let first = try load(&machine)
        guard case .deliver(_, let second?) = machine.loaded("a", PageFacts(itemCount: 1), for: first) else {
            Issue.record("nothing is loaded ahead")
            return
        }
        _ = machine.moveNext()

        #expect(text(machine.failed(Cut(), for: second)) == "fail Cut")
    }

    @Test
    func `a page is awaited from its request until it arrives, whoever wants it`() throws {
        var machine = Machine(.number().prefetching())
        let first = try load(&machine)
        #expect(machine.isAwaiting(first))
        guard case .deliver(_, let second?) = machine.loaded("a", PageFacts(itemCount: 1), for: first) else {
            Issue.record("nothing is loaded ahead")
            return
        }

        #expect(!machine.isAwaiting(first))
        #expect(machine.isAwaiting(second))
        _ = machine.loaded("b", PageFacts(itemCount: 1), for: second)
        #expect(!machine.isAwaiting(second))
    }

    @Test
    func `a page whose caller has left is kept for the next one`() throws {
        var machine = Machine(.number().prefetching())
        let first = try load(&machine)
        guard case .deliver(_, let second?) = machine.loaded("a", PageFacts(itemCount: 1), for: first) else {
            Issue.record("nothing is loaded ahead")
            return
        }
        #expect(text(machine.moveNext()) == "wait number(2)")
        #expect(machine.isLoading)

        machine.left(first)
        #expect(machine.isLoading)
        machine.left(second)
        #expect(!machine.isLoading)
        #expect(text(machine.loaded("b", PageFacts(itemCount: 0), for: second)) == "none")
        #expect(text(machine.moveNext()) == "deliver b")
    }

    @Test
    func `a load goes on behind a response without content, for who waits for it`() throws {
        var machine = Machine(.link.prefetching())
        let first = try load(&machine)
        guard
            case .deliver(_, let second?) = machine.loaded(
                "a",
                PageFacts(itemCount: 1, next: "https://a/2"),
                for: first
            )
        else {
            Issue.record("nothing is loaded ahead")
            return
        }
        guard case .goOn(let third) = machine.passedOver(PageFacts(itemCount: 0, next: "https://a/3"), for: second)
        else {
            Issue.record("the load does not go on")
            return
        }

        #expect(third.position == .url("https://a/3"))
        #expect(third == second)
        #expect(machine.isAwaiting(second))
        guard case .wait(third) = machine.moveNext() else {
            Issue.record("the page is not waited for")
            return
        }
        #expect(text(machine.loaded("c", PageFacts(itemCount: 1), for: third)) == "deliver c")
        #expect(machine.state == PagingState(position: nil, pageCount: 3, itemCount: 2))
    }

    // MARK: - Servers that repeat themselves

    @Test(arguments: [false, true], [1, 2])
    func `a server that ignores the parameter of the page is found out by the same page`(
        prefetches: Bool,
        itemCount: Int
    ) throws {
        var machine = Machine(.number().prefetching(prefetches))
        let first = try load(&machine)
        let facts = PageFacts(itemCount: itemCount, digest: 17)
        let outcome = machine.loaded("a", facts, for: first)
        if case .deliver(_, let ahead?) = outcome {
            #expect(text(machine.loaded("a", facts, for: ahead)) == "none")
        } else {
            let second = try load(&machine)
            let repeated = machine.loaded("a", facts, for: second)
            #expect(text(repeated) == "fail pageRepeated")
        }

        #expect(machine.canMoveNext == prefetches)
        #expect(text(machine.moveNext()) == "fail pageRepeated")
        #expect(!machine.canMoveNext)
        #expect(machine.state == PagingState(position: .number(2), pageCount: 1, itemCount: itemCount))
        try machine.reset()
        #expect(machine.canMoveNext)
    }

    @Test
    func `two empty pages with the same bytes are not a repetition`() throws {
        var machine = Machine(.cursor())
        for cursor in ["a", "b", nil] {
            let page = try load(&machine)
            let facts = PageFacts(itemCount: 0, next: cursor, digest: 17)
            #expect(text(machine.loaded("p", facts, for: page)) == "deliver p")
        }
        #expect(text(machine.moveNext()) == "end lastPage")
    }

    @Test(arguments: [
        ["a", "a"], ["a", "b", "a"], ["a", "b", "c", "b"],
    ])
    func `cursors that form a cycle are an error after the last page, which is delivered`(cursors: [String]) throws {
        var machine = Machine(.cursor())
        for (number, cursor) in cursors.enumerated() {
            let page = try load(&machine)
            let facts = PageFacts(itemCount: 1, next: cursor, digest: number)
            #expect(text(machine.loaded("p\(number)", facts, for: page)) == "deliver p\(number)")
        }

        #expect(machine.canMoveNext)
        #expect(text(machine.moveNext()) == "fail pageRepeated")
        #expect(!machine.canMoveNext)
        #expect(text(machine.moveNext()) == "fail pageRepeated")
        #expect(machine.state.pageCount == cursors.count)
    }

    @Test
    func `a reset forgets the cursors that led here`() throws {
        var machine = Machine(.cursor())
        for _ in 0..<3 {
            try machine.reset()
            let page = try load(&machine)
            _ = machine.loaded("p", PageFacts(itemCount: 1, next: "a", digest: 1), for: page)
            #expect(try load(&machine).position == .cursor("a"))
        }
        try machine.restore(PagingState(position: .cursor("a")))
        let page = try load(&machine)
        _ = machine.loaded("p", PageFacts(itemCount: 1, next: "a", digest: 1), for: page)
        #expect(text(machine.moveNext()) == "fail pageRepeated")
    }

    @Test
    func `after a reset, an error is reported once more`() throws {
        var machine = Machine(.cursor())
        for _ in 0..<2 {
            for _ in 0..<2 {
                let page = try load(&machine)
                _ = machine.loaded("p", PageFacts(itemCount: 1, next: "a"), for: page)
            }
            #expect(machine.canMoveNext)
            #expect(text(machine.moveNext()) == "fail pageRepeated")
            #expect(!machine.canMoveNext)
            try machine.reset()
        }
    }

    @Test
    func `a page that names itself as the next one is delivered once`() throws {
        var machine = Machine(.link)
        let page = try load(&machine)
        let facts = PageFacts(itemCount: 1, next: "https://a/items", url: "https://a/items")

        #expect(text(machine.loaded("a", facts, for: page)) == "deliver a")
        #expect(text(machine.moveNext()) == "fail pageRepeated")
    }

    // MARK: - Keeping the state

    @Test(
        arguments: [
            (PageScheme.offset(), PagePosition.offset(7)), (.number(), .number(3)), (.cursor(), .cursor("ü/&")),
            (.link, .start),
            (.nextURL, .url("https://a/2?x=1")), (.cursor(), nil),
        ] as [(PageScheme, PagePosition?)]
    )
    func `a state survives being written and read`(rule: PageScheme, position: PagePosition?) throws {
        let state = PagingState(position: position, pageCount: 2, itemCount: 7)

        let read = try JSONDecoder().decode(PagingState.self, from: JSONEncoder().encode(state))
        var machine = try Machine(rule, state: read)

        #expect(machine.state == state)
        #expect(machine.canMoveNext == (position != nil))
        #expect(text(machine.moveNext()) == (position.map { "load \($0)" } ?? "end lastPage"))
    }

    @Test
    func `a state with absurd numbers does not trap`() throws {
        for rule in [PageScheme.number().size(.max, as: "n"), .offset().size(.max, as: "n")] {
            let position: PagePosition = rule == .offset().size(.max, as: "n") ? .offset(.max) : .number(.max)
            var machine = try Machine(rule, state: PagingState(position: position, pageCount: .max, itemCount: .max))
            let page = try load(&machine)

            #expect(text(machine.loaded("a", PageFacts(itemCount: .max, total: .max), for: page)) == "deliver a")
            #expect(text(machine.moveNext()) == "end lastPage")
            #expect(machine.state == PagingState(position: nil, pageCount: .max, itemCount: .max))
        }
    }

    @Test(arguments: [
        (PagePosition.start, #"{"start":true}"#), (.offset(7), #"{"offset":7}"#), (.number(1), #"{"number":1}"#),
        (.cursor("a"), #"{"cursor":"a"}"#),
    ])
    func `a position is written plainly, for other versions to read`(position: PagePosition, text: String) throws {
        #expect(String(decoding: try JSONEncoder().encode(position), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(PagePosition.self, from: Data(text.utf8)) == position)
    }

    @Test(arguments: ["{}", #"{"page":1}"#, #"{"offset":"a"}"#, #"{"offset":1,"number":2}"#, "7"])
    func `an invalid position cannot be decoded`(text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(PagePosition.self, from: Data(text.utf8)) }
    }

    @Test
    func `a search in between leaves the listing where it was`() throws {
        var machine = Machine(.number().prefetching())
        let first = try load(&machine)
        _ = machine.loaded("a", PageFacts(itemCount: 1), for: first)
        let kept = machine.state

        let cancelled = try machine.restore(PagingState(position: .number(1)))
        #expect(cancelled?.position == .number(2))
        let found = try load(&machine)
        _ = machine.loaded("found", PageFacts(itemCount: 0), for: found)
        try machine.restore(kept)

        #expect(try load(&machine).position == .number(2))
        #expect(machine.state.itemCount == 1)
    }

    // MARK: - Anything that may happen

    @Test(arguments: [false, true])
    func `every item is delivered once and in order, despite failures in between`(prefetches: Bool) throws {
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<300 {
            let total = Int.random(in: 0...25, using: &generator)
            let size = Int.random(in: 1...6, using: &generator)
            let rule = PageScheme.offset().size(size, as: "n").prefetching(prefetches)
            var machine = PagingStateMachine<[Int]>(rule)
            var received: [Int] = []
            var open: [PagingStateMachine<[Int]>.Load] = []
            var hasEnded = false
            var steps = 0
            while !hasEnded {
                steps += 1
                try #require(steps < 5_000)
                if Int.random(in: 0..<3, using: &generator) == 0, !open.isEmpty {
                    let load = open.removeLast()
                    let outcome: PagingStateMachine<[Int]>.Outcome
                    if Int.random(in: 0..<4, using: &generator) == 0 {
                        outcome = machine.failed(Cut(), for: load)
                    } else if case .offset(let start) = load.position {
                        let items = Array(start..<max(start, min(start + size, total)))
                        outcome = machine.loaded(
                            items,
                            PageFacts(itemCount: items.count, digest: items.hashValue),
                            for: load
                        )
                    } else {
                        outcome = .none
                    }
                    if case .deliver(let items, let ahead) = outcome {
                        received += items
                        open += ahead.map { [$0] } ?? []
                    }
                } else if Int.random(in: 0..<12, using: &generator) == 0 {
                    // A new start of the process in between.
                    let kept = try JSONEncoder().encode(machine.state)
                    machine = try PagingStateMachine(rule, state: JSONDecoder().decode(PagingState.self, from: kept))
                    open = []
                } else {
                    switch machine.moveNext() {
                    case .load(let load): open.append(load)
                    case .deliver(let items, let ahead):
                        received += items
                        open += ahead.map { [$0] } ?? []
                    case .wait, .busy: break
                    case .end: hasEnded = true
                    case .fail(let error): throw error
                    }
                }
                #expect(open.count <= 1)
                #expect(machine.state.itemCount == received.count)
            }
            #expect(received == Array(0..<total))
        }
    }
}
