// SPDX-License-Identifier: MIT

#if Tracing

import InMemoryTracing
import RestClient
import RestClientTracing
import TestSupport
import Testing
import Tracing

/// The spans of groups and graphs, and of the work in them.
@Suite(.timeLimit(.minutes(5)))
struct GraphSpanTests {
    private struct Failure: Error {}

    private let tracer = InMemoryTracer()
    private let clock = ManualClock()
    private let manager: RestClientManager
    private let tracing: ObservationToken

    init() {
        let clock = clock
        manager = .dummy { configuration in
            configuration.clock = clock
            configuration = configuration.timeout(nil)
        }
        tracing = manager.trace(with: tracer)
    }

    private func user(_ id: Int) -> RequestNode<Int> {
        manager.request(Int.self).endpoint("/users/{id}").parameter("id", id)
    }

    // MARK: - Graphs

    @Test
    func `a run, its nodes, their calls and their attempts are a tree`() async throws {
        var graph = JobGraph("nightly")
        let ids = graph.local("ids") { [1, 2] }
        let users = graph.forEach("users", in: ids) { [self] id in user(id) }
        let first = graph.request("first") { [self] in user(7) }
        graph.local("sum", after: users, first) { users, first in users.reduce(first, +) }
        let run = try await manager.run(graph)

        #expect(run.isSuccess)
        #expect(
            tracer.tree == [
                "nightly success",
                "  first success",
                "    GET /users/{id} dummy",
                "      GET /users/{id} 200",
                "  ids success",
                "  sum success",
                "  users success",
                "    users success",
                "      GET /users/{id} dummy",
                "        GET /users/{id} 200",
                "    users success",
                "      GET /users/{id} dummy",
                "        GET /users/{id} 200",
            ]
        )
        #expect(tracer.activeSpans.isEmpty)
        #expect(tracer.finishedSpans.compactMap { $0.texts["rest_client.job.index"] }.sorted() == ["0", "1"])
    }

    @Test
    func `spans say what they are, and which run they belong to`() async throws {
        var graph = JobGraph("small")
        graph.request("user") { [self] in user(7) }
        let run = try await manager.run(graph)
        let texts = Dictionary(tracer.finishedSpans.map { ($0.operationName, $0.texts) }) { first, _ in first }

        let id = "\(run.id)"
        #expect(
            texts["small"] == [
                "rest_client.group.id": id, "rest_client.run.kind": "graph", "rest_client.run.count": "1",
                "rest_client.outcome": "success",
            ]
        )
        #expect(
            texts["user"] == [
                "rest_client.group.id": id, "rest_client.job.kind": "request", "rest_client.outcome": "success",
            ]
        )
        #expect(tracer.calls.first?.texts["rest_client.group.id"] == id)
    }

    @Test
    func `spans of the user in local work are children of its node`() async throws {
        var graph = JobGraph("own")
        graph.local("now") { [tracer] in tracer.startSpan("inner now").end() }
        graph.local("later") { [tracer] in
            await Task.yield()
            tracer.startSpan("inner later").end()
        }
        graph.local("alone", options: [.mutex("key")]) { [tracer] in tracer.startSpan("inner alone").end() }
        _ = try await manager.run(graph)

        #expect(
            tracer.tree == [
                "own success", "  alone success", "    inner alone", "  later success", "    inner later",
                "  now success", "    inner now",
            ]
        )
    }

    @Test
    func `a run within a run is the child of its node, and a compensation that of its run`() async throws {
        var inner = JobGraph("inner")
        let value = inner.local("value") { 1 }
        var graph = JobGraph("outer")
        let part = graph.subgraph("part", inner, output: value)
        graph.undo("repair", of: part) { _ in }
        let failing = graph.local("failing", after: part) { _ throws -> Int in throw Failure() }
        graph.local("never", after: failing) { _ in }
        _ = try await manager.run(graph)

        #expect(
            tracer.tree == [
                "outer error Failure", "  failing error Failure", "  part success", "    inner success",
                "      value success", "  repair success",
            ]
        )
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `a node that is attempted again has one span, and a call for each attempt`() async throws {
        let count = Recorder<Void>()
        manager.dummies.register(.get, "/flaky") { _ in
            count.record(())
            return count.count == 1 ? .status(.serviceUnavailable) : .text("1")
        }
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        var graph = JobGraph("retried")
        graph.request("flaky", options: [.retry(policy)]) { [manager] in
            manager.request(Int.self).endpoint("/flaky")
        }
        _ = try await manager.run(graph)

        #expect(
            tracer.tree == [
                "retried success", "  flaky success", "    GET /flaky dummy", "      GET /flaky 200",
                "    GET /flaky error 503", "      GET /flaky error 503",
            ]
        )
        #expect(tracer.finishedSpans.first { $0.operationName == "flaky" }?.texts["rest_client.attempts"] == "2")
    }

    @Test
    func `a node that is abandoned at its time limit ends then, although its work goes on`() async throws {
        let (begun, finish, ended) = (Gate(), Gate(), Gate())
        var graph = JobGraph("slow")
        graph.local("stuck", options: [.timeout(.seconds(5))]) {
            begun.open()
            // It ignores the cancellation of its task.
            try? await Task.detached { try await finish.wait() }.value
            ended.open()
        }
        let execution = try manager.start(graph)
        try await begun.wait()
        try await clock.waitForSleeper(for: .seconds(5))
        clock.advance(by: .seconds(5))
        _ = await execution.finished()

        #expect(tracer.tree == ["slow error timeout", "  stuck error timeout"])
        #expect(tracer.activeSpans.isEmpty)
        finish.open()
        try await ended.wait()
        #expect(tracer.finishedSpans.count == 2)
    }

    @Test
    func `a cancelled run ends the spans of what runs, and has none of what does not begin`() async throws {
        let begun = Gate()
        var graph = JobGraph("cancelled")
        let first = graph.local("first") {
            begun.open()
            await untilCancelled()
            try Task.checkCancellation()
        }
        graph.local("second", after: first) { _ in }
        let execution = try manager.start(graph)
        try await begun.wait()
        execution.cancel()
        _ = await execution.finished()

        #expect(tracer.tree == ["cancelled error cancelled", "  first error cancelled"])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `a run that is resumed has spans of its own, and says what it did not do again`() async throws {
        let count = Recorder<Void>()
        var graph = JobGraph("durable")
        let first = graph.local("first") { 1 }
        graph.local("second", after: first) { first -> Int in
            count.record(())
            guard count.count > 1 else {
                throw Failure()
            }
            return first + 1
        }
        _ = try await manager.run(graph, journal: "durable")
        #expect(tracer.tree == ["durable error Failure", "  first success", "  second error Failure"])

        tracer.clearFinishedSpans()
        _ = try await manager.run(graph, journal: "durable")
        #expect(tracer.tree == ["durable success", "  first resumed", "  second success"])
        #expect(tracer.activeSpans.isEmpty)
    }

    // MARK: - Groups

    @Test
    func `the calls of a group are its children, and its local jobs have spans`() async throws {
        let size = LocalJob("size") { [tracer] in
            tracer.startSpan("inner").end()
            return 1
        }
        _ = try await manager.concurrently(user(1), size)

        #expect(
            tracer.tree == [
                "group success", "  GET /users/{id} dummy", "    GET /users/{id} 200", "  size success", "    inner",
            ]
        )
        let group = try #require(tracer.finishedSpans.first { $0.operationName == "group" }?.texts)
        #expect(group["rest_client.run.kind"] == "group")
        #expect(group["rest_client.run.count"] == "2")
    }

    @Test
    func `a group of one type of job has the same spans`() async throws {
        _ = await manager.concurrently([LocalJob("a") { 1 }, LocalJob<Int>("b") { throw Failure() }])
        #expect(tracer.tree == ["group error Failure", "  a success", "  b error Failure"])

        tracer.clearFinishedSpans()
        let missing = manager.request(Int.self).endpoint("/missing")
        _ = await manager.concurrently([user(1), missing])
        #expect(
            tracer.tree == [
                "group error 404", "  GET /missing error 404", "    GET /missing error 404", "  GET /users/{id} dummy",
                "    GET /users/{id} 200",
            ]
        )

        tracer.clearFinishedSpans()
        _ = await manager.concurrently([LocalJob<Int>("c") { throw Failure() }], onFailure: .cancel) { _ in true }
        #expect(tracer.tree == ["group success", "  c error Failure"])
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test
    func `the steps of a chain are its children`() async throws {
        let stop = LocalJob<Int>("stop") { throw Failure() }
        let report = await manager.serially([user(1), stop, user(2)] as [any Job])

        #expect(report.stopped)
        #expect(
            tracer.tree == [
                "chain error Failure", "  GET /users/{id} dummy", "    GET /users/{id} 200", "  stop error Failure",
            ]
        )
        #expect(tracer.activeSpans.isEmpty)
    }
}

#endif
