// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import Testing

@testable import JobGraphs

/// Journals of runs that have succeeded, and journals that belong to another graph or do not exist.
@Suite(.timeLimit(.minutes(5)))
struct KeptRunTests {
    private struct Failed: Error {}

    private let ran = Recorder<String>()
    private let runtime = JobRuntime()

    /// A node with a result, one that fails without harm, one that is skipped, and a sum of the first.
    private func graph(_ name: String = "nightly", input: Int = 1) -> (graph: JobGraph, sum: JobHandle<Int>) {
        var graph = JobGraph(name)
        let number = graph.input("number", input)
        let first = graph.local("first", after: number) { [ran] number in
            ran.record("first")
            return number + 1
        }
        let harmless = graph.local("harmless", options: [.onFailure(.ignore)]) { [ran] () throws -> Int in
            ran.record("harmless")
            throw Failed()
        }
        graph.local("needless", after: harmless) { [ran] _ in ran.record("needless") }
        let sum = graph.local("sum", after: first) { [ran] number in
            ran.record("sum")
            return number + 1
        }
        return (graph, sum)
    }

    @Test
    func `a run that succeeded is returned, and does nothing again`() async throws {
        let first = try await runtime.run(graph().graph, journal: "nightly")
        #expect(first.isSuccess && !first.isStored)
        #expect(ran.removeAll().sorted() == ["first", "harmless", "sum"])

        for _ in 0..<3 {
            let (graph, sum) = graph()
            let run = try await runtime.run(graph, journal: "nightly")
            #expect(run.isStored)
            #expect(run.statuses == [.success, .resumed, .failure, .skipped, .resumed])
            #expect(try run[sum] == 3)
            let error = try #require(run.node("harmless")?.error as? JobGraphError)
            #expect(error.code == .earlierFailure)
            #expect(error.message.contains("Failed"))
            #expect(error.message.count < 120)
            #expect("\(run)".contains("stored"))
            #expect(ran.elements.isEmpty)
        }
        #expect(try await runtime.journals.list().map(\.status) == [.succeeded])
    }

    @Test
    func `a run that succeeded is done again if the journal says so`() async throws {
        let journal = RunJournal("nightly", afterSuccess: .restart)
        for _ in 0..<2 {
            let run = try await runtime.run(graph().graph, journal: journal)
            #expect(run.isSuccess && !run.isStored)
            #expect(ran.removeAll().sorted() == ["first", "harmless", "sum"])
        }
    }

    @Test
    func `what has other inputs, or was added, is done`() async throws {
        _ = try await runtime.run(graph().graph, journal: "nightly")
        ran.removeAll()
        let other = try await runtime.run(graph(input: 2).graph, journal: "nightly")
        #expect(!other.isStored)
        #expect(ran.removeAll() == ["first", "sum"])

        var (added, sum) = graph(input: 2)
        added.local("added", after: sum) { [ran] _ in ran.record("added") }
        #expect(try await runtime.run(added, journal: "nightly").isStored == false)
        #expect(ran.elements == ["added"])
    }

    // MARK: - Nodes without results

    /// The ways in which a node of a run that succeeds is cancelled.
    enum Cancelling: CaseIterable {
        case byItself, whileItRuns, beforeItRuns
    }

    @Test(arguments: Cancelling.allCases)
    func `an ignored node that was cancelled was not done, so the next run does it`(
        cancelling: Cancelling
    ) async throws {
        let gate = Gate()
        func graph(isMended: Bool) -> (JobGraph, JobHandle<Int>) {
            var graph = JobGraph("nightly")
            let first = graph.local("first") {
                if cancelling == .beforeItRuns {
                    try await gate.wait()
                }
                return 1
            }
            let node = graph.local("node", after: first, options: [.onFailure(.ignore)]) { number async throws -> Int in
                if !isMended, cancelling == .byItself {
                    throw CancellationError()
                }
                if !isMended {
                    try await gate.wait()
                }
                return number + 1
            }
            return (graph, node)
        }
        let (nightly, node) = graph(isMended: false)
        let execution = try await runtime.start(nightly, journal: "nightly")
        if cancelling != .byItself {
            try await gate.waitForWaiters(count: 1)
            execution.cancel(node)
        }
        if cancelling == .beforeItRuns {
            gate.open()
        }
        let run = await execution.finished()
        #expect(run.isSuccess)
        #expect(run.statuses == [.success, .cancelled])
        #expect(try await runtime.journals.list().map(\.finishedNodes) == [["first"]])

        let (mended, result) = graph(isMended: true)
        let next = try await runtime.run(mended, journal: "nightly")
        #expect(next.statuses == [.resumed, .success])
        #expect(try next[result] == 2)
        #expect(!next.isStored)
        #expect(try await runtime.run(mended, journal: "nightly").isStored)
    }

    @Test
    func `an ignored node that did too long is not done again, and a run that does something is not stored`()
        async throws
    {
        let (gate, clock) = (Gate(), ManualClock())
        let runtime = JobRuntime(clock: clock)
        var graph = JobGraph("nightly")
        graph.local("slow", options: [.onFailure(.ignore), .timeout(.seconds(5))]) { [ran] in
            ran.record("slow")
            try await gate.wait()
        }
        let execution = try await runtime.start(graph, journal: "nightly")
        try await gate.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(5))
        let first = await execution.finished()
        #expect(first.isSuccess)
        #expect(first.code(of: "slow") == .timeout)

        let next = try await runtime.run(graph, journal: "nightly")
        #expect(next.isStored)
        #expect(next.code(of: "slow") == .earlierFailure)
        let error = try #require(next.node("slow")?.error as? JobGraphError)
        #expect(error.message.contains("did not end within"))
        #expect(ran.removeAll() == ["slow"])

