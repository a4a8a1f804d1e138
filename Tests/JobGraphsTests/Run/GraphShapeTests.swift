// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// Graphs of unusual sizes and shapes, on small and large pools.
@Suite(.timeLimit(.minutes(5)))
struct GraphShapeTests {
    private let runtime = JobRuntime()

    @Test
    func `an empty graph ends at once`() async throws {
        let log = JobEventLog()
        let runtime = JobRuntime(observer: log)
        let run = try await runtime.run(JobGraph("empty"))
        #expect(run.isSuccess)
        #expect(run.nodes.isEmpty)
        #expect(run.report.nodes.isEmpty)
        #expect(log.lines == ["graphStarted empty 0", "graphFinished empty success"])
        let execution = try runtime.start(JobGraph("empty"))
        var updates = execution.progress.makeAsyncIterator()
        #expect(try await updates.next()?.fraction == 1)
        #expect(try await updates.next() == nil)
    }

    @Test
    func `a graph of one node runs it`() async throws {
        var graph = JobGraph("one")
        let node = graph.local("node") { 1 }
        #expect(try await runtime.run(graph)[node] == 1)
    }

    @Test(arguments: [true, false])
    func `a chain of a hundred thousand nodes runs without overflowing the stack`(waits: Bool) async throws {
        var graph = JobGraph("chain")
        var last = graph.local("0") { 0 }
        for index in 1..<100_000 {
            last =
                waits
                ? graph.local("\(index)", after: last) { number async in number + 1 }
                : graph.local("\(index)", after: last) { number in number + 1 }
        }
        #expect(try await runtime.run(graph)[last] == 99_999)
    }

    @Test
    func `a hundred thousand nodes side by side run on a small pool`() async throws {
        runtime.workers.size = 2
        let ran = Counter()
        var graph = JobGraph("fan")
        let root = graph.local("root") { 1 }
        for index in 0..<100_000 {
            graph.local("\(index)", after: root) { number in ran.next() + number }
        }
        let run = try await runtime.run(graph)
        #expect(run.isSuccess)
        #expect(ran.value == 100_000)
        #expect(runtime.workers.runningCount == 0)
    }

    @Test
    func `a lattice of nodes that wait runs on a pool of one`() async throws {
        runtime.workers.size = 1
        var graph = JobGraph("lattice")
        var row = (0..<30).map { index in graph.local("0-\(index)") { 1 } }
        for level in 1..<30 {
            row = row.indices.map { index in
                graph.local("\(level)-\(index)", after: row[index], row[(index + 1) % row.count]) { left, right in
                    await suspendOnce()
                    return (left + right) % 1_000_003
                }
            }
        }
        let last = row[0]
        #expect(try await runtime.run(graph)[last] == 536_870_912 % 1_000_003)
    }

    @Test
    func `a failure at the head of a long chain skips the rest at once`() async throws {
        struct Failed: Error {}
        var graph = JobGraph("chain")
        var last = graph.local("0") { () throws -> Int in throw Failed() }
        for index in 1..<100_000 {
            last = graph.local("\(index)", after: last) { $0 + 1 }
        }
        let run = try await runtime.run(graph)
        #expect(run.nodes.count { $0.status == .skipped } == 99_999)
        let error = #expect(throws: JobGraphError.self) { try run[last] }
        #expect(error?.message.contains("'0' failed") == true)
    }

    @Test
    func `a local job may run a graph of its own on a pool of one`() async throws {
        runtime.workers.size = 1
        let runtime = runtime
        var graph = JobGraph("outer")
        let outer = graph.local("outer") { () async throws -> Int in
            var inner = JobGraph("inner")
            let first = inner.local("first") { 1 }
            let second = inner.local("second", after: first) { number async in number + 1 }
            return try await runtime.run(inner)[second]
        }
        #expect(try await runtime.run(graph)[outer] == 2)
    }

    @Test
    func `the values that a task carries reach every node`() async throws {
        var graph = JobGraph("task-local")
        let gate = Gate(isOpen: true)
        let first = graph.local("first") { () async throws -> String in
            try await gate.wait()
            return Carried.text
        }
        let second = graph.local("second", after: first) { $0 + Carried.text }
        let run = try await Carried.$text.withValue("x") { [graph] in try await runtime.run(graph) }
        #expect(try run[second] == "xx")
    }
}

private enum Carried {
    @TaskLocal static var text = ""
}
