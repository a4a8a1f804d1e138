// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Unsafe requests that failed before anything of them was sent.
@Suite(.timeLimit(.minutes(5)))
struct UnsentRequestTests {
    private static func graph(_ node: RequestNode<Data>, _ options: JobOptions = []) -> JobGraph {
        var graph = JobGraph("pay")
        graph.request("charge", options: options) { node }
        return graph
    }

    @Test
    func `a connection that is not made in time leaves no unknown outcome, and the request is repeated`() async throws {
        let port = try LoopbackPort(.unanswering)
        let manager = try RestClientManager.connected { _, connections in
            connections.connectTimeout = .milliseconds(50)
        }
        let log = EventRecorder(manager)
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        let node = manager.request().method(.post).url(port.url + "/charge").retry(policy)

        let run = try await manager.run(Self.graph(node), journal: "pay")

        let error = run.node("charge")?.error as? RestClientError
        #expect(error?.code == .timeout)
        #expect(error?.message.hasPrefix("no connection to 127.0.0.1:\(port.number) was made in time") == true)
        #expect(log.count(of: .attemptStarted) == 2)
        #expect(try await manager.journals.unresolved(in: "pay").isEmpty)
    }

    @Test
    func `a server that is not trusted leaves no unknown outcome`() async throws {
        try await LoopbackServer.with(.https1(try TestIdentity())) { server in
            let manager = try RestClientManager.connected()
            let node = manager.request().method(.post).url(server.url + "/charge")

            let run = try await manager.run(Self.graph(node), journal: "pay")

            #expect((run.node("charge")?.error as? RestClientError)?.code == .tlsFailed)
            #expect(try await manager.journals.unresolved(in: "pay").isEmpty)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(.eachTransport)
    func `a request whose body fails on its way was sent, whatever the error of the body says`() async throws {
        try await LoopbackServer.with(TransportKind.chosen.mode) { server in
            server.onAny { _ in .text("never") }
            let manager = try RestClientManager.connected()
            let (chunks, source) = AsyncThrowingStream<Data, any Error>.makeStream()
            let body = RequestBody.stream(chunks, contentType: "text/plain")
            let node = manager.request().method(.post).url(server.url + "/charge").body(body)
            let run = Task { try await manager.run(Self.graph(node), journal: "pay") }
            source.yield(Data("first".utf8))
            try await server.waitForEvent(.requestStarted(request: 1))
            source.finish(throwing: RestClientError(.connectionFailed, "another call could not connect"))

            #expect(try await (run.value.node("charge")?.error as? RestClientError)?.code == .connectionFailed)
            #expect(try await manager.journals.unresolved(in: "pay").map(\.name) == ["charge"])
        }
    }

    @Test
    func `a request whose time is up while it has no connection was not sent, and one that was sent may have been`()
        async throws
    {
        let transport = DirectTransport()
        let port = try LoopbackPort(.unanswering)
        func failure(_ url: String) async -> RestClientError? {
            await #expect(throws: RestClientError.self) {
                try await transport.send(TransportRequest(method: .post, url: url, timeout: .milliseconds(50)))
            }
        }

        #expect(await failure(port.url + "/")?.isUnsent == true)
        try await LoopbackServer.with { server in
            let gate = Gate()
            server.onAny { _ in LoopbackResponse.text("late").after(gate) }
            let error = await failure(server.url + "/")
            #expect(error?.code == .timeout)
            // A busy machine may not have connected by then.
            #expect(error?.isUnsent == server.requests.isEmpty || server.requests.isEmpty)
            gate.open()
        }
    }
}
