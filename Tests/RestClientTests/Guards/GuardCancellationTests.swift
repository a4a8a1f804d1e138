// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Guarded calls without a task of their own, and their cancellation at each moment.
@Suite(.timeLimit(.minutes(5)))
struct GuardCancellationTests {
    /// A stub that heeds the cancellation of calls.
    private struct CancellingStub: CancellingTransport {
        let respond: @Sendable (TransportRequest) async throws -> RawResponse

        func send(_ request: TransportRequest) async throws -> RawResponse {
            guard let cancellation = request.cancellation else {
                return try await respond(request)
            }
            return try await cancellation.waits { try await respond(request) }
        }
    }

    private static func client(
        _ clock: ManualClock = ManualClock(),
        workers: Int = 8,
        guards describe: (Server) -> Server = { $0 },
        _ respond: @escaping @Sendable (TransportRequest) async throws -> RawResponse
    ) -> StubbedClient {
        let client = StubbedClient { configuration in
            configuration.clock = clock
            configuration.transport = CancellingStub(respond: respond)
            configuration.workerCount = workers
            configuration = configuration.timeout(.seconds(10))
        }
        client.manager.servers["store"] = describe(Server("https://api.example.com/v1"))
        return client
    }

    /// Starts a call; the task returns true if the call was cancelled and the task was not.
    private static func start(_ client: StubbedClient, _ tag: String) -> Task<Bool, any Error> {
        let node = client.manager.request(Void.self).endpoint("/a").tags(tag)
        return Task {
            do {
                try await node.send()
                return false
            } catch is CancellationError {
                return !Task.isCancelled
            }
        }
    }

    typealias Describe = @Sendable (RequestNode<Data>) -> RequestNode<Data>

    private static let options: [Describe] = [
        { $0 }, { $0.rateLimit(.perSecond(9)) }, { $0.concurrency(1) }, { $0.circuitBreaker(.standard) },
        { $0.retryBudget(.standard).retry(.standard) },
        { $0.rateLimit(.perSecond(9)).concurrency(.adaptive()).circuitBreaker(.standard) },
        { $0.concurrency(1).hedging(.after(.seconds(1))) }, { $0.concurrency(1).timeouts(attempt: .seconds(1)) },
        { $0.concurrency(1).progressEvents() }, { $0.concurrency(1).timeouts(firstByte: .seconds(1)) },
        { $0.sharingFlight() }, { $0.cache(.elseNetwork()) }, { $0.refusingDuplicates() },
        { $0.minimumDuration(.seconds(1)) }, { $0.header(.userAgent) { "a" } },
        { $0.fallback(.value(Data())) },
    ]

    @Test(arguments: options.indices)
    func `a call is cancelled on the wire without its task, whatever its options`(index: Int) async throws {
        let gate = Gate()
        let client = Self.client { _ in
            try await gate.wait()
            return .text("late")
        }
        let node = Self.options[index](client.manager.request(Data.self).endpoint("/a").tags("late"))
        let call = Task {
            let error = await #expect(throws: CancellationError.self) { try await node.send() }
            return error != nil && !Task.isCancelled
        }
        try await gate.waitForWaiters(count: 1)

        #expect(client.manager.calls.cancel(.tag("late")) == 1)

        #expect(await call.value)
        #expect(client.manager.calls.running().isEmpty)
        #expect(client.manager.workers.runningCount == 0)
    }

    @Test
    func `over a transport that heeds only its task, which ends with the call`() async throws {
        let gate = Gate()
        let ends = Recorder<Bool>()
        let client = StubbedClient(
            StubTransport { request in
                #expect(request.cancellation == nil)
                do {
                    try await gate.wait()
                } catch {
                    ends.record(Task.isCancelled)
                    throw error
                }
                return .text("7")
            }
        )
        let call = Self.start(client, "late")
        try await gate.waitForWaiters(count: 1)
        #expect(client.manager.calls.running().count == 1)

        #expect(client.manager.calls.cancel(.tag("late")) == 1)

        #expect(try await call.value)
        #expect(ends.elements == [true])
        #expect(client.manager.calls.running().isEmpty)
        #expect(client.manager.workers.runningCount == 0)
    }

