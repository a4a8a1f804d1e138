// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Nodes whose work is known only when others have ended: loops and polls.
@Suite(.timeLimit(.minutes(5)))
struct DynamicNodeTests {
    private struct Failed: Error, Equatable {
        var index = 0
    }

    private let gate = Gate()
    private let clock = ManualClock()

    private func client(workers: Int = 64) -> StubbedClient {
        .echo(slowAt: gate) { [clock] configuration in
            configuration.workerCount = workers
            configuration.clock = clock
        }
    }

    private static func node(_ path: String) -> RequestNode<String> { .echo(path) }

    // MARK: - For each

    @Test
    func `each element becomes a request, and the results keep its order`() async throws {
        let client = client()
        var graph = JobGraph("each")
        let items = graph.local("items") { ["slow", "b", "c"] }
        let details = graph.forEach("detail", in: items) { Self.node($0) }
        let count = graph.local("count", after: details) { $0.count }
        let execution = try client.manager.start(graph)
        try await client.transport.waitForRequests(count: 3)
        gate.open()
        let run = await execution.finished()
        #expect(try run[details] == ["slow", "b", "c"])
        #expect(try run[count] == 3)
        #expect(run.report.nodes[1].children.map(\.name) == ["detail[0]", "detail[1]", "detail[2]"])
        #expect(run.report.nodes[1].children.map(\.source) == [.network, .network, .network])
    }

    @Test
    func `nothing to go through is a result without elements`() async throws {
        var graph = JobGraph("each")
        let items = graph.local("items") { [String]() }
        let details = graph.forEach("detail", in: items) { Self.node($0) }
        #expect(try await client().manager.run(graph)[details].isEmpty)
    }

    @Test(arguments: [1, 3])
    func `no more elements than the limit are under way at once`(limit: Int) async throws {
        let client = client()
        var graph = JobGraph("each")
        let items = graph.local("items") { (0..<8).map { "slow\($0)" } }
        let details = graph.forEach("detail", in: items, limit: limit) { Self.node($0) }
        let execution = try client.manager.start(graph)
        for passed in 0..<8 {
            try await gate.waitForWaiters(count: min(limit, 8 - passed))
            #expect(client.requests.count == min(passed + limit, 8))
            gate.pass()
            try await client.transport.waitForRequests(count: min(passed + limit + 1, 8))
        }
        #expect(try await execution.finished()[details].count == 8)
    }

    @Test
    func `the first failure ends the loop and cancels the others`() async throws {
        var graph = JobGraph("each")
        let items = graph.local("items") { ["slow1", "bad", "slow2", "never"] }
        let details = graph.forEach("detail", in: items, limit: 3) { Self.node($0) }
        let run = try await client().manager.run(graph)
        let error = #expect(throws: RestClientError.self) { try run[details] }
        #expect(error?.status == .conflict)
        let statuses = Set(run.report.nodes[1].children.map(\.status))
        #expect(statuses == [.cancelled, .failure])
        #expect(run.report.nodes[1].children.count == 3)
    }

    @Test
    func `failures can be reported at the end, omitted, or kept`() async throws {
        let client = client()
        var graph = JobGraph("each")
        let items = graph.local("items") { ["a", "bad1", "b", "bad2"] }
        let all = graph.forEach("all", in: items, onFailure: .continue) { Self.node($0) }
        let some = graph.forEach("some", in: items, onFailure: .ignore) { Self.node($0) }
        let kept = graph.forEachOutcome("kept", in: items) { Self.node($0) }
        let run = try await client.manager.run(graph)
        #expect(client.requests.count == 12)
        let error = #expect(throws: RestClientError.self) { try run[all] }
        #expect(error?.request?.url?.hasSuffix("bad1") == true)
        #expect(try run[some] == ["a", "b"])
        #expect(try run[kept].map(\.value) == ["a", nil, "b", nil])
        #expect(run.status == .failure)
    }

    @Test
    func `a cancelled loop is cancelled`() async throws {
        var graph = JobGraph("each")
        let items = graph.local("items") { ["slow1", "slow2", "slow3"] }
        let loop = graph.forEach("loop", in: items, limit: 2) { Self.node($0) }
        let client = client()
        let execution = try client.manager.start(graph)
        try await gate.waitForWaiters(count: 2)
        execution.cancel(loop)
        let run = await execution.finished()
        #expect(run.node("loop")?.status == .cancelled)
        #expect(client.requests.count == 2)
    }

    // MARK: - Poll

    @Test
    func `a poll asks until the response is as wanted, and holds no slot between`() async throws {
        let client = StubbedClient(answering: .text("1"), .text("2"), .text("3")) { [clock] in $0.clock = clock }
        var graph = JobGraph("poll")
        var policy = PollPolicy.exponential(from: .seconds(1), upTo: .seconds(9))
        policy.backoff.jitter = 0
        let done = graph.poll("done", every: policy) {
            RequestNode(String.self).endpoint("/status")
        } until: { status in
            status == "3"
        }
        let execution = try client.manager.start(graph)
        for delay in [1, 2] {
            try await clock.waitForSleepers(count: 1)
            #expect(client.manager.workers.runningCount == 0)
            clock.advance(by: .seconds(delay))
        }
        let run = await execution.finished()
        #expect(try run[done] == "3")
        #expect(run.node("done")?.attempts == 3)
        #expect(client.requests.count == 3)
    }

