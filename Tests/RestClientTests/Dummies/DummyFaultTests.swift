// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct DummyFaultTests {
    private let clock = ManualClock()
    private let client: StubbedClient
    private var manager: RestClientManager { client.manager }

    init() {
        let clock = clock
        client = StubbedClient { $0.clock = clock }
        client.manager.dummies.mode = .strict
    }

    @Test(
        arguments: [
            (.connectionReset, .connectionClosed, "the dummy 'GET /a' reset the connection"),
            (.malformed, .malformedResponse, "the dummy 'GET /a' sent a malformed response"),
            (.text("123456").truncated(), .connectionClosed, "the dummy 'GET /a' cut its body after 3 of 6 bytes"),
            (
                .text("123456").truncated(after: 9), .connectionClosed,
                "the dummy 'GET /a' cut its body after 5 of 6 bytes"
            ),
            (
                .text("123456").truncated(after: -1), .connectionClosed,
                "the dummy 'GET /a' cut its body after 0 of 6 bytes"
            ),
            (.status(.ok).truncated(), .connectionClosed, "the dummy 'GET /a' cut its body after 0 of 0 bytes"),
        ] as [(DummyResponse, RestClientError.Code, String)]
    )
    func `a fault fails the call as a server's does`(
        response: DummyResponse,
        code: RestClientError.Code,
        message: String
    ) async {
        manager.dummies.register(Dummy(.get, "/a").responds(response))
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == code)
        #expect(error?.message == message)
        #expect(error?.attempts == 1)
    }

    @Test
    func `a closure may respond with a fault`() async throws {
        manager.dummies.register(
            Dummy(.get, "/a").responds { _ in .connectionReset }.then { _ in .text("at last") }
        )
        #expect(await client.failure { $0.endpoint("/a") }?.code == .connectionClosed)
        #expect(try await manager.request(String.self).endpoint("/a").send() == "at last")
    }

    @Test
    func `no response is a timeout at the limit of the call`() async throws {
        manager.dummies.register(Dummy(.get, "/a").responds(.noResponse))
        let call = Task { await client.failure { $0.endpoint("/a").timeout(.seconds(10)) } }
        try await clock.waitForSleepers(count: 2)
        clock.advance(by: .seconds(10))
        #expect(await call.value?.code == .timeout)
    }

    @Test
    func `no response can be cancelled`() async throws {
        manager.dummies.register(Dummy(.get, "/a").responds(.noResponse))
        let call = Task { try await manager.request(Void.self).endpoint("/a").send() }
        try await clock.waitForSleepers(count: 2)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test
    func `a slow body takes its time, piece by piece`() async throws {
        manager.dummies.register(
            Dummy(.get, "/a").delay(.seconds(1)).responds(.text("12345").slowly(pieces: 2, every: .seconds(1)))
        )
        let call = Task { try await manager.request(String.self).endpoint("/a").response() }
        for _ in 0..<4 {
            // The limit of the call sleeps too.
            try await clock.waitForSleepers(count: 2)
            clock.advance(by: .seconds(1))
        }
        let response = try await call.value
        #expect(response.model == "12345")
        #expect(response.duration == .seconds(4))
    }

    @Test
    func `a slow body that outlasts the limit of the call is a timeout`() async throws {
        manager.dummies.register(Dummy(.get, "/a").responds(.text("12345").slowly(pieces: 1, every: .seconds(4))))
        let call = Task { await client.failure { $0.endpoint("/a").timeout(.seconds(10)) } }
        for _ in 0..<2 {
            try await clock.waitForSleepers(count: 2)
            clock.advance(by: .seconds(4))
        }
        try await clock.waitForSleepers(count: 2)
        clock.advance(by: .seconds(2))
        #expect(await call.value?.code == .timeout)
    }

    @Test
    func `a slow body over the size limit ends before it is all there`() async throws {
        manager.dummies.register(Dummy(.get, "/a").responds(.text("12345").slowly(pieces: 2, every: .seconds(1))))
        let call = Task { await client.failure { $0.endpoint("/a").limits(body: 3) } }
        for _ in 0..<2 {
            try await clock.waitForSleepers(count: 2)
            clock.advance(by: .seconds(1))
        }
        #expect(await call.value?.code == .responseTooLarge)
    }

    @Test(arguments: [(0, []), (1, [1]), (4, [2, 4]), (5, [2, 4, 5])] as [(Int, [Int])])
    func `a body is cut into pieces without a rest`(length: Int, ends: [Int]) {
        #expect(DummyResponse.Chunks(sizes: [2], interval: .zero).ends(in: length) == ends)
        #expect(
            DummyResponse.Chunks(sizes: [-3], interval: .seconds(-1))
                == DummyResponse.Chunks(sizes: [1], interval: .zero)
        )
    }

    @Test
    func `each call waits as long as the seed and its number say`() async throws {
        let delay = DummyDelay.uniform(.milliseconds(10)...(.milliseconds(90)), seed: 7)
        manager.dummies.register(Dummy(.get, "/a").delay(delay))
        for number in 1...3 {
            let call = Task { try await manager.request(Void.self).endpoint("/a").response() }
            try await clock.waitForSleepers(count: 2)
            clock.advanceToNextDeadline()
            #expect(try await call.value.duration == delay.duration(ofCall: number))
        }
    }
}
