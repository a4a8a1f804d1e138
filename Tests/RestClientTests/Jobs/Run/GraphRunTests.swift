// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct GraphRunTests {
    private struct Failed: Error, Equatable {
        var name = ""
    }

    private let gate = Gate()

    private func client(workers: Int = 64) -> StubbedClient {
        .echo(slowAt: gate) { $0.workerCount = workers }
    }

    private static func node(_ path: String) -> RequestNode<String> { .echo(path) }

    private func words(_ run: GraphRun) -> [String] {
        run.nodes.map { "\($0.name) \($0.status.rawValue)" }
    }

    // MARK: - Results

    @Test
    func `results go along the edges, each in its own type`() async throws {
        let client = client()
        var graph = JobGraph("typed")
        let login = graph.request("login") { Self.node("token") }
        let count = graph.local("count", after: login) { token in token.count }
        let orders = graph.request("orders", after: login, count) { token, count in Self.node("\(token)-\(count)") }
        let sum = graph.local("sum", after: count, orders) { count, orders async in "\(count) \(orders)" }
        let run = try await client.manager.run(graph)
        #expect(try run[login] == "token")
        #expect(try run[count] == 5)
        #expect(try run[orders] == "token-5")
        #expect(try run[sum] == "5 token-5")
        #expect(run.isSuccess)
        #expect(client.requests.count == 2)
    }

    @Test
    func `a node begins as soon as its last input has ended, although other nodes still run`() async throws {
        let client = client()
        var graph = JobGraph("no levels")
        let slow = graph.request("slow") { Self.node("slow") }
        let fast = graph.request("fast") { Self.node("fast") }
        let behind = graph.request("behind", after: fast) { Self.node("behind-\($0)") }
        graph.request("last", after: slow, behind) { Self.node("\($0)-\($1)") }
        let execution = try client.manager.start(graph)
        try await gate.waitForWaiters(count: 1)
        try await client.transport.waitForRequests(count: 3)
        // The slow one waits at the gate. Requests of nodes that run side by side arrive in any order.
        #expect(client.requests.contains { $0.url.hasSuffix("behind-fast") })
        gate.open()
        #expect(await execution.finished().isSuccess)
        #expect(client.requests.last?.url.hasSuffix("slow-behind-fast") == true)
    }

    @Test
    func `the same graph may run several times, also at the same time`() async throws {
        let client = client()
        var graph = JobGraph("again")
        let node = graph.request("node") { Self.node("a") }
        let (first, second) = try await (client.manager.run(graph), client.manager.run(graph))
        #expect(try first[node] == "a")
        #expect(try second[node] == "a")
        #expect(first.id != second.id)
    }

    // MARK: - Failures

    @Test
    func `a failure skips dependent nodes, and the rest continues`() async throws {
        var graph = JobGraph("failure")
        let bad = graph.request("bad") { Self.node("bad") }
        let behind = graph.local("behind", after: bad) { $0 }
        let further = graph.local("further", after: behind) { $0 }
        let beside = graph.request("beside") { Self.node("beside") }
        let run = try await client().manager.run(graph)
        #expect(words(run) == ["bad failure", "behind skipped", "further skipped", "beside success"])
        #expect(run.status == .failure)
        #expect(try run[beside] == "beside")
        #expect(throws: RestClientError.self) { try run[bad] }
        #expect((run.node("bad")?.error as? RestClientError)?.status == .conflict)
        let error = #expect(throws: JobGraphError.self) { try run[further] }
        #expect(error?.code == .missingJobResult)
        #expect(error?.message.contains("'bad' failed") == true)
        #expect((error?.underlying as? RestClientError)?.status == .conflict)
        let first = #expect(throws: RestClientError.self) { try run.check() }
        #expect(first?.status == .conflict)
    }

    @Test
    func `a run that stops on failure does not begin what has not begun`() async throws {
        var graph = JobGraph("stop")
        let slow = graph.request("slow") { Self.node("slow") }
        graph.local("late", after: slow) { $0 }
        let started = graph.local("started") { [gate] in try await gate.waitForWaiters(count: 1) }
        let bad = graph.local("bad", after: started) { _ throws -> Int in throw Failed(name: "bad") }
        graph.local("behind", after: bad) { $0 }
        let execution = try client().manager.start(graph, options: [.onFailure(.stop)])
        var updates = execution.progress.makeAsyncIterator()
        while let progress = try await updates.next(), progress.finished < 4 {}
        gate.open()
        let run = await execution.finished()
        #expect(
            words(run) == ["slow success", "late notRun", "started success", "bad failure", "behind skipped"]
        )
        #expect(throws: Failed(name: "bad")) { try run.check() }
    }

    @Test
    func `a run that cancels on failure cancels what runs`() async throws {
        var graph = JobGraph("cancel")
        let slow = graph.request("slow") { Self.node("slow") }
        let started = graph.local("wait") { [gate] in try await gate.waitForWaiters(count: 1) }
        graph.local("bad", after: started) { _ throws -> Int in throw Failed() }
        let run = try await client().manager.run(graph, options: [.onFailure(.cancel)])
        #expect(words(run) == ["slow cancelled", "wait success", "bad failure"])
        #expect(throws: CancellationError.self) { try run[slow] }
    }

    @Test
    func `a run whose call was cancelled from outside has not succeeded`() async throws {
        let client = client()
        var graph = JobGraph("cancelled call")
        let slow = graph.request("slow") { Self.node("slow") }
        let execution = try client.manager.start(graph)
        try await gate.waitForWaiters(count: 1)
        #expect(client.manager.calls.cancel(.group(execution.id)) == 1)
        let run = await execution.finished()
        #expect(words(run) == ["slow cancelled"])
        #expect(run.status == .failure)
        #expect(throws: CancellationError.self) { try run.check() }
        #expect(throws: CancellationError.self) { try run[slow] }
    }

    @Test
    func `a request that cannot be made or resolved fails its node`() async throws {
        var graph = JobGraph("bad requests")
        graph.request("throws") { () throws -> RequestNode<String> in throw Failed() }
        graph.request("unknown") { Self.node("a").server("unknown") }
        let run = try await client().manager.run(graph)
        #expect(run.node("throws")?.error as? Failed == Failed())
        #expect((run.node("unknown")?.error as? RestClientError)?.code == .unknownServer)
    }

    @Test
    func `a response with the wrong JSON fails its node and skips what needs it`() async throws {
        let client = StubbedClient(answering: .text("{\"id\": \"not a number\"}"))
        struct Item: Codable, Sendable { var id: Int }
        var graph = JobGraph("wrong JSON")
        let item = graph.request("item") { RequestNode(Item.self).endpoint("/item") }
        graph.local("use", after: item) { $0.id }
        let run = try await client.manager.run(graph)
        let error = #expect(throws: RestClientError.self) { try run.check() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.node == "item")
        #expect(error?.message.contains("id") == true)
        #expect(error?.description.contains("'item'") == true)
        #expect(run.node("use")?.status == .skipped)
    }

    @Test
    func `an error of local work names its node, whether that may wait or not`() async throws {
        let failure = RestClientError(.unknownServer, "there is no such server")
        var graph = JobGraph("local")
        graph.local("at once") { () throws -> Int in throw failure }
        graph.local("may wait") { () async throws -> Int in throw failure }
        let run = try await client().manager.run(graph)
        #expect(run.nodes.map { ($0.error as? RestClientError)?.node } == ["at once", "may wait"])
    }

    @Test
    func `an error names its node, however deep, and keeps the name where it is passed on`() async throws {
        func code(of run: GraphRun, _ node: String) -> String? { (run.node(node)?.error as? RestClientError)?.node }
        var graph = JobGraph("names")
        let bad = graph.request("bad") { Self.node("bad") }
        graph.fallback("passed on", for: bad) { throw $0 }
        graph.forEach("each", in: graph.input("items", ["good", "bad"]), onFailure: .continue) { Self.node($0) }
        let one = graph.input("one", 1)
        graph.subgraph("outer", after: one) { outer, _ in
            let start = outer.input("start", 1)
            return outer.subgraph("middle", after: start) { middle, _ in
                middle.request("inner") { Self.node("bad") }
            }
        }
        graph.local("own") { throw RestClientError(.timeout, "own") }
        let run = try await client().manager.run(graph)
        #expect(code(of: run, "bad") == "bad")
        #expect(code(of: run, "passed on") == "bad")
        #expect(code(of: run, "each") == "each[1]")
        #expect(code(of: run, "outer") == "outer/middle/inner")
        #expect(code(of: run, "own") == "own")
    }

    // MARK: - Conditions, fallbacks

    @Test(arguments: [true, false])
    func `a condition chooses the branch, and either joins the branches`(isAdmin: Bool) async throws {
        var graph = JobGraph("branches")
        let me = graph.local("me") { isAdmin }
        let condition = graph.condition("admin?", after: me) { $0 }
        let admin = graph.request("admin", options: [.onlyIf(condition)]) { Self.node("admin") }
        let guest = graph.request("guest", options: [.unless(condition)]) { Self.node("guest") }
        let page = graph.either("page", admin, or: guest)
        let perhaps = graph.optional("perhaps", of: admin)
        let run = try await client().manager.run(graph)
        #expect(try run[page] == (isAdmin ? "admin" : "guest"))
        #expect(try run[perhaps] == (isAdmin ? "admin" : nil))
        #expect(run.node("guest")?.status == (isAdmin ? .skipped : .success))
        #expect(run.isSuccess)
    }

    @Test
    func `a fallback is only sent after a failure, and keeps the run successful`() async throws {
        let client = client()
        var graph = JobGraph("fallback")
        let bad = graph.request("bad") { Self.node("bad") }
        let good = graph.request("good") { Self.node("good") }
        let instead = graph.fallback("instead", for: bad) { error in
            Self.node("instead-\((error as? RestClientError)?.status?.code ?? 0)")
        }
        let unused = graph.fallback("unused", for: good) { _ in Self.node("unused") }
        let recovered = graph.fallback("recovered", for: bad) { _ in "recovered" }
        let run = try await client.manager.run(graph)
        #expect(try run[instead] == "instead-409")
        #expect(try run[unused] == "good")
        #expect(try run[recovered] == "recovered")
        #expect(run.isSuccess)
        #expect(client.requests.count == 3)
    }

    // MARK: - Undo

    @Test
    func `a failed run compensates its successes, the last first, and continues after failures`() async throws {
        let undone = Recorder<String>()
        var graph = JobGraph("saga")
        let first = graph.local("first") { "a" }
        let second = graph.local("second", after: first) { $0 + "b" }
        let third = graph.local("third", after: second) { $0 + "c" }
        let last = graph.local("last", after: third) { _ throws -> String in throw Failed() }
        graph.undo("undo first", of: first) { undone.record($0) }
        graph.undo("undo second", of: second) { value in
            undone.record(value)
            throw Failed(name: "undo")
        }
        graph.undo("undo third", of: third) { Self.node($0) }
        graph.undo("undo last", of: last) { undone.record($0) }
        let client = client()
        let run = try await client.manager.run(graph)
        #expect(undone.elements == ["ab", "a"])
        #expect(client.requests.map(\.url) == ["https://api.example.com/v1/abc"])
        #expect(run.compensations.map(\.name) == ["undo third", "undo second", "undo first"])
        #expect(run.compensations.map(\.outcome.isSuccess) == [true, false, true])
        #expect(words(run) == ["first compensated", "second success", "third compensated", "last failure"])
        #expect(run.report.nodes.suffix(3).map(\.kind) == [.compensation, .compensation, .compensation])
    }

    // MARK: - Report

    @Test
    func `the report contains attempts, tags, dependencies and errors`() async throws {
        let client = client()
        var graph = JobGraph("report")
        let first = graph.request("first", options: [.tags("a", "b")]) { Self.node("a") }
        graph.request("bad", after: first) { _ in Self.node("bad") }
        let run = try await client.manager.run(graph)
        let nodes = run.report.nodes
        #expect(nodes.map(\.status) == [.success, .failure])
        #expect(nodes.map(\.tags) == [["a", "b"], []])
        #expect(nodes.map(\.dependencies) == [[], ["first"]])
        #expect(nodes.map(\.attempts) == [1, 1])
        #expect(nodes.map(\.source) == [.network, nil])
        #expect(nodes[1].error?.contains("409") == true)
        #expect(run.report.outcome == .failure)
        let times = nodes.flatMap { [$0.queued, $0.started, $0.ended] }.compactMap(\.self)
        #expect(times == times.sorted())
        #expect(times.count == 6)
    }

    @Test
    func `a response from the cache is distinguished`() async throws {
        let client = client()
        var graph = JobGraph("cached")
        let node = graph.request("node") { Self.node("a").cache(.elseNetwork(maxAge: .seconds(60))) }
        #expect(try await client.manager.run(graph).nodes.map(\.status) == [.success])
        let run = try await client.manager.run(graph)
        #expect(run.nodes.map(\.status) == [.fromCache])
        #expect(try run[node] == "a")
        #expect(client.requests.count == 1)
    }
}
