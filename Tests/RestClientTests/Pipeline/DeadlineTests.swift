// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct DeadlineTests {
    private let clock = ManualClock()
    private let gate = Gate()

    /// An interceptor that waits where the test wants it to.
    private struct Wait: Interceptor {
        let gate: Gate

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            try await gate.wait()
            return try await next(request)
        }
    }

    @Test
    func `the remaining time is passed to the transport`() async throws {
        let gate = gate
        let client = StubbedClient { configuration in
            configuration.clock = clock
            configuration = configuration.interceptors(Wait(gate: gate))
        }
        let call = Task { try await client.manager.request(Void.self).endpoint("/a").timeout(.seconds(10)).send() }
        try await gate.waitForWaiters(count: 1)
        clock.advance(by: .seconds(4))
        gate.open()
        try await call.value
        #expect(client.requests.first?.timeout == .seconds(6))
    }

    @Test
    func `an interceptor that takes too long ends the call`() async throws {
        let gate = gate
        let client = StubbedClient { configuration in
            configuration.clock = clock
            configuration = configuration.interceptors(Wait(gate: gate))
        }
        let call = Task { await client.failure { $0.endpoint("/a").timeout(.seconds(10)) } }
        try await gate.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(10))
        let error = await call.value
        #expect(error?.code == .timeout)
        #expect(error?.failureClass == .timeout)
        #expect(error?.message.contains("10.0 seconds") == true)
        #expect(error?.attempts == 0)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `a provider of a header field that takes too long ends the call`() async throws {
        let gate = gate
        let client = StubbedClient { $0.clock = clock }
        client.manager.options = client.manager.options.header(.authorization) {
            try await gate.wait()
            return "late"
        }
        let call = Task { await client.failure { $0.endpoint("/a").timeout(.seconds(1)) } }
        try await gate.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))
        #expect(await call.value?.code == .timeout)
    }

    @Test
    func `a timeout of the transport becomes the library's error and keeps its cause`() async {
        struct Cause: Error {}
        let client = StubbedClient(
            StubTransport { _ in throw RestClientError(.timeout, "late", underlying: Cause()) }
        ) { [clock] configuration in
            configuration.clock = clock
            configuration = configuration.timeout(.seconds(3))
        }
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .timeout)
        #expect(error?.message.contains("3.0 seconds") == true)
        #expect(error?.underlying is Cause)
        #expect(error?.attempts == 1)
    }

    @Test(arguments: [Duration.zero, .seconds(-5)])
    func `no time at all is a timeout, not a trap`(timeout: Duration) async {
        let client = StubbedClient { $0.clock = clock }
        let error = await client.failure { $0.endpoint("/a").timeout(timeout) }
        #expect(error?.code == .timeout)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `the longest possible time does not trap`() async throws {
        let client = StubbedClient()
        client.manager.dummies.mode = .matched
        client.manager.dummies.register(.get, "/a") { _ in .status(.ok) }
        try await client.manager.request(Void.self).endpoint("/a").timeout(.seconds(Int64.max)).send()
        try await client.manager.request(Void.self).endpoint("/b").timeout(.seconds(Int64.max)).send()
    }
}
