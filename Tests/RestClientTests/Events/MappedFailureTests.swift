// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Errors that handlers made of failures: the original stays within reach.
@Suite(.timeLimit(.minutes(5)))
struct MappedFailureTests {
    private struct SignedOut: Error {}

    /// An error that keeps its original.
    private struct Rejected: DerivedError { let original: any Error }

    /// An error that was made of itself.
    private final class Circle: DerivedError {
        var original: any Error { self }
    }

    private static func rejecting(_ status: HTTPResponse.Status) -> (StubbedClient, RequestNode<String>) {
        let client = StubbedClient(answering: .text("why", status))
        return (client, client.manager.request(String.self).endpoint("/a").mapError { Rejected(original: $0) })
    }

    @Test(arguments: CallOptions.Level.allCases)
    func `a mapped failure keeps its class, and the original is within reach`(level: CallOptions.Level) async throws {
        let key = APIAlias<Void>("a")
        let client = StubbedClient(answering: .status(.unauthorized))
        let log = EventRecorder(client.manager)
        client.manager.apis[key] = API(.get, "/a")
        var node = client.manager.request(key)
        switch level {
        case .call: node = node.mapError { _ in SignedOut() }
        case .api: client.manager.apis[key] = API(.get, "/a").mapError { _ in SignedOut() }
        case .server:
            client.manager.servers["store"] = Server("https://api.example.com").mapError { _ in SignedOut() }
        case .manager: client.manager.updateOptions { $0.mapError { _ in SignedOut() } }
        case .environment:
            client.manager.environments["e"] = ClientEnvironment().mapError { _ in SignedOut() }
            try client.manager.environments.use("e")
        }
        await #expect(throws: SignedOut.self) { try await node.send() }
        let event = try #require(log.events.last)
        #expect(event.failureClass == .unauthorized)
        #expect(event.cause?.status == .unauthorized)
    }

    @Test(arguments: [
        (RestClientError(.timeout, "late") as any Error, FailureClass.timeout),
        (RestClientError(.unacceptableStatus, "no", response: .status(.unauthorized)), .unauthorized),
        (JobGraphError(.timeout, "late"), .timeout), (CancellationError(), .cancelled), (SignedOut(), .internal),
        (Circle(), .internal),
    ])
    func `an error that keeps its original has its class, however often it was derived`(
        original: any Error,
        expected: FailureClass
    ) {
        #expect(FailureClass(of: original) == expected)
        #expect(FailureClass(of: Rejected(original: original)) == expected)
        #expect(FailureClass(of: Rejected(original: Rejected(original: original))) == expected)
    }

    @Test
    func `outcomes of graphs and groups have the class of a mapped 401, and its response`() async throws {
        let (client, node) = Self.rejecting(.unauthorized)
        var graph = JobGraph("graph")
        let handle = graph.request("node") { node }
        let run = try await client.manager.run(graph)
        let group = await client.manager.concurrently([node])
        for outcome in [try run.outcome(of: handle), group.outcomes.first] {
            let error = try #require(outcome?.error as? Rejected)
            #expect(FailureClass(of: error) == .unauthorized)
            let original = try #require(error.original as? RestClientError)
            #expect(original.response?.body == Data("why".utf8))
            #expect(original.attempts == 1)
        }
    }

    @Test(arguments: [true, false])
    func `the report of a run shows the request whose error a handler changed`(keepsOriginal: Bool) async throws {
        let client = StubbedClient(answering: .status(.unauthorized))
        var graph = JobGraph("graph")
        let node = client.manager.request(String.self).endpoint("/a")
            .mapError { error in
                keepsOriginal ? Rejected(original: error) as any Error : SignedOut()
            }
        graph.request("node") { node }
        let run = try await client.manager.run(graph)
        let reported = try #require(run.report.nodes.first)
        #expect(reported.detail == "GET https://api.example.com/v1/a")
        #expect(reported.attempts == 1)
    }

    @Test
    func `retries of a node are decided by what a mapped error was made of`() async throws {
        for (status, method, expected) in [
            (.unauthorized, .get, "retrySuppressed errorNotRetryable"),
            (.serviceUnavailable, .get, "retryDecided 2"),
            (.serviceUnavailable, .post, "retrySuppressed mayHaveHadEffect"),
        ] as [(HTTPResponse.Status, HTTPRequest.Method, String)] {
            let (client, node) = Self.rejecting(status)
            var policy = RetryPolicy(attempts: 2)
            policy.backoff.first = .zero
            for isLocal in [false, true] {
                let log = EventRecorder(client.manager)
                var graph = JobGraph("graph")
                if isLocal {
                    // Only the error leaves the job.
                    graph.local("node", options: [.retry(policy)]) { try await node.method(method).send() }
                } else {
                    graph.request("node", options: [.retry(policy)]) { node.method(method) }
                }
                _ = try await client.manager.run(graph)
                let decision = try #require(log.lines.first { $0.hasPrefix("retry") })
                #expect(decision.hasPrefix(expected), "\(status) \(method) \(isLocal)")
                #expect(log.events.first { $0.line == decision }?.request?.method == method)
            }
        }
    }
}
