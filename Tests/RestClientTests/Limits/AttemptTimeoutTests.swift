// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct AttemptTimeoutTests {
    @Test
    func `an attempt that takes too long ends, and another one is made`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(
            StubTransport { request in
                if request.headers[.userAgent] == nil {
                    await untilCancelled()
                    throw CancellationError()
                }
                return .text("7")
            }
        ) { $0.clock = clock }
        let attempts = Recorder<Void>()
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        let node = client.manager.request(Int.self).endpoint("/a").timeouts(attempt: .seconds(2)).retry(policy)
            .header(.userAgent) {
                attempts.record(())
                return attempts.count == 1 ? nil : "second"
            }

        let call = Task { try await node.response() }
        try await client.transport.waitForRequests(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))

        let response = try await call.value
        #expect(response.model == 7)
        #expect(response.attempts == 2)
    }

    @Test
    func `the last attempt's error says which limit it met`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(
            StubTransport { _ in
                await untilCancelled()
                throw CancellationError()
            }
        ) { $0.clock = clock }
        let node = client.manager.request(Int.self).endpoint("/a").timeouts(attempt: .seconds(2))

        let call = Task { try await node.send() }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(2))

        let error = await #expect(throws: RestClientError.self) { try await call.value }
        #expect(error?.code == .timeout)
        #expect(error?.message.contains("timeouts(attempt:)") == true)
    }
}
