// SPDX-License-Identifier: MIT

import HTTPTypes
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
            if place == .attemptInterceptor { configuration = configuration.attemptInterceptors(Mapping()) }
        }
        var policy = RetryPolicy(attempts: 2)
        policy.baseDelay = .zero
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
            $0.retriesUnsafeRequests = true
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
        policy.baseDelay = .zero
        var graph = JobGraph("outer")
        graph.subgraph("inside", inner, output: charge, options: [.retry(policy)])
        _ = try await client.manager.run(graph)
        #expect(client.requests.count == 1)
    }

    @Test
    func `elements are not repeated either when their POST may have had its effect`() async throws {
        let client = StubbedClient(answering: .status(.internalServerError), .text("fine"))
        let node = node(.post, .mapError)
        var policy = RetryPolicy(attempts: 2)
        policy.baseDelay = .zero
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
        policy.baseDelay = .zero
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
