// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Cancelling a call that runs in its caller's task, which continues.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct CallCancellationTests {
    /// Starts a call; the task returns true if the call was cancelled and the task was not.
    private static func start(_ node: RequestNode<Data>) -> Task<Bool, any Error> {
        Task {
            do {
                _ = try await node.send()
                return false
            } catch is CancellationError {
                return !Task.isCancelled
            }
        }
    }

    @Test
    func `while it waits for a worker, and no other call is`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 1
        } _: { client in
            let gate = Gate()
            client.server.onAny { _ in LoopbackResponse.text("ok").after(gate) }
            let first = Task { try await client.request(.get, "/first").send() }
            try await gate.waitForWaiters(count: 1)
            let log = EventRecorder(client.manager)
            let call = Self.start(client.request(.get, "/second").tags("late"))
            let other = Task { try await client.request(.get, "/third").send() }
            try await client.manager.workers.wait { $0.waiting == 2 }

            #expect(client.manager.calls.cancel(.tag("late")) == 1)

            #expect(try await call.value)
            #expect(try await log.wait(for: .callCancelled).count == 1)
            #expect(client.manager.workers.waitingCount == 1)
            gate.open()
            _ = try await first.value
            _ = try await other.value
            #expect(client.server.requests.map(\.path) == ["/first", "/third"])
        }
    }

    @Test(arguments: [false, true])
    func `while the server has not responded`(isRepeated: Bool) async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/slow") { _ in .never }
            client.server.on(.get, "/next") { _ in .text("next") }
            let log = EventRecorder(client.manager)
            let slow = client.request(.get, "/slow")
            let call = Task {
                let isCancelled = await #expect(throws: CancellationError.self) {
                    try await (isRepeated ? slow.retry(.standard) : slow).send()
                }
                return (isCancelled != nil, try await client.request(.get, "/next").send())
            }
            try await client.server.waitForRequests()

            client.manager.calls.cancel(.all)

            try await client.server.waitForEvent(.aborted(request: 1))
            let (isCancelled, next) = try await call.value
            #expect(isCancelled)
            #expect(next == Data("next".utf8))
            #expect(log.events.filter(\.isTerminal).map(\.kind.name) == [.callCancelled, .callSucceeded])
            #expect(client.manager.calls.running().isEmpty)
        }
    }

    @Test
    func `while it waits for its next attempt`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(503) }
            var policy = RetryPolicy(attempts: 2)
            policy.backoff.first = .seconds(3_600)
            policy.backoff.longest = .seconds(3_600)
            policy.backoff.jitter = 0
            let log = EventRecorder(client.manager)
            let call = Self.start(client.request(.get, "/").timeout(nil).retry(policy))
            try await log.wait(for: .retryDecided)

            client.manager.calls.cancel(.all)

            #expect(try await call.value)
            #expect(client.server.requests.count == 1)
        }
    }

    @Test
    func `while it waits for a token, which others still get`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in .text(request.headers["Authorization"] ?? "") }
            let gate = Gate()
            let session = TokenSource { _ in
                try await gate.wait()
                return AccessToken("fresh")
            }
            let call = Self.start(client.request(.get, "/").authentication(.bearer(session)))
            try await gate.waitForWaiters(count: 1)
            let other = Task { try await session.token() }
            await session.waitForWaiters(count: 2)

            client.manager.calls.cancel(.all)

            #expect(try await call.value)
            gate.open()
            #expect(try await other.value.value == "fresh")
            #expect(client.server.requests.isEmpty)
        }
    }

    @Test
    func `by an observer, as its attempt begins`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .never }
            let calls = client.manager.calls
            let observation = client.manager.observe(.names(.attemptStarted)) { _ in calls.cancel(.all) }
            defer { observation.cancel() }

            let isCancelled = try await Self.start(client.request(.get, "/")).value

            #expect(isCancelled)
            #expect(client.manager.workers.runningCount == 0)
        }
    }

    @Test
    func `by its interceptor, while it begins`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .never }
            let cancelled = Recorder<Int>()
            let canceller = Cancelling(calls: client.manager.calls, cancelled: cancelled)

            let isCancelled = try await Self.start(client.request(.get, "/").interceptors(canceller)).value

            #expect(isCancelled)
            #expect(cancelled.elements == [1])
        }
    }

    @Test
    func `at the end of the scope that it began in`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .never }
            let call = try await client.manager.withCalls {
                let call = Self.start(client.request(.get, "/"))
                try await client.server.waitForRequests()
                return call
            }
            #expect(try await call.value)
        }
    }

    @Test
    func `a call whose interceptor heeds only its task is cancelled by a task of its own`() async throws {
        try await LoopbackClient.with { client in
            let gate = Gate()
            let call = Self.start(client.request(.get, "/").interceptors(Waiting(gate: gate)))
            try await gate.waitForWaiters(count: 1)

            client.manager.calls.cancel(.all)

            #expect(try await call.value)
            #expect(client.server.requests.isEmpty)
        }
    }
}

/// An interceptor that waits at a gate.
private struct Waiting: Interceptor {
    let gate: Gate

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        try await gate.wait()
        return try await next(request)
    }
}

/// An interceptor that cancels its call before it waits for anything.
private struct Cancelling: Interceptor {
    let calls: RestClientManager.Calls
    let cancelled: Recorder<Int>

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        cancelled.record(calls.cancel(.all))
        return try await next(request)
    }
}