    @Test
    func `a poll that is asked often enough fails`() async throws {
        var graph = JobGraph("poll")
        graph.poll("never", every: .interval(.zero, attempts: 3)) {
            Self.node("a")
        } until: { _ in
            false
        }
        let client = client()
        let run = try await client.manager.run(graph)
        #expect((run.node("never")?.error as? JobGraphError)?.code == .pollExhausted)
        #expect(client.requests.count == 3)
    }

    @Test
    func `a poll ends with the error of its request or of its condition`() async throws {
        var graph = JobGraph("poll")
        let input = graph.local("input") { "bad" }
        graph.poll("request", after: input, every: .interval(.zero)) {
            Self.node($0)
        } until: { _ in
            false
        }
        graph.poll("condition", every: .interval(.zero)) {
            Self.node("a")
        } until: { _ in
            throw Failed()
        }
        let run = try await client().manager.run(graph)
        #expect((run.node("request")?.error as? RestClientError)?.status == .conflict)
        #expect(run.node("condition")?.error as? Failed == Failed())
    }

    // MARK: - Plan

    @Test
    func `a plan shows the order, the longest path and cached responses, and sends nothing`() async throws {
        let client = client()
        let cached = Self.node("cached").cache(.elseNetwork(maxAge: .seconds(60)))
        _ = try await client.manager.run(cached)
        var graph = JobGraph("plan")
        let first = graph.request("first") { cached }
        let other = graph.request("other") { Self.node("other").cache(.elseNetwork(maxAge: .seconds(60))) }
        let plain = graph.request("plain") { Self.node("plain") }
        let middle = graph.request("middle", after: first) { Self.node($0) }
        graph.local("last", after: middle, other) { $0 + $1 }
        graph.order(other, before: plain)
        let plan = try await client.manager.plan(graph)
        #expect(plan.steps.map(\.name) == ["first", "other", "middle", "plain", "last"])
        #expect(plan.steps.map(\.cache) == [.cached, .notCached, .unknown, .notCached, .unknown])
        #expect(plan.steps.map(\.depth) == [0, 0, 1, 1, 2])
        #expect(plan.longestPath == ["first", "middle", "last"])
        #expect(
            plan.description == """
                first (request, cached)
                other (request)
                  middle (request) after first
                  plain (request) after other
                    last (local) after middle, other
                longest path: first › middle › last
                """
        )
        #expect(client.requests.count == 1)
        #expect(try await client.manager.plan(JobGraph("empty")).longestPath.isEmpty)
    }

    @Test
    func `RFC 9111, 4: a plan knows that the stored response to a GET serves a HEAD`() async throws {
        let client = client()
        _ = try await client.manager.run(Self.node("cached").cache(.elseNetwork()))
        func state(_ policy: CachePolicy) async throws -> GraphPlan.CacheState {
            var graph = JobGraph("head")
            graph.request("head") { Self.node("cached").head().cache(policy) }
            return try #require(try await client.manager.plan(graph).steps.first).cache
        }

        #expect(try await state(.elseNetwork()) == .cached)
        #expect(try await state(.reload) == .notCached)
        #expect(try await state(.networkOnly) == .notCached)
        // As the call itself does.
        let head = RequestNode(Void.self).endpoint("/cached").head().cache(.elseNetwork())
        #expect(try await client.manager.request(head).response().source.isCache)
        #expect(client.requests.count == 1)
    }

    @Test
    func `lint finds the defects of a graph and its first requests, and sends nothing`() async {
        let client = client()
        var graph = JobGraph("lint")
        graph.request("server") { Self.node("a").server("sotre") }
        graph.request("path") { RequestNode(String.self).endpoint("/{missing}") }
        graph.request("throws") { () throws -> RequestNode<String> in throw Failed() }
        graph.request("fine") { Self.node("fine") }
        graph.local("fine") { 1 }
        let issues = await client.manager.lint(graph)
        #expect(issues.map(\.kind) == [.unsoundGraph, .unknownAlias, .unresolvableRequest, .unresolvableRequest])
        #expect(issues[1].message.contains("'server'"))
        #expect(issues[1].message.contains("sotre"))
        #expect(client.requests.isEmpty)
    }

    @Test
    func `lint looks at polls and into graphs inside`() async {
        let client = client()
        var inside = JobGraph("inside")
        let output = inside.request("deep") { Self.node("a").server("deep") }
        var graph = JobGraph("outside")
        graph.poll("poll", every: .interval(.zero)) {
            Self.node("a").server("polled")
        } until: { _ in
            true
        }
        graph.subgraph("sub", inside, output: output)
        let issues = await client.manager.lint(graph)
        #expect(issues.map(\.kind) == [.unknownAlias, .unknownAlias])
        #expect(issues.first?.message.contains("'poll' of 'outside'") == true)
        #expect(issues.last?.message.contains("'deep' of 'inside'") == true)
        #expect(client.requests.isEmpty)
    }
}