        graph.local("added", options: [.onFailure(.ignore)]) { () throws -> Int in throw Failed() }
        #expect(try await runtime.run(graph, journal: "nightly").isStored == false)
        #expect(try await runtime.run(graph, journal: "nightly").isStored)
        #expect(ran.elements.isEmpty)
    }

    // MARK: - Equal inputs

    /// A value that can be compared by its encoding only, and encodes its members in either order.
    private struct Point: Codable, Sendable {
        enum CodingKeys: CodingKey {
            case x, y
        }

        var x = 1
        var y = 2.5
        var isReversed = false

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            if isReversed {
                try container.encode(y, forKey: .y)
                try container.encode(x, forKey: .x)
            } else {
                try container.encode(x, forKey: .x)
                try container.encode(y, forKey: .y)
            }
        }
    }

    /// Two graphs with equal inputs.
    struct Inputs: Sendable, CustomTestStringConvertible {
        let testDescription: String
        fileprivate let first: @Sendable (Recorder<String>) -> JobGraph
        fileprivate let second: @Sendable (Recorder<String>) -> JobGraph

        fileprivate init<First: Codable & Sendable, Second: Codable & Sendable>(
            _ name: String,
            _ first: First,
            _ second: Second
        ) {
            testDescription = name
            self.first = { Self.graph(first, $0) }
            self.second = { Self.graph(second, $0) }
        }

        private static func graph<Value: Codable & Sendable>(_ value: Value, _ ran: Recorder<String>) -> JobGraph {
            var graph = JobGraph("nightly")
            let input = graph.input("input", value)
            graph.local("node", after: input) { _ in ran.record("node") }
            return graph
        }
    }

    private static let numbers = Array(0..<40)

    private static let inputs = [
        Inputs("the members of an object", Point(), Point(isReversed: true)),
        Inputs("members inside of a list", [Point()], [Point(isReversed: true)]),
        Inputs(
            "the pairs of a dictionary",
            Dictionary(uniqueKeysWithValues: numbers.map { ("\($0)", $0) }),
            Dictionary(uniqueKeysWithValues: numbers.reversed().map { ("\($0)", $0) })
        ),
        Inputs("the members of a set", Set(numbers), Set(numbers.reversed())),
        Inputs("a number with and without a fraction of zero", 1, 1.0),
        Inputs("a number of another width", Int8(1), UInt64(1)),
    ]

    @Test(arguments: inputs)
    func `equal inputs in another order or form are the same`(inputs: Inputs) async throws {
        _ = try await runtime.run(inputs.first(ran), journal: "nightly")
        #expect(ran.removeAll() == ["node"])
        let run = try await runtime.run(inputs.second(ran), journal: "nightly")
        #expect(run.isStored)
        #expect(run.statuses == [.success, .resumed])
        #expect(ran.elements.isEmpty)
    }

    // MARK: - Journals of other graphs

    @Test
    func `a journal belongs to its graph, and a graph of another name changes nothing`() async throws {
        func customers(isMended: Bool) -> JobGraph {
            var graph = JobGraph("export-customers")
            let fetch = graph.local("fetch") { ["kim"] }
            graph.local("last", after: fetch) { _ in
                if !isMended {
                    throw Failed()
                }
            }
            return graph
        }
        _ = try await runtime.run(customers(isMended: false), journal: "export")
        var graph = JobGraph("export-invoices")
        let fetch = graph.local("fetch") { ["1"] }
        let invoices = graph
        let before = try await runtime.journals.list()

        for journal in [RunJournal("export"), RunJournal("export", afterSuccess: .restart)] {
            let error = await #expect(throws: JobGraphError.self) {
                try await runtime.start(invoices, journal: journal)
            }
            #expect(error?.code == .otherGraph)
            #expect(error?.message.contains("'export-customers'") == true)
            #expect(error?.message.contains("'export-invoices'") == true)
        }
        await #expect(throws: JobGraphError.self) {
            try await runtime.journals.fork("export", as: "copy", of: invoices, from: fetch)
        }

        #expect(try await runtime.journals.list() == before)
        let run = try await runtime.run(customers(isMended: true), journal: "export")
        #expect(run.statuses == [.resumed, .success])
        // Also once it has succeeded.
        await #expect(throws: JobGraphError.self) { try await runtime.run(invoices, journal: "export") }
    }

    @Test
    func `a journal that does not exist cannot be forked`() async throws {
        var graph = JobGraph("nightly")
        let first = graph.local("first") { 1 }
        let nightly = graph

        let error = await #expect(throws: JobGraphError.self) {
            try await runtime.journals.fork("nihgtly", as: "copy", of: nightly, from: first)
        }

        #expect(error?.code == .unknownJournal)
        #expect(error?.message.contains("'nihgtly'") == true)
        #expect(try await runtime.journals.list().isEmpty)
    }

    @Test
    func `a result that is not of the type of its node says that a fork repeats only that`() async throws {
        func graph<Value: Codable & Sendable>(_ value: Value, isMended: Bool) -> (JobGraph, JobHandle<Value>) {
            var graph = JobGraph("types")
            let first = graph.local("first") { value }
            graph.local("last", after: first) { _ in
                if !isMended {
                    throw Failed()
                }
            }
            return (graph, first)
        }
        _ = try await runtime.run(graph("text", isMended: false).0, journal: "types")
        let (number, first) = graph(7, isMended: true)
        let run = try await runtime.run(number, journal: "types")

        let error = try #require(run.node("first")?.error as? JobGraphError)
        #expect(error.code == .journalUnreadable)
        #expect(error.message.contains("fork("))
        try await runtime.journals.fork("types", as: "copy", of: number, from: first)
        #expect(try await runtime.run(number, journal: "copy")[first] == 7)
    }
}
