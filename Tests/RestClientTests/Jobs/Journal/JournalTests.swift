// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Runs that resume an earlier one.
///
/// A crash is a run whose process forgets everything but the store.
@Suite(.timeLimit(.minutes(5)))
struct JournalTests {
    private struct NotCodable: Sendable {}

    private let host = JournalHost()

    private func graph(isMended: Bool, input: Int = 1) -> JobGraph {
        JournalHost.graph(isMended: isMended, input: input)
    }

    private func code(_ work: () async throws -> Void) async -> JobGraphError.Code? {
        await JournalHost.code(of: work)
    }

    // MARK: - Going on

    @Test
    func `a run is resumed in another process`() async throws {
        let first = try await host.process().run(graph(isMended: false), journal: "nightly")
        #expect(first.statuses == [.success, .success, .success, .success, .failure])
        #expect(host.requests.count == 3)
        let graph = graph(isMended: true)
        let second = try await host.process().run(graph, journal: "nightly")
        #expect(second.statuses == [.success, .resumed, .resumed, .resumed, .success])
        #expect(second.nodes.map(\.attempts) == [1, 0, 0, 0, 1])
        #expect(host.requests.count == 3)
    }

    @Test
    func `a changed input runs its dependent nodes again, and only those`() async throws {
        _ = try await host.process().run(graph(isMended: false), journal: "nightly")
        let run = try await host.process().run(graph(isMended: true, input: 2), journal: "nightly")
        #expect(run.statuses == [.success, .success, .success, .resumed, .success])
        #expect(host.requests.count == 5)
    }

    @Test
    func `after a run that succeeded the next one returns its results, or starts over if the journal says so`()
        async throws
    {
        _ = try await host.process().run(graph(isMended: true), journal: "nightly")
        let stored = try await host.process().run(graph(isMended: true), journal: "nightly")
        #expect(stored.isStored)
        #expect(stored.statuses == [.success, .resumed, .resumed, .resumed, .resumed])
        #expect(host.requests.count == 3)

        let journal = RunJournal("nightly", afterSuccess: .restart)
        let run = try await host.process().run(graph(isMended: true), journal: journal)
        #expect(!run.statuses.contains(.resumed))
        #expect(host.requests.count == 6)
    }

    @Test
    func `without a directory a journal lasts as long as its manager`() async throws {
        let manager = try host.process()
        _ = try await manager.run(graph(isMended: false), journal: "nightly")
        let run = try await manager.run(graph(isMended: true), journal: "nightly")
        #expect(run.statuses.count { $0 == .resumed } == 3)
    }

    @Test
    func `results of all Codable types, Void and nil come back`() async throws {
        func graph(fails: Bool) -> (JobGraph, JobHandle<[String: Double]>, JobHandle<Int?>, JobHandle<Void>) {
            var graph = JobGraph("types")
            let map = graph.local("map") { ["a": 0.1, "b": 2] }
            let none = graph.local("none") { Int?.none }
            let void = graph.local("void") {}
            graph.local("end", after: map, none, void) { _, _, _ in
                if fails {
                    throw StepFailed()
                }
            }
            return (graph, map, none, void)
        }
        let manager = StubbedClient().manager
        _ = try await manager.run(graph(fails: true).0, journal: "types")
        let (again, map, none, void) = graph(fails: false)
        let run = try await manager.run(again, journal: "types")
        #expect(try run[map] == ["a": 0.1, "b": 2])
        #expect(try run[none] == nil)
        try run[void]
        #expect(run.statuses.prefix(3) == [.resumed, .resumed, .resumed])
    }

    @Test
    func `nodes inside nodes are kept too`() async throws {
        let ran = Counter()
        func graph(fails: Bool) -> JobGraph {
            var graph = JobGraph("outside")
            let number = graph.input("number", 3)
            graph.subgraph("whole", after: number) { inside, number in
                let first = inside.local("first") { ran.next() + number }
                return inside.local("second", after: first) { value throws -> Int in
                    guard !fails else {
                        throw StepFailed()
                    }
                    return value
                }
            }
            return graph
        }
        let manager = StubbedClient().manager
        _ = try await manager.run(graph(fails: true), journal: "nested")
        #expect(try await manager.journals.list().first?.finishedNodes == ["number", "whole/first"])
        let run = try await manager.run(graph(fails: false), journal: "nested")
        #expect(run.report.nodes[1].children.map(\.status) == [.resumed, .success])
        #expect(ran.value == 1)
    }

    // MARK: - Lists, forks, drops

