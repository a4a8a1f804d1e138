// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Places of the user's for handlers that do not keep to their contract, which is to run each once.
@Suite(.timeLimit(.minutes(5)))
struct CallbackPlaceTests {
    private let calls = Recorder<String>()

    private func node(_ client: StubbedClient) -> RequestNode<String> {
        client.manager.request(String.self).endpoint("/a")
            .onStart { [calls] in calls.record("start") }
            .onSuccess { [calls] _ in calls.record("success") }
            .onError(of: .cancelled) { [calls] _ in calls.record("cancel") }
    }

    @Test
    func `a place that runs its work twice calls each handler once`() async throws {
        let client = StubbedClient(answering: .text("x"))
        let call = node(client)
            .callbacks { work in
                work()
                work()
            }
            .resume()

        await call.finished()

        #expect(calls.elements == ["start", "success"])
    }

    @Test
    func `work that is run again after the call does nothing`() async throws {
        let client = StubbedClient(answering: .text("x"))
        let works = Recorder<@Sendable () -> Void>()
        let call = node(client)
            .callbacks { work in
                works.record(work)
                work()
            }
            .resume()
        await call.finished()

        for work in works.elements { work() }

        #expect(works.count == 2)
        #expect(calls.elements == ["start", "success"])
    }

    @Test
    func `a place that runs its work on two threads calls each handler once, and waits for its end`() async throws {
        let client = StubbedClient(answering: .text("x"))
        let call = node(client)
            .callbacks { work in
                for _ in 0..<2 {
                    Task { work() }
                }
            }
            .resume()

        await call.finished()

        #expect(calls.elements == ["start", "success"])
    }

    @Test
    func `a place that drops its work does not hold the call`() async throws {
        let client = StubbedClient(answering: .text("x"))
        let node = node(client).callbacks { _ in }

        #expect(try await node.send() == "x")
        await client.manager.calls.finished()

        #expect(calls.elements.isEmpty)
    }

    @Test
    func `work that a place keeps for a while and then drops lets a cancelled call end`() async throws {
        let client = StubbedClient(answering: .text("x"))
        let works = Recorder<@Sendable () -> Void>()
        let call = node(client).callbacks { works.record($0) }.resume()
        // The handler of the start keeps the call from its request.
        try await works.waitForCount(1)
        call.cancel()

        works.removeAll()
        try await works.waitForCount(1)
        works.removeAll()
        await call.finished()

        #expect(calls.elements.isEmpty)
        #expect(client.requests.isEmpty)
    }
}