    @Test(arguments: [false, true])
    func `in the line, which it leaves at once`(isRate: Bool) async throws {
        let clock = ManualClock()
        let gate = Gate()
        let describe = { (server: Server) in isRate ? server.rateLimit(.perSecond(1)) : server.concurrency(1) }
        let client = Self.client(clock, guards: describe) { _ in
            if !isRate {
                try await gate.wait()
            }
            return .text("7")
        }
        let first = Self.start(client, "first")
        if isRate {
            #expect(try await first.value == false)
        } else {
            try await gate.waitForWaiters(count: 1)
        }
        let late = Self.start(client, "late")
        try await clock.waitForSleepers(count: 1)
        let last = isRate ? nil : Self.start(client, "last")
        try await clock.waitForSleepers(count: isRate ? 1 : 2)

        #expect(client.manager.calls.cancel(.tag("late")) == 1)

        #expect(try await late.value)
        #expect(client.manager.guards["store"]?.waiting == (isRate ? 0 : 1))
        gate.open()
        #expect(try await first.value == false)
        #expect(try await last?.value != true)
        #expect(client.manager.guards["store"]?.waiting == 0)
        #expect(client.manager.guards["store"]?.running == 0)
    }

    @Test
    func `between its entry into the line and its wait`() async throws {
        let clock = ManualClock()
        func one(_ server: Server) -> Server { server.concurrency(1) }
        let client = Self.client(clock, guards: one) { _ in .text("7") }
        func call() throws -> CallContext {
            let node = client.manager.request(Void.self).endpoint("/a")
            return try client.manager.runner
                .prepare(node.specification, CallContext.Beginning(id: .next(), start: .zero))
        }
        let shared = client.manager.guards[GuardKey(server: "store")]
        let (first, second) = (try call(), try call())
        let terms = try #require(second.policy.part(GuardTerms.self))
        let limits = try #require(terms.lines.first?.limits)
        _ = shared.receive(limits, first, at: .zero)
        guard case .wait(let ticket, let wait) = shared.receive(limits, second, at: .zero) else {
            Issue.record("the second call does not wait")
            return
        }

        second.makeCancellable().cancel()

        await #expect(throws: CancellationError.self) { try await shared.wait(ticket, wait, second) }
        #expect(shared.snapshot.waiting == 0)
        #expect(shared.snapshot.running == 1)
    }

    @Test
    func `while it waits for a worker behind its guards, or for the server`() async throws {
        let gate = Gate()
        func guarded(_ server: Server) -> Server { server.concurrency(4).circuitBreaker(.standard) }
        let client = Self.client(workers: 1, guards: guarded) { _ in
            try await gate.wait()
            return .text("7")
        }
        let first = Self.start(client, "first")
        try await gate.waitForWaiters(count: 1)
        let second = Self.start(client, "second")
        try await client.manager.workers.wait { $0.waiting == 1 }
        #expect(client.manager.guards["store"]?.running == 2)

        client.manager.calls.cancel(.tag("second"))
        #expect(try await second.value)
        #expect(client.manager.guards["store"]?.running == 1)
        client.manager.calls.cancel(.tag("first"))
        #expect(try await first.value)

        #expect(client.manager.guards["store"]?.running == 0)
        // A cancelled call says nothing of the server.
        #expect(client.manager.guards["store"]?.calls == 0)
    }

    @Test
    func `a remembered place finds the guard that is registered, also after the first was forgotten`() throws {
        let client = Self.client { _ in .text("7") }
        let guards = client.manager.guards
        let place = GuardPlace(GuardKey(server: "store"))
        let first = place.shared(in: guards)
        #expect(first === guards[place.key])
        #expect(first === place.shared(in: guards))

        for number in 0...1_024 {
            _ = guards[GuardKey(server: "\(number)")]
        }

        #expect(first.isForgotten)
        #expect(place.shared(in: guards) !== first)
        #expect(place.shared(in: guards) === guards[place.key])
    }
}