    @Test
    func `journals are listed and dropped`() async throws {
        let manager = try host.process()
        _ = try await manager.run(graph(isMended: false), journal: "b")
        _ = try await manager.run(graph(isMended: true), journal: "a/b")
        let runs = try await manager.journals.list()
        #expect(runs.map(\.name) == ["a/b", "b"])
        #expect(runs.map(\.status) == [.succeeded, .failed])
        #expect(runs[1].finishedNodes == ["beside", "first", "number", "second"])
        try await manager.journals.drop("b")
        #expect(try await manager.journals.list().map(\.name) == ["a/b"])
        let run = try await manager.run(graph(isMended: true), journal: "b")
        #expect(!run.statuses.contains(.resumed))
    }

    @Test
    func `a fork does a node and what waits for it again, and nothing else`() async throws {
        let manager = try host.process()
        var graph = JobGraph("fork")
        let first = graph.request("first") { JournalHost.node("first") }
        let second = graph.request("second", after: first) { JournalHost.node($0 + "-second") }
        graph.request("third", after: second) { JournalHost.node($0 + "-third") }
        graph.request("beside", after: first) { JournalHost.node($0 + "-beside") }
        let sealed = RunJournal("source", codec: .sealed(try SealingKey(bytes: Data(repeating: 7, count: 32))))
        _ = try await manager.run(graph, journal: sealed)
        try await manager.journals.fork(sealed, as: "copy", of: graph, from: second)
        let run = try await manager.run(graph, journal: "copy")
        #expect(run.statuses == [.resumed, .success, .success, .resumed])
        #expect(try await manager.journals.list().map(\.name) == ["copy", "source"])
    }

    // MARK: - Refusals

    @Test
    func `results that cannot be stored are refused before anything is sent`() async throws {
        let manager = try host.process()
        var inside = JobGraph("inside")
        let output = inside.local("inner") { NotCodable() }
        var graph = JobGraph("graph")
        graph.request("fine") { JournalHost.node("a") }
        graph.subgraph("sub", inside, output: output)
        do {
            _ = try await manager.run(graph, journal: "nightly")
            Issue.record("the run was not refused")
        } catch let error as JobGraphError {
            #expect(error.code == .resultNotCodable)
            #expect(error.message.contains("NotCodable"))
        }
        #expect(host.requests.elements.isEmpty)
        #expect(try await manager.journals.list().isEmpty)
    }

    @Test
    func `two runs cannot use one journal at a time`() async throws {
        let gate = Gate()
        let manager = StubbedClient().manager
        var graph = JobGraph("slow")
        graph.local("slow") { try await gate.wait() }
        let first = Task { [graph] in try await manager.run(graph, journal: "one") }
        try await gate.waitForWaiters(count: 1)
        let refusal = await code { [graph] in _ = try await manager.run(graph, journal: "one") }
        #expect(refusal == .journalInUse)
        #expect(await self.code { try await manager.journals.drop("one") } == .journalInUse)
        gate.open()
        #expect(try await first.value.isSuccess)
    }

    @Test
    func `a journal is free again when its run has ended, however it ended`() async throws {
        let (manager, other) = (try host.process(), try host.process())
        host.answers { _ in .status(.conflict) }
        let graph = graph(isMended: true)
        #expect(try await manager.run(graph, journal: "one").isSuccess == false)
        var copy = graph
        copy.local("unfit") { NotCodable() }
        let refusing = copy
        #expect(await code { _ = try await manager.run(refusing, journal: "one") } == .resultNotCodable)
        host.answers { .text($0) }
        #expect(try await other.run(graph, journal: "one").isSuccess)
    }

    // MARK: - Starting

    @Test
    func `a started run can be observed, cancelled and resumed later`() async throws {
        let gate = Gate()
        host.answers { name in
            if name == "second-first-1" {
                try await gate.wait()
            }
            return .text(name)
        }
        let manager = try host.process()
        let graph = graph(isMended: true)
        let execution = try await manager.start(graph, journal: "nightly")
        try await gate.waitForWaiters(count: 1)
        #expect(await code { try await manager.start(graph, journal: "nightly") } == .journalInUse)
        for await progress in execution.progress where progress.finished == 3 {
            #expect(progress.running == 1)
            break
        }
        execution.cancel()
        #expect(await execution.finished().statuses == [.success, .success, .cancelled, .success, .notRun])

        host.answers { .text($0) }
        let later = try await manager.start(graph, journal: "nightly")
        #expect(await later.finished().statuses == [.success, .resumed, .success, .resumed, .success])
        let last = await later.progress.reduce(GraphProgress?.none) { $1 }
        #expect(last?.fraction == 1)
    }

    @Test
    func `what cannot be run with a journal is refused when it is started`() async throws {
        let manager = try host.process()
        var graph = JobGraph("unfit")
        graph.local("unfit") { NotCodable() }
        let unfit = graph
        #expect(await code { try await manager.start(unfit, journal: "one") } == .resultNotCodable)
        graph.local("unfit") { 1 }
        let unsound = graph
        #expect(await code { try await manager.start(unsound, journal: "one") } == .duplicateJobName)
        #expect(try await manager.journals.list().isEmpty)
    }
}
