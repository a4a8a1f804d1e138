// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Synchronization
import Testing

@testable import JobGraphs

@Suite(.timeLimit(.minutes(5)))
struct GraphEventTests {
    private struct Failed: Error {}

    /// Cancels a run as soon as one of its nodes begins.
    private final class Canceller: JobObserver {
        let execution = Mutex<GraphExecution?>(nil)
        private let name: String

        init(of name: String) {
            self.name = name
        }

        func observe(_ event: JobEvent) {
            if case .nodeStarted(name) = event.kind {
                execution.withLock(\.self)?.cancel()
            }
        }
    }

    private let log = JobEventLog()
    private let runtime: JobRuntime

    init() {
        runtime = JobRuntime(observer: log)
    }

    @Test
    func `a node that does not run emits only its end`() async throws {
        var graph = JobGraph("graph")
        let first = graph.local("first") { () throws -> Int in throw Failed() }
        let second = graph.local("second", after: first) { $0 }
        graph.local("third", after: second) { $0 }
        _ = try await runtime.run(graph)
        #expect(
            log.lines == [
                "graphStarted graph 3", "nodeStarted first", "localJobStarted first", "localJobFailed first Failed()",
                "nodeFinished first failure", "nodeFinished second skipped", "nodeFinished third skipped",
                "graphFinished graph failure",
            ]
        )
    }

    @Test
    func `the end of a graph carries its run, with the result or the error of each node`() async throws {
        var graph = JobGraph("graph")
        let first = graph.local("first") { 20 }
        let second = graph.local("second", after: first) { $0 + 1 }
        let third = graph.local("third", after: second) { _ throws -> Int in throw Failed() }
        graph.local("fourth", after: third) { $0 }
        let returned = try await runtime.run(graph)
        guard case .graphFinished(let run)? = log.events.last?.kind else {
            Issue.record("the last event is \(log.lines.last ?? "none")")
            return
        }
        #expect(run.id == returned.id)
        #expect(run.status == .failure)
        #expect(try run[second] == 21)
        #expect(run.nodes.map { $0.value as? Int } == [20, 21, nil, nil])
        #expect(run.nodes.map { $0.error is Failed } == [false, false, true, false])
        #expect(run.nodes.map(\.status) == [.success, .success, .failure, .skipped])
    }

    @Test(arguments: 0..<20)
    func `the end of a wide graph comes after the ends of all its nodes, each once`(round: Int) async throws {
        var graph = JobGraph("wide")
        let bad = graph.local("bad") { () throws -> Int in throw Failed() }
        for index in 0..<40 {
            let head = graph.local("head \(index)") { () async in await suspendOnce() }
            graph.local("tail \(index)", after: head) { _ in index }
            graph.local("skipped \(index)", after: bad) { $0 }
        }
        _ = try await runtime.run(graph)
        // Another thread may still be delivering when the run returns.
        try await log.wait(for: "graphFinished")
        let names = log.events.compactMap { event -> String? in
            if case .nodeFinished(let name, _) = event.kind { name } else { nil }
        }
        #expect(names.count == 121)
        #expect(Set(names).count == 121)
        #expect(log.lines.last == "graphFinished wide failure")
        for index in 0..<40 {
            let end = log.lines.firstIndex(of: "nodeFinished head \(index) success")
            let start = log.lines.firstIndex(of: "nodeStarted tail \(index)")
            #expect(end.flatMap { end in start.map { end < $0 } } == true)
        }
    }

    @Test
    func `a node that is cancelled while its beginning is announced does no work`() async throws {
        let (canceller, gate, ran) = (Canceller(of: "victim"), Gate(), Counter())
        var graph = JobGraph("graph")
        let first = graph.local("first") { try await gate.wait() }
        graph.local("victim", after: first) { _ async in ran.next() }
        let execution = try JobRuntime(observer: canceller).start(graph)
        try await gate.waitForWaiters(count: 1)
        canceller.execution.withLock { $0 = execution }
        gate.open()
        #expect(await execution.finished().node("victim")?.status == .cancelled)
        #expect(ran.value == 0)
    }

    @Test
    func `an abandoned node emits its end once`() async throws {
        let clock = ManualClock()
        let stubborn = Gate()
        let runtime = JobRuntime(clock: clock, observer: log)
        var graph = JobGraph("late")
        graph.local("slow", options: [.timeout(.seconds(1))]) { _ = await Task { try await stubborn.wait() }.result }
        let execution = try runtime.start(graph)
        try await stubborn.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        _ = await execution.finished()
        stubborn.open()
        try await log.wait(for: "localJobSucceeded")
        #expect(
            log.lines == [
                "graphStarted late 1", "nodeStarted slow", "localJobStarted slow", "nodeFinished slow failure",
                "graphFinished late failure", "localJobSucceeded slow",
            ]
        )
    }
}
