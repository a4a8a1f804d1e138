// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

@Suite struct CallTimingsTests {
    private static let phases = ExchangeTimings(
        connecting: .milliseconds(4),
        sending: .milliseconds(1),
        waiting: .milliseconds(10),
        receiving: .milliseconds(5)
    )

    private static func timed(_ status: HTTPResponse.Status = .ok) -> RawResponse {
        var response = RawResponse(status: status)
        response.timings = phases
        return response
    }

    @Test
    func `a response says what its time went into`() async throws {
        let client = StubbedClient(answering: Self.timed())

        let response = try await client.manager.request(Void.self).endpoint("/a").response()

        let exchange = try #require(response.timings.exchanges.first)
        #expect(response.timings.exchanges.count == 1)
        #expect(exchange.phases == Self.phases)
        #expect(exchange.attempt == 1)
        #expect(exchange.end - exchange.start == .milliseconds(20))
        #expect(response.timings.waits.isEmpty)
        #expect(response.timings.queued == .zero)
        #expect(try #require(response.timings.decoding) >= .zero)
    }

    @Test
    func `each redirect is an exchange of its own`() async throws {
        let client = StubbedClient(answering: .redirect(302, to: "/b"), Self.timed())

        let response = try await client.manager.request(Void.self).endpoint("/a").response()

        #expect(response.timings.exchanges.map(\.attempt) == [1, 1])
        #expect(response.timings.exchanges.map(\.phases) == [nil, Self.phases])
    }

    @Test
    func `a failure says what its time went into too`() async throws {
        let refused = StubbedClient(answering: Self.timed(.notFound))
        let broken = StubbedClient(StubTransport { _ in throw RestClientError(.connectionClosed, "cut") })

        let status = try #require(await refused.failure { $0.endpoint("/a") })
        let cut = try #require(await broken.failure { $0.endpoint("/a") })

        #expect(status.timings?.exchanges.map(\.phases) == [Self.phases])
        #expect(status.timings?.decoding == nil)
        #expect(cut.timings?.exchanges.map(\.phases) == [nil])
    }

    @Test
    func `the last event of a call says what its time went into, and no other does`() async throws {
        let client = StubbedClient(answering: Self.timed(), Self.timed(.notFound))
        let log = EventRecorder(client.manager)

        try await client.manager.run(client.manager.request(Void.self).endpoint("/a"))
        _ = await client.failure { $0.endpoint("/a") }
        _ = await client.failure { $0.server("unknown") }

        let ends = log.events.filter(\.isTerminal)
        #expect(ends.map(\.kind.name) == [.callSucceeded, .callFailed, .callFailed])
        #expect(ends.map { $0.timings?.exchanges.map(\.phases) } == [[Self.phases], [Self.phases], nil])
        #expect(log.events.allSatisfy { $0.isTerminal || $0.timings == nil })
    }

    @Test
    func `a response of the cache had no exchange`() async throws {
        let client = StubbedClient(answering: Self.timed())
        let node = client.manager.request(Void.self).endpoint("/a").cache(.elseNetwork())
        _ = try await node.response()

        let response = try await node.response()

        #expect(response.source.isCache)
        #expect(response.timings.exchanges.isEmpty)
        #expect(response.timings.waits.isEmpty)
    }

    @Test
    func `a wait for a slot counts as queued, on the manager's clock`() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let transport = StubTransport { _ in
            try await gate.wait()
            return Self.timed()
        }
        let client = StubbedClient(transport) { configuration in
            configuration.clock = clock
            configuration.workerCount = 1
        }
        let node = client.manager.request(Void.self).endpoint("/a")

        async let first = node.response()
        try await transport.waitForRequests(count: 1)
        async let second = node.response()
        // Who waits for a slot with a time limit sleeps meanwhile.
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(3))
        gate.pass()
        gate.pass()

        #expect(try await first.timings.queued == .zero)
        #expect(try await second.timings.queued == .seconds(3))
    }

    @Test
    func `spans lie where they were, and those that took no time are left out`() {
        let timings = CallTimings(
            waits: [
                .init(start: .zero, end: .milliseconds(2), reason: .slot),
                .init(start: .milliseconds(30), end: .milliseconds(30), reason: .turn),
            ],
            exchanges: [
                .init(attempt: 1, start: .milliseconds(2), end: .milliseconds(7), phases: nil),
                .init(attempt: 2, start: .milliseconds(30), end: .milliseconds(50), phases: Self.phases),
            ],
            decoding: .milliseconds(3),
            decoded: .milliseconds(54)
        )

        let spans = timings.spans(from: .milliseconds(100))

        func span(_ phase: RunReport.Phase, _ attempt: Int, _ start: Int, _ end: Int) -> RunReport.Span {
            RunReport.Span(phase, attempt: attempt, start: .milliseconds(start), end: .milliseconds(end))
        }
        #expect(
            spans == [
                span(.queued, 1, 100, 102), span(.waiting, 1, 102, 107), span(.connecting, 2, 130, 134),
                span(.sending, 2, 134, 135), span(.waiting, 2, 135, 145), span(.receiving, 2, 145, 150),
                span(.decoding, 2, 151, 154),
            ]
        )
    }
}
