// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// Work whose outcome is unknown, in runs that differ from the one that began it.
@Suite(.timeLimit(.minutes(5)))
struct UndecidedWorkTests {
    private struct Lost: Error {}
    private struct Failed: Error {}

    /// Charges a card once; the outcome for one of them never arrives.
    private struct Charge: Job {
        let card: String
        let bank: Recorder<String>

        func run(in context: JobContext) async throws -> String {
            try await context.once { _ in
                bank.record(card)
                if card == "lost" {
                    throw Lost()
                }
                return card
            }
        }
    }

    fileprivate typealias Shape = @Sendable (_ bank: Recorder<String>) -> JobGraph

    /// A graph whose charge is lost, and one that is run with the same journal afterwards.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        fileprivate let first: Shape
        fileprivate let second: Shape
        /// True if the second run meets the work, or has no node for it; otherwise it succeeds without the work.
        var isBlocked = true
        var afterSuccess = RunJournal.AfterSuccess.restart
    }

    /// A node that charges a card.
    private static func node(_ name: String = "charge", input: Int) -> Shape {
        { bank in
            var graph = JobGraph("pay")
            let token = graph.input("token", input)
            graph.job(name, after: token) { _ in Charge(card: "lost", bank: bank) }
            return graph
        }
    }

    /// A loop over cards.
    private static func loop(_ cards: [String], token: Int = 1, name: String = "charge") -> Shape {
        { bank in
            var graph = JobGraph("pay")
            let (cards, token) = (graph.input("cards", cards), graph.input("token", token))
            graph.forEach(name, in: cards, after: token, onFailure: .continue) { card, _ in
                Charge(card: card, bank: bank)
            }
            return graph
        }
    }

    /// A graph inside, with a loop or a node.
    private static func inner(token: Int, name: String = "charge", isLoop: Bool = false) -> Shape {
        { bank in
            var graph = JobGraph("pay")
            graph.subgraph("inner", after: graph.input("token", token)) { inner, _ in
                guard isLoop else {
                    return inner.job(name) { Charge(card: "lost", bank: bank) }
                }
                let cards = inner.input("cards", ["lost"])
                let loop = inner.forEach(name, in: cards) { card in Charge(card: card, bank: bank) }
                return inner.local("first", after: loop) { $0[0] }
            }
            return graph
        }
    }

    /// A compensated node, whose loop ignores the lost charge, and a node that fails.
    private static func compensated(isMended: Bool) -> Shape {
        { bank in
            var graph = JobGraph("pay")
            let cards = graph.input("cards", ["a", "lost"])
            let charges = graph.forEach("charge", in: cards, onFailure: .ignore) { card in
                Charge(card: card, bank: bank)
            }
            graph.undo("refund", of: charges) { _ in }
            graph.local("last", after: charges) { _ in
                if !isMended {
                    throw Failed()
                }
            }
            return graph
        }
    }

    private static let changes = [
        Change(testDescription: "another input", first: node(input: 1), second: node(input: 2)),
        Change(testDescription: "another name", first: node(input: 1), second: node("pay", input: 1)),
        Change(testDescription: "a node less", first: node(input: 1), second: { _ in JobGraph("pay") }),
        Change(
            testDescription: "an input instead",
            first: node(input: 1),
            second: { _ in
                var graph = JobGraph("pay")
                graph.input("charge", "receipt")
                return graph
            }
        ),
        Change(testDescription: "a loop instead", first: node(input: 1), second: loop(["lost"])),
        Change(testDescription: "a node instead of a loop", first: loop(["lost"]), second: node(input: 1)),
        Change(
            testDescription: "an element less",
            first: loop(["a", "lost"]),
            second: loop(["a"]),
            isBlocked: false
        ),
        Change(
            testDescription: "an element less, and results that are kept",
            first: loop(["a", "lost"]),
            second: loop(["a"]),
            isBlocked: false,
            afterSuccess: .keep
        ),
        Change(testDescription: "another place", first: loop(["a", "lost"]), second: loop(["lost", "b"])),
        Change(
            testDescription: "another input of each element",
            first: loop(["lost"]),
            second: loop(["lost"], token: 2)
        ),
        Change(testDescription: "another input of a graph", first: inner(token: 1), second: inner(token: 2)),
        Change(
            testDescription: "another input of a graph with a loop",
            first: inner(token: 1, isLoop: true),
            second: inner(token: 2, isLoop: true)
        ),
        Change(
            testDescription: "another name inside of a graph",
            first: inner(token: 1),
            second: inner(token: 1, name: "pay")
        ),
        Change(
            testDescription: "a compensation around it",
            first: compensated(isMended: false),
            second: compensated(isMended: true),
            isBlocked: false
        ),
    ]

    private let bank = Recorder<String>()
    private let runtime = JobRuntime()

    private var lost: Int { bank.elements.count { $0 == "lost" } }

    private func unresolved() async throws -> UnresolvedWork {
        let list = try await runtime.journals.unresolved(in: "cards")
        #expect(list.count == 1)
        return try #require(list.first)
    }

    @Test(arguments: changes)
    func `it is neither done again nor forgotten, whatever changes`(change: Change) async throws {
        let journal = RunJournal("cards", afterSuccess: change.afterSuccess)
        _ = try await runtime.run(change.first(bank), journal: journal)
        let work = try await unresolved()

        for _ in 0..<2 {
            do {
                let run = try await runtime.run(change.second(bank), journal: journal)
                #expect(run.isSuccess == !change.isBlocked)
            } catch let error as JobGraphError {
                #expect(change.isBlocked && error.code == .unknownOutcome)
                #expect(error.message.contains(work.idempotencyKey ?? "none"))
            }
            #expect(try await unresolved().idempotencyKey == work.idempotencyKey)
            #expect(lost == 1)
        }

        try await runtime.journals.markDone(try await unresolved(), with: "found", in: journal)
        _ = try await runtime.run(change.first(bank), journal: journal)
        #expect(lost == 1)
        #expect(try await runtime.journals.unresolved(in: "cards").isEmpty)
        #expect(try await runtime.journals.decided(in: "cards").isEmpty)
    }

    @Test
    func `the node that meets it fails with its name and its key`() async throws {
        _ = try await runtime.run(Self.node(input: 1)(bank), journal: "cards")
        let run = try await runtime.run(Self.node(input: 2)(bank), journal: "cards")

        let error = try #require(run.node("charge")?.error as? JobGraphError)
        #expect(error.code == .unknownOutcome)
        #expect(error.message.contains("'charge'"))
        #expect(error.message.contains(try await unresolved().idempotencyKey ?? "none"))
    }

    @Test
    func `work that was marked as not done is done once, also with other inputs`() async throws {
        _ = try await runtime.run(Self.node(input: 1)(bank), journal: "cards")
        try await runtime.journals.markNotDone(try await unresolved())
        _ = try await runtime.run(Self.node(input: 2)(bank), journal: "cards")
        #expect(lost == 2)
        _ = try await runtime.run(Self.node(input: 3)(bank), journal: "cards")
        #expect(lost == 2)
    }

    @Test
    func `a decision about an element of a loop that had ended counts`() async throws {
        func graph(isMended: Bool) -> (JobGraph, JobHandle<[String]>) {
            var graph = JobGraph("pay")
            let cards = graph.input("cards", ["a", "lost"])
            let loop = graph.forEach("charge", in: cards, onFailure: .ignore) { [bank] in Charge(card: $0, bank: bank) }
            graph.local("last", after: loop) { _ in
                if !isMended {
                    throw Failed()
                }
            }
            return (graph, loop)
        }
        _ = try await runtime.run(graph(isMended: false).0, journal: "cards")
        try await runtime.journals.markDone(try await unresolved(), with: "found", in: "cards")

        let (mended, loop) = graph(isMended: true)
        #expect(try await runtime.run(mended, journal: "cards")[loop] == ["a", "found"])
        #expect(bank.elements.sorted() == ["a", "lost"])
    }

    @Test
    func `a journal is not dropped, replaced or forked without it`() async throws {
        var pay = JobGraph("pay")
        let token = pay.input("token", 1)
        let first = pay.local("first", after: token) { $0 }
        pay.job("charge", after: first) { [bank] _ in Charge(card: "lost", bank: bank) }
        let graph = pay
        _ = try await runtime.run(graph, journal: "cards")
        let work = try await unresolved()
        try await runtime.journals.fork("cards", as: "copy", of: graph, from: first)

        let dropped = await #expect(throws: JobGraphError.self) { try await runtime.journals.drop("cards") }
        #expect(dropped?.code == .unknownOutcome)
        #expect(dropped?.message.contains(work.idempotencyKey ?? "none") == true)
        await #expect(throws: JobGraphError.self) {
            try await runtime.journals.fork("cards", as: "copy", of: graph, from: first)
        }
        #expect(try await runtime.journals.unresolved(in: "copy").map(\.idempotencyKey) == [work.idempotencyKey])
        let run = try await runtime.run(graph, journal: "copy")
        #expect((run.node("charge")?.error as? JobGraphError)?.code == .unknownOutcome)
        #expect(lost == 1)
        try await runtime.journals.drop("cards", abandoningUnresolved: true)
        #expect(try await runtime.journals.list().map(\.name) == ["copy"])
    }

    @Test(arguments: [false, true])
    func `a node that the run ignores asks for the decision about what is inside of it`(isLoop: Bool) async throws {
        func graph() -> JobGraph {
            var graph = JobGraph("pay")
            if isLoop {
                let cards = graph.input("cards", ["a", "lost"])
                graph.forEach("node", in: cards, onFailure: .continue, options: [.onFailure(.ignore)]) { [bank] card in
                    Charge(card: card, bank: bank)
                }
            } else {
                let token = graph.input("token", 1)
                graph.subgraph("node", after: token, options: [.onFailure(.ignore)]) { [bank] inner, _ in
                    let charge = inner.job("charge") { Charge(card: "lost", bank: bank) }
                    return charge
                }
            }
            return graph
        }
        #expect(try await runtime.run(graph(), journal: "cards").isSuccess)
        let key = try await unresolved().idempotencyKey
        for _ in 0..<2 {
            let run = try await runtime.run(graph(), journal: "cards")
            #expect(run.isSuccess && run.isStored)
            #expect(run.code(of: "node") == .unknownOutcome)
            #expect(lost == 1)
        }

        _ = try await runtime.run(graph(), journal: RunJournal("cards", unknownOutcome: .repeatWithSameKey))
        #expect(lost == 2)
        #expect(try await unresolved().idempotencyKey == key)

        try await runtime.journals.markDone(try await unresolved(), with: "found", in: "cards")
        let run = try await runtime.run(graph(), journal: "cards")
        #expect(run.statuses == [.success, .success])
        #expect(!run.isStored)
        #expect(try await runtime.run(graph(), journal: "cards").isStored)
        #expect(bank.elements.count { $0 == "a" } == (isLoop ? 1 : 0))
        #expect(lost == 2)
    }

    @Test
    func `a decision counts for a node of that name, as the error of a renamed one says`() async throws {
        _ = try await runtime.run(Self.node(input: 1)(bank), journal: "cards")
        let renamed = Self.node("pay", input: 1)(bank)
        let error = await #expect(throws: JobGraphError.self) { try await runtime.run(renamed, journal: "cards") }
        #expect(error?.message.contains("work of 'charge'") == true)
        #expect(error?.message.contains("one of another name would do the work again") == true)

        try await runtime.journals.markDone(try await unresolved(), with: "found", in: "cards")
        _ = try await runtime.run(renamed, journal: "cards")
        #expect(lost == 2)
        #expect(try await unresolved().name == "pay")
        #expect(try await runtime.journals.decided(in: "cards").map(\.name) == ["charge"])
    }

    @Test
    func `the policies of a run decide about it too`() async throws {
        _ = try await runtime.run(Self.node(input: 1)(bank), journal: "cards")
        _ = try await runtime.run(
            Self.node(input: 2)(bank),
            journal: RunJournal("cards", unknownOutcome: .repeatWithSameKey)
        )
        #expect(lost == 2)
        let key = try await unresolved().idempotencyKey
        #expect(key != nil)
        let other = RunJournal("cards", unknownOutcome: .treatAsDone)
        #expect(try await runtime.run(JobGraph("pay"), journal: other).isSuccess)
        #expect(try await unresolved().idempotencyKey == key)
    }
}
