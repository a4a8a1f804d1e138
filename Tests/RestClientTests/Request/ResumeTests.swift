// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct ResumeTests {
    private let calls = Recorder<String>()

    /// A call that notes which of its handlers is called.
    private func node(_ client: StubbedClient) -> RequestNode<String> {
        let calls = calls
        return client.manager.request(String.self).endpoint("/a")
            .onSuccess { calls.record("success \($0.model)") }
            .onCacheSuccess { calls.record("cache \($0.model)") }
            .onError { calls.record("error \(($0 as? RestClientError)?.code.description ?? "\(type(of: $0))")") }
    }

    @Test
    func `a success calls its handler once and no other`() async {
        await node(StubbedClient(answering: .text("x"))).resume().finished()
        #expect(calls.elements == ["success x"])
    }

    @Test
    func `handlers are called whichever way the call is sent`() async throws {
        let client = StubbedClient(answering: .text("x"))
        _ = try await node(client).send()
        _ = try await node(client).response()
        _ = try await client.manager.concurrently(node(client))
        for try await _ in node(client).responses() {}
        #expect(calls.elements == ["success x", "success x", "success x", "success x"])
        _ = try? await node(StubbedClient(answering: .status(.notFound))).send()
        #expect(calls.elements.last == "error unacceptableStatus")
        await node(client).resume { _ in }.finished()
        #expect(calls.elements.count == 5)
    }

    @Test
    func `a failure calls its handler once and no other`() async {
        await node(StubbedClient(answering: .status(.notFound))).resume().finished()
        #expect(calls.elements == ["error unacceptableStatus"])
    }

    @Test
    func `a call that does not resolve calls the error handler`() async {
        await node(StubbedClient()).server("unknown").resume().finished()
        #expect(calls.elements == ["error unknownServer"])
    }

    @Test
    func `a response from the cache calls the handler for it, or else the other one`() async {
        let client = StubbedClient(answering: .text("x"))
        let node = node(client).cache(.elseNetwork())
        await node.resume().finished()
        await node.resume().finished()
        #expect(calls.elements == ["success x", "cache x"])

        let calls = calls
        await client.manager.request(String.self).endpoint("/a").cache(.cacheOnly())
            .onSuccess { calls.record("only \($0.model)") }.resume().finished()
        #expect(calls.elements.last == "only x")
    }

    @Test
    func `cancelling calls the error handler once, however often it is done`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return .text("x")
            }
        )
        let call = node(client).resume()
        try await gate.waitForWaiters(count: 1)
        call.cancel()
        call.cancel()
        await call.finished()
        call.cancel()
        #expect(calls.elements == ["error CancellationError"])
        #expect(gate.waiterCount == 0)
    }

    @Test
    func `cancelling too late changes nothing`() async {
        let call = node(StubbedClient(answering: .text("x"))).resume()
        await call.finished()
        call.cancel()
        #expect(calls.elements == ["success x"])
    }

    @Test
    func `a call goes on when nobody keeps it`() async throws {
        node(StubbedClient(answering: .text("x"))).resume()
        try await calls.waitForCount(1)
        #expect(calls.elements == ["success x"])
    }

    @Test
    func `a completion is called in place of the node's handlers`() async {
        let calls = calls
        await node(StubbedClient(answering: .text("x")))
            .resume { result in
                calls.record("completion \((try? result.get().model) ?? "")")
            }
            .finished()
        #expect(calls.elements == ["completion x"])
    }

    @Test
    func `a completion receives the error`() async {
        let calls = calls
        await node(StubbedClient(answering: .status(.conflict)))
            .resume { result in
                do {
                    _ = try result.get()
                } catch {
                    calls.record("\((error as? RestClientError)?.status?.code ?? 0)")
                }
            }
            .finished()
        #expect(calls.elements == ["409"])
    }

    @Test
    func `without handlers nothing happens, and nothing traps`() async {
        let client = StubbedClient(answering: .status(.conflict))
        await client.manager.request(Void.self).endpoint("/a").resume().finished()
        #expect(client.requests.count == 1)
    }

    @Test
    func `handlers see what mapResult made of the result`() async {
        let client = StubbedClient(answering: .status(.conflict))
        await node(client).mapResult { _ in "saved" }.resume().finished()
        #expect(calls.elements == ["success saved"])
    }

    @Test
    func `the terminal event comes before the callback`() async {
        let client = StubbedClient(answering: .text("x"))
        let calls = calls
        let observation = client.manager.observe { event in
            if event.isTerminal {
                calls.record(event.line)
            }
        }
        await node(client).resume().finished()
        #expect(calls.elements == ["callSucceeded 200 network", "success x"])
        observation.cancel()
    }

    @Test
    func `a node may be resumed any number of times`() async {
        let node = node(StubbedClient(answering: .text("x")))
        let running = (0..<20).map { _ in node.resume() }
        for call in running {
            await call.finished()
        }
        #expect(calls.count == 20)
    }
}
