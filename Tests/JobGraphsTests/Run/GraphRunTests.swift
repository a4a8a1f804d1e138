// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

@Suite(.timeLimit(.minutes(5)))
struct GraphRunTests {
    private struct Failed: Error, Equatable {
        var name = ""
    }

    private let runtime = JobRuntime()

    private func words(_ run: GraphRun) -> [String] {
        run.nodes.map { "\($0.name) \($0.status.rawValue)" }
    }

    @Test
    func `a result that is optional keeps its nil`() async throws {
        var graph = JobGraph("optional")
        let none = graph.local("none") { Int?.none }
        let some = graph.local("some") { Int?.some(1) }
        let both = graph.local("both", after: none, some) { none, some in [none, some] }
        let run = try await runtime.run(graph)
        #expect(try run[none] == nil)
        #expect(try run[both] == [nil, 1])
    }

    @Test
    func `a job of any kind may be a node`() async throws {
        var graph = JobGraph("jobs")
        let first = graph.job("first") { LocalJob("inner") { 1 } }
        let second = graph.job("second", after: first) { number in LocalJob("inner") { number + 1 } }
        let run = try await runtime.run(graph)
        #expect(try run[second] == 2)
    }

    @Test
    func `order without a result is kept too`() async throws {
        let order = Recorder<String>()
        var graph = JobGraph("order")
        let late = graph.local("late") { order.record("late") }
        let early = graph.local("early") { order.record("early") }
        graph.order(early, before: late)
        #expect(try await runtime.run(graph).isSuccess)
        #expect(order.elements == ["early", "late"])
    }

    @Test
    func `a failed input may allow a node to run that is only ordered after it`() async throws {
        var graph = JobGraph("allowed")
        let bad = graph.local("bad", options: [.onFailure(.ignore)]) { () throws -> Int in throw Failed() }
        let ordered = graph.local("ordered") { 1 }
        let needing = graph.local("needing", after: bad) { $0 }
        graph.order(bad, before: ordered)
        let run = try await runtime.run(graph)
        #expect(words(run) == ["bad failure", "ordered success", "needing skipped"])
        #expect(run.isSuccess)
        #expect(throws: JobGraphError.self) { try run[needing] }
    }

    @Test
    func `order alone needs success, unless it is said otherwise`() async throws {
        var graph = JobGraph("order")
        let bad = graph.local("bad") { () throws -> Int in throw Failed() }
        let strict = graph.local("strict") { 1 }
        let lenient = graph.local("lenient") { 1 }
        graph.order(bad, before: strict)
        graph.order(bad, before: lenient, requiresSuccess: false)
        let run = try await runtime.run(graph)
        #expect(words(run) == ["bad failure", "strict skipped", "lenient success"])
        #expect(!run.isSuccess)
    }

