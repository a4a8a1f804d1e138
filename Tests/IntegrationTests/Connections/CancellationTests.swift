// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Cancelling a call, at each moment of it.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct CancellationTests {
    /// The state after a call was cancelled at any moment.
    private static func expectCancelled(
        _ call: Task<Data, any Error>,
        _ client: LoopbackClient,
        _ log: EventRecorder
    ) async throws {
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(log.events.count { $0.isTerminal } == 1)
        #expect(log.names.last == .callCancelled)
        #expect(log.count(of: .cacheStored) == 0)
        // The request, which equal calls could have shared, is cancelled in a task of its own.
        try await client.manager.workers.wait { $0.running + $0.waiting == 0 }
        let error = await #expect(throws: RestClientError.self) {
            try await client.request(.get, "/slow").cache(.cacheOnly()).send()
        }
        #expect(error?.code == .notCached)
    }

    /// A call whose response would be stored.
    private static func start(_ client: LoopbackClient) -> Task<Data, any Error> {
        Task { try await client.request(.get, "/slow").cache(.elseNetwork()).send() }
    }

    @Test
    func `before it starts`() async throws {
        try await LoopbackClient.with { client in
            let log = EventRecorder(client.manager)
            let call = Task {
                await untilCancelled()
                return try await client.request(.get, "/slow").cache(.elseNetwork()).send()
            }
            call.cancel()
            try await Self.expectCancelled(call, client, log)
            #expect(client.server.connectionCount == 0)
        }
    }

    @Test
    func `while it waits for a worker`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 1
        } _: { client in
            let gate = Gate()
            client.server.onAny { _ in LoopbackResponse.text("ok").after(gate) }
            let first = Task { try await client.request(.get, "/first").send() }
            try await gate.waitForWaiters(count: 1)
            let log = EventRecorder(client.manager)
            let call = Self.start(client)
            try await client.manager.workers.wait { $0.waiting > 0 }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            gate.open()
            _ = try await first.value
            #expect(log.count(of: .callCancelled) == 1)
            #expect(client.manager.workers.waitingCount == 0)
            #expect(client.server.requests.map(\.path) == ["/first"])
        }
    }

    @Test
    func `while it connects`() async throws {
        let port = try LoopbackPort(.unanswering)
        try await LoopbackClient.with { configuration, connections in
            configuration = configuration.timeout(nil)
            connections.connectTimeout = .seconds(300)
        } _: { client in
            let log = EventRecorder(client.manager)
            let call = Task { try await client.manager.request().url(port.url + "/slow").send() }
            try await log.wait(for: .attemptStarted)
            call.cancel()
            try await Self.expectCancelled(call, client, log)
        }
    }

    @Test
    func `while it waits for the head`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .never }
            let log = EventRecorder(client.manager)
            let call = Self.start(client)
            try await client.server.waitForRequests()
            call.cancel()
            try await client.server.waitForEvent(.aborted(request: 1))
            try await Self.expectCancelled(call, client, log)
        }
    }

    @Test
    func `in the middle of the body`() async throws {
        try await LoopbackClient.with { client in
            let gate = Gate()
            client.server.onAny { _ in .chunks(["first", .wait(gate), "second"]) }
            let log = EventRecorder(client.manager)
            let call = Self.start(client)
            try await gate.waitForWaiters(count: 1)
            call.cancel()
            try await client.server.waitForEvent(.aborted(request: 1))
            try await Self.expectCancelled(call, client, log)
        }
    }

    @Test
    func `in the middle of a redirect`() async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/slow") { _ in .redirect(to: "/on") }
            client.server.on(.get, "/on") { _ in .never }
            let log = EventRecorder(client.manager)
            let call = Self.start(client)
            try await client.server.waitForRequests(count: 2)
            call.cancel()
            try await client.server.waitForEvent(.aborted(request: 2))
            try await Self.expectCancelled(call, client, log)
        }
    }

    @Test
    func `while a header provider is asked`() async throws {
        try await LoopbackClient.with { client in
            let gate = Gate()
            client.manager.options = client.manager.options.header(.userAgent) {
                try await gate.wait()
                return "late"
            }
            let log = EventRecorder(client.manager)
            let call = Self.start(client)
            try await gate.waitForWaiters(count: 1)
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(log.names.last == .callCancelled)
            #expect(client.server.connectionCount == 0)
        }
    }

    @Test
    func `while the response is decoded`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("whole") }
            let log = EventRecorder(client.manager)
            let canceller = Recorder<Task<Data, any Error>>()
            let node = client.request(.get, "/slow").cache(.elseNetwork())
                .decode { response in
                    canceller.elements.first?.cancel()
                    return response.body
                }
            let gate = Gate()
            let call = Task {
                try await gate.wait()
                return try await node.send()
            }
            canceller.record(call)
            gate.open()
            try await Self.expectCancelled(call, client, log)
            #expect(client.server.requests.count == 1)
        }
    }

    @Test
    func `after it has ended, which changes nothing`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("whole") }
            let log = EventRecorder(client.manager)
            let call = Self.start(client)
            let answer = try await call.value
            call.cancel()
            call.cancel()
            #expect(answer == Data("whole".utf8))
            #expect(log.names.last == .callSucceeded)
            let stored = try await client.request(.get, "/slow").cache(.cacheOnly()).send()
            #expect(stored == answer)
        }
    }

    @Test
    func `a group, all of whose open calls reach the wire`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 4
        } _: { client in
            let gate = Gate()
            client.server.onAny { _ in LoopbackResponse.text("ok").after(gate) }
            let log = EventRecorder(client.manager)
            let nodes = (0..<12).map { _ in client.request(.get, "/slow") }
            let group = Task { await client.manager.concurrently(nodes) }
            try await gate.waitForWaiters(count: 4)
            // A node that has not begun when the group is cancelled would not be run at all.
            try await log.wait(for: .callQueued, count: 8)
            group.cancel()
            let report = await group.value
            let cancelled = report.outcomes.count { outcome in
                if case .cancelled = outcome { true } else { false }
            }
            #expect(cancelled == 12)
            try await client.server.waitForAbortedRequests(count: 4)
            #expect(client.server.requests.count == 4)
            #expect(log.names.last == .groupFinished)
            #expect(client.manager.workers.runningCount == 0)
        }
    }

    @Test(.once)
    func `a connection whose call was cancelled is not used again`() async throws {
        try await LoopbackClient.with { client in
            let gate = Gate()
            client.server.on(.get, "/slow") { _ in .chunks(["first", .wait(gate), "second"]) }
            client.server.on(.get, "/next") { _ in .text("next") }
            let call = Self.start(client)
            try await gate.waitForWaiters(count: 1)
            call.cancel()
            _ = await call.result
            try await client.server.waitForEvent(.aborted(request: 1))
            gate.open()
            let answer = try await client.request(String.self, .get, "/next").send()
            #expect(answer == "next")
            #expect(client.server.requests.map(\.connection) == [1, 2])
        }
    }

    @Test
    func `over and over, with calls that live on beside it`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 8
        } _: { client in
            client.server.on(.get, "/quick/{id}") { request in .text(request.parameters["id"] ?? "") }
            client.server.on(.get, "/slow") { _ in .never }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for id in 0..<60 {
                    group.addTask {
                        let answer = try await client.request(String.self, .get, "/quick/{id}").parameter("id", id)
                            .send()
                        #expect(answer == String(id))
                    }
                    group.addTask {
                        let call = Self.start(client)
                        await Task.yield()
                        call.cancel()
                        await #expect(throws: CancellationError.self) { try await call.value }
                    }
                }
                try await group.waitForAll()
            }
            // A request that all its callers have left gives its slot back a moment after them.
            try await client.manager.workers.wait { $0.running + $0.waiting == 0 }
        }
    }
}
