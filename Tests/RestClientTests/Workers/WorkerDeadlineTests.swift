// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// The time limits of calls that wait for a worker slot.
@Suite(.timeLimit(.minutes(5)))
struct WorkerDeadlineTests {
    private let gate = Gate()

    /// A client with one worker and a clock in the test's hand, whose responses wait at the gate.
    private func clientWithOneWorker(_ clock: ManualClock) -> StubbedClient {
        let gate = gate
        let transport = StubTransport { _ in
            try await gate.wait()
            return RawResponse()
        }
        return StubbedClient(transport) { configuration in
            configuration.workerCount = 1
            configuration.clock = clock
        }
    }

    @Test
    func `a call whose time is up while it waits for a slot fails, without an attempt`() async throws {
        let clock = ManualClock()
        let client = clientWithOneWorker(clock)
        let first = Task { try await client.manager.request(Void.self).endpoint("/a").send() }
        try await gate.waitForWaiters(count: 1)
        let second = Task { await client.failure { $0.endpoint("/b").timeout(.seconds(5)) } }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(5))

        let error = await second.value
        #expect(error?.code == .timeout)
        #expect(error?.message.contains("5.0 seconds") == true)
        #expect(error?.attempts == 0)
        #expect(client.manager.workers.waitingCount == 0)
        #expect(client.requests.count == 1)

        gate.open()
        try await first.value
        #expect(clock.deadlines.isEmpty)
    }

    @Test
    func `a slot that comes in time ends the wait for the deadline`() async throws {
        let clock = ManualClock()
        let client = clientWithOneWorker(clock)
        let first = Task { try await client.manager.request(Void.self).endpoint("/a").send() }
        try await gate.waitForWaiters(count: 1)
        let second = Task { try await client.manager.request(Void.self).endpoint("/b").timeout(.seconds(5)).send() }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))
        gate.open()
        try await first.value
        try await second.value
        #expect(client.requests.last?.timeout == .seconds(3))
        #expect(clock.deadlines.isEmpty)
    }
}
