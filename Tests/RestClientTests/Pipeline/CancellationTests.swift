// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct CancellationTests {
    private let gate = Gate()

    private func waitingClient(configure: (inout RestClientManager.Configuration) -> Void = { _ in }) -> StubbedClient {
        let gate = gate
        return StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return RawResponse()
            },
            configure: configure
        )
    }

    @Test
    func `cancelling reaches the wire, frees the slot and ends in one cancelled event`() async throws {
        let client = waitingClient()
        let log = EventRecorder(client.manager)
        let call = Task { try await client.manager.request(Void.self).endpoint("/a").send() }
        try await gate.waitForWaiters(count: 1)
        #expect(client.manager.workers.runningCount == 1)

        call.cancel()
        call.cancel()

        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(gate.waiterCount == 0)
        #expect(client.manager.workers.runningCount == 0)
        #expect(log.lines == ["callStarted", "attemptStarted 1", "attemptFailed 1 cancelled", "callCancelled"])
    }

    @Test
    func `a task that is cancelled already sends nothing`() async throws {
        let client = StubbedClient()
        let log = EventRecorder(client.manager)
        let start = Gate()
        let call = Task {
            try? await start.wait()
            try await client.manager.request(Void.self).endpoint("/a").send()
        }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(client.requests.isEmpty)
        #expect(log.lines.first == "callStarted")
        #expect(log.lines.last == "callCancelled")
        #expect(log.events.count { $0.isTerminal } == 1)
    }

    @Test
    func `the error of a cancelled call is a CancellationError`() async throws {
        let gate = gate
        let client = StubbedClient(
            StubTransport { _ in
                try? await gate.wait()
                throw RestClientError(.connectionClosed, "cut")
            }
        )
        let call = Task { try await client.manager.request(Void.self).endpoint("/a").send() }
        try await gate.waitForWaiters(count: 1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test
    func `a call cancelled while its response is decoded is cancelled`() async throws {
        let client = StubbedClient(answering: .text("x"))
        let log = EventRecorder(client.manager)
        let call = Task {
            try await client.manager.request(Int.self).endpoint("/a")
                .decode { _ in
                    unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
                    return 1
                }
                .send()
        }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(log.lines.last == "callCancelled")
    }

    @Test
    func `a call cancelled while it waits for a slot leaves the queue`() async throws {
        let client = waitingClient { $0.workerCount = 1 }
        let first = Task { try await client.manager.request(Void.self).endpoint("/a").send() }
        try await gate.waitForWaiters(count: 1)
        let log = EventRecorder(client.manager)
        let second = Task { try await client.manager.request(Void.self).endpoint("/b").send() }
        try await log.wait(for: .callQueued)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(client.manager.workers.waitingCount == 0)
        gate.open()
        try await first.value
        #expect(client.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func `a call that is cancelled while it waits for a slot is released, with its options`(
        isByTask: Bool
    ) async throws {
        let client = waitingClient { $0.workerCount = 1 }
        let first = Task { try await client.manager.request(Void.self).endpoint("/a").send() }
        try await gate.waitForWaiters(count: 1)
        let released = Gate()
        do {
            let node = client.manager.request(Void.self).endpoint("/b").tags("second")
                .option(CallOptionKey<ReleaseWatch>("load"), ReleaseWatch(released))
            let second = Task { try await node.send() }
            try await client.manager.workers.wait { $0.waiting > 0 }
            if isByTask {
                second.cancel()
            } else {
                #expect(client.manager.calls.cancel(.tag("second")) == 1)
            }
            await #expect(throws: CancellationError.self) { try await second.value }
        }

        try await released.wait()
        gate.open()
        try await first.value
    }

    @Test
    func `a rewriting handler is not called when the call is cancelled`() async throws {
        let client = waitingClient()
        let call = Task {
            try await client.manager.request(Void.self).endpoint("/a")
                .mapResult { result in
                    Issue.record("a cancelled call was handed to mapResult")
                    return try result.get()
                }
                .send()
        }
        try await gate.waitForWaiters(count: 1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }
}