    @Test
    func `a run describes itself without the results of its nodes`() async throws {
        var graph = JobGraph("described")
        let token = graph.local("token") { "secret" }
        graph.local("fails", after: token) { _ in throw Failed(name: "why") }
        graph.undo("undo", of: token) { _ in throw Failed(name: "again") }
        let runtime = JobRuntime(clock: ManualClock())
        #expect(
            try await runtime.run(graph).description == """
                described: failure after 0 ns, 1 succeeded, 1 failed
                  'fails': Failed(name: "why")
                  'undo' of 'token': Failed(name: "again")
                """
        )
        #expect(try await runtime.run(JobGraph("empty")).description == "empty: success after 0 ns, no nodes")
    }

    @Test
    func `a run does not know handles of another graph`() async throws {
        var graph = JobGraph("one")
        graph.local("node") { 1 }
        var other = JobGraph("other")
        let foreign = other.local("node") { 1 }
        let run = try await runtime.run(graph)
        let error = #expect(throws: JobGraphError.self) { try run[foreign] }
        #expect(error?.code == .unknownJobHandle)
    }

    @Test
    func `neither branch with a result: the join fails with the error, or is skipped`() async throws {
        var graph = JobGraph("no branch")
        let never = graph.condition("never") { false }
        let skipped = graph.local("skipped", options: [.onlyIf(never)]) { 1 }
        let failed = graph.local("failed") { () throws -> Int in throw Failed(name: "x") }
        let alsoSkipped = graph.local("also", options: [.onlyIf(never)]) { 1 }
        let first = graph.either("first", skipped, or: failed)
        let second = graph.either("second", skipped, or: alsoSkipped)
        let run = try await runtime.run(graph)
        #expect(throws: Failed(name: "x")) { try run[first] }
        #expect(run.node("second")?.status == .skipped)
        #expect(throws: JobGraphError.self) { try run[second] }
    }

    @Test
    func `a fallback that fails too fails the run`() async throws {
        var graph = JobGraph("fallback")
        let bad = graph.local("bad") { () throws -> String in throw Failed() }
        let worse = graph.fallback("worse", for: bad) { _ -> String in throw Failed() }
        let run = try await runtime.run(graph)
        #expect(throws: Failed()) { try run[worse] }
        #expect(run.status == .failure)
    }

    @Test
    func `a graph may be a node, with inputs or without`() async throws {
        var inside = JobGraph("inside")
        let one = inside.local("one") { 1 }
        let two = inside.local("two", after: one) { $0 + 1 }
        var graph = JobGraph("outside")
        let whole = graph.subgraph("whole", inside, output: two)
        let made = graph.subgraph("made", after: whole) { inner, number in
            let first = inner.local("first") { number * 10 }
            return inner.local("second", after: first) { $0 + 1 }
        }
        let run = try await JobRuntime(workerCount: 1).run(graph)
        #expect(try run[whole] == 2)
        #expect(try run[made] == 21)
        #expect(run.report.nodes.map { $0.children.map(\.name) } == [["one", "two"], ["first", "second"]])
    }

    @Test
    func `a graph inside may be made from any number of results`() async throws {
        var graph = JobGraph("outside")
        let (one, two) = (graph.input("one", 1), graph.input("two", "2"))
        let (three, four) = (graph.input("three", 3.0), graph.input("four", [4]))
        let twoInputs = graph.subgraph("of two", after: one, two) { inside, one, two in
            let first = inside.local("first") { "\(one)\(two)" }
            return inside.local("second", after: first) { "\($0)!" }
        }
        let threeInputs = graph.subgraph("of three", after: one, two, three) {
            (inside: inout JobGraph, one: Int, two: String, three: Double) in
            let first = inside.local("first") { "\(one)\(two)\(three)" }
            return inside.local("second", after: first) { "\($0)!" }
        }
        let fourInputs = graph.subgraph("of four", after: one, two, three, four) {
            (inside: inout JobGraph, one: Int, two: String, three: Double, four: [Int]) in
            inside.local("first") { "\(one)\(two)\(three)\(four)" }
        }
        let run = try await runtime.run(graph)
        #expect(try run[twoInputs] == "12!")
        #expect(try run[threeInputs] == "123.0!")
        #expect(try run[fourInputs] == "123.0[4]")
    }

    @Test
    func `a failure inside fails the node, though the output has a result`() async throws {
        var inside = JobGraph("inside")
        let fine = inside.local("fine") { 1 }
        inside.local("bad") { () throws -> Int in throw Failed() }
        var graph = JobGraph("outside")
        let whole = graph.subgraph("whole", inside, output: fine)
        let run = try await runtime.run(graph)
        #expect(throws: Failed()) { try run[whole] }
    }

    @Test
    func `a successful run takes nothing back`() async throws {
        let undone = Counter()
        var graph = JobGraph("saga")
        let node = graph.local("node") { 1 }
        graph.undo("undo", of: node) { _ in undone.next() }
        #expect(try await runtime.run(graph).compensations.isEmpty)
        #expect(undone.value == 0)
    }
}
