// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// A request is repeated according to its effect, regardless of its error.
@Suite(.timeLimit(.minutes(5)))
struct RepetitionTests {
    private struct Mapped: Error {}

    /// Turns every failure, and every status from 400 on, into an error of another type.
    private struct Mapping: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            guard let response = try? await next(request), response.status.code < 400 else {
                throw Mapped()
            }
            return response
        }
    }

    enum Place: CaseIterable {
        case mapError, mapResult, callInterceptor, attemptInterceptor
    }

    private func node(_ method: HTTPRequest.Method, _ place: Place) -> RequestNode<String> {
        let node = RequestNode(String.self).endpoint("/charge").method(method)
        switch place {
        case .mapError: return node.mapError { _ in Mapped() }
        case .mapResult: return node.mapResult { _ in throw Mapped() }
        case .callInterceptor, .attemptInterceptor: return node
        }
    }

    /// Returns how often a request goes out that fails first, and what became of it.
    private func run(
        _ method: HTTPRequest.Method,
        _ place: Place,
        first: RawResponse,
        policy change: (inout RetryPolicy) -> Void = { _ in }
    ) async throws -> (count: Int, run: GraphRun) {
        let client = StubbedClient(answering: first, .text("fine")) { configuration in
            if place == .callInterceptor { configuration = configuration.interceptors(Mapping()) }
            if place == .attemptInterceptor { configuration = configuration.interceptors(Mapping(), perAttempt: true) }
        }
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        change(&policy)
        var graph = JobGraph("repetition")
        let node = node(method, place)
        graph.request("charge", options: [.retry(policy)]) { node }
        let run = try await client.manager.run(graph)
        return (client.requests.count, run)
    }

    @Test(arguments: Place.allCases)
    func `a POST that may have had an effect is not retried, even if its error was replaced`(place: Place) async throws
    {
        let (count, run) = try await run(.post, place, first: .status(.internalServerError))
        #expect(count == 1)
        #expect(run.node("charge")?.error is Mapped)
    }

    @Test(arguments: Place.allCases)
    func `a rule of one's own does not repeat it either, unless the policy allows that`(place: Place) async throws {
        let own = try await run(.post, place, first: .status(.internalServerError)) { $0.isRetryable = { _ in true } }
        #expect(own.count == 1)
        let allowed = try await run(.post, place, first: .status(.internalServerError)) {
            $0.retriesUnsafeWork = true
        }
        #expect(allowed.count == 2)
    }

    @Test(arguments: Place.allCases)
    func `a POST that the server refused to handle is repeated`(place: Place) async throws {
        #expect(try await run(.post, place, first: .status(.tooManyRequests)).count == 2)
    }

    @Test(arguments: Place.allCases)
    func `a GET is repeated when its failure may pass`(place: Place) async throws {
        #expect(try await run(.get, place, first: .status(.internalServerError)).count == 2)
        #expect(try await run(.get, place, first: .status(.notFound)).count == 1)
    }

    @Test
    func `a graph inside is not repeated either when its POST may have had its effect`() async throws {
        let client = StubbedClient(answering: .status(.internalServerError), .text("fine"))
        let node = node(.post, .mapError)
        var inner = JobGraph("inner")
        let charge = inner.request("charge") { node }
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        var graph = JobGraph("outer")
        graph.subgraph("inside", inner, output: charge, options: [.retry(policy)])
        _ = try await client.manager.run(graph)
        #expect(client.requests.count == 1)
    }

    /// Graphs around a POST whose first response is an error, or which succeeds before something else fails.
    private static let around: [String: @Sendable (RequestNode<String>, JobOptions) -> JobGraph] = [
        "a graph whose node has attempts of its own": { charge, retry in
            var inner = JobGraph("inner")
            let handle = inner.request("charge", options: retry) { charge }
            var graph = JobGraph("outer")
            graph.subgraph("inside", inner, output: handle, options: retry)
            return graph
        },
        "a graph with a loop": { charge, retry in
            var inner = JobGraph("inner")
            let items = inner.input("items", [1])
            let handle = inner.forEach("charge", in: items, options: retry) { _ in charge }
            var graph = JobGraph("outer")
            graph.subgraph("inside", inner, output: handle, options: retry)
            return graph
        },
        "code that sends": { charge, retry in
            var graph = JobGraph("code")
            graph.job("charge", options: retry) { Sending(node: charge) }
            return graph
        },
        "a graph that fails afterwards": { charge, retry in
            var inner = JobGraph("inner")
            let handle = inner.request("charge") { charge.accepting([.ok, .internalServerError]).decode { _ in "" } }
            let last = inner.local("last", after: handle) { _ -> String in throw Mapped() }
            var graph = JobGraph("outer")
            graph.subgraph("inside", inner, output: last, options: retry)
            return graph
        },
        "a failure that hides another one": { charge, retry in
            var inner = JobGraph("inner")
            let first = inner.local("first") { () -> String in throw Mapped() }
            inner.request("charge") { charge }
            var graph = JobGraph("outer")
            graph.subgraph("inside", inner, output: first, options: retry)
            return graph
        },
    ]

    /// Code of a node that sends a request.
    private struct Sending: Job {
        let node: RequestNode<String>

        func run(in context: JobContext) async throws -> String {
            do {
                return try await node.run(in: context)
            } catch {
                _ = try? await node.method(.get).run(in: context)
                throw Mapped()
            }
        }
    }

    @Test(arguments: around.keys.sorted())
    func `whatever is around a POST does not repeat it`(place: String) async throws {
        let client = StubbedClient(answering: .status(.internalServerError), .text("fine"))
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero
        let make = try #require(Self.around[place])
        let run = try await client.manager.run(make(node(.post, .mapError), [.retry(policy)]))
        #expect(client.requests.filter { $0.method == .post }.count == 1)
        #expect(!run.isSuccess)

        policy.retriesUnsafeWork = true
        let allowing = StubbedClient(answering: .status(.internalServerError), .text("fine"))
        _ = try await allowing.manager.run(make(node(.post, .mapError), [.retry(policy)]))
        #expect(allowing.requests.filter { $0.method == .post }.count > 1)
    }

    @Test
    func `a POST of a call in a local job is not repeated, whatever the error`() async throws {
        let client = StubbedClient(answering: .status(.internalServerError), .text("fine"))
        let (manager, node) = (client.manager, node(.post, .mapError))
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero
        var graph = JobGraph("local")
        graph.local("charge", options: [.retry(policy)]) { try await manager.run(node) }
        let run = try await manager.run(graph)
        #expect(run.node("charge")?.error is Mapped)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a POST that was given up at a time limit is not repeated`() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let transport = StubTransport { _ in
            try await gate.wait()
            return .text("late")
        }
        let client = StubbedClient(transport) { $0.clock = clock }
        let (manager, node) = (client.manager, node(.post, .mapError))
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero
        var inner = JobGraph("inner")
        let charge = inner.local("charge", options: [.timeout(.seconds(1))]) { try await manager.run(node) }
        var graph = JobGraph("outer")
        graph.subgraph("inside", inner, output: charge, options: [.retry(policy)])
        let execution = Task { [graph] in try await manager.run(graph) }
        try await client.transport.waitForRequests(count: 1)
        clock.advance(by: .seconds(2))
        let run = try await execution.value
        gate.open()

        #expect(run.node("inside")?.error != nil)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a page that fails does not repeat the pages before it`() async throws {
        let client = StubbedClient(answering: .text("[1]"), .status(.tooManyRequests), .text("[2]"))
        let pages = RequestNode([Int].self).endpoint("/search").method(.post).pages(.number().limit(2))
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero
        var graph = JobGraph("pages")
        graph.job("pages", options: [.retry(policy)]) { pages }
        let run = try await client.manager.run(graph)

        #expect(!run.isSuccess)
        #expect(client.requests.count == 2)
    }

    @Test
    func `elements are not repeated either when their POST may have had its effect`() async throws {
        let client = StubbedClient(answering: .status(.internalServerError), .text("fine"))
        let node = node(.post, .mapError)
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        var graph = JobGraph("loop")
        let items = graph.input("items", [1])
        graph.forEach("charge", in: items, options: [.retry(policy)]) { _ in node }
        _ = try await client.manager.run(graph)
        #expect(client.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `each attempt of a node is a call with its handlers, an attempt of a call is none`(isNode: Bool) async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable), .text("fine"))
        let log = Recorder<String>()
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        let node = RequestNode(String.self).endpoint("/a")
            .onStart { log.record("start") }.onSuccess { _ in log.record("success") }
            .onError { _ in log.record("error") }
            .retry(isNode ? .never : policy)
        var graph = JobGraph("handlers")
        graph.request("node", options: [.retry(isNode ? policy : .never)]) { node }

        let run = try await client.manager.run(graph)

        #expect(run.isSuccess)
        #expect(log.elements == (isNode ? ["start", "error", "start", "success"] : ["start", "success"]))
    }
}
