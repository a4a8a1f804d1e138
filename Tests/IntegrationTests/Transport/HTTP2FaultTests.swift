// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Each fault of a server of HTTP/2 is a typed error within its limit, or is ignored where that is right, and the next
/// call of the same manager succeeds.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2FaultTests {
    /// The possible outcomes of a call that meets a fault, by the name of the fault.
    static let outcomes: [String: Set<FaultOutcome>] = {
        var outcomes: [String: Set<FaultOutcome>] = [:]
        outcomes.expect(.failure(.timeout), from: [.streamStall, .streamStallInBody, .windowStall, .windowTakenAway])
        outcomes.expect(
            .failure(.connectionClosed),
            from: [
                .goAwayInBody, .streamReset, .streamResetInBody, .streamResetInUpload, .connectionClosedInData,
                .connectionResetInData,
            ]
        )
        // The direct transport sends again what was not processed.
        outcomes.expect(.body("good"), .failure(.connectionClosed), from: [.goAwayBeforeResponse, .streamRefused])
        outcomes.expect(
            .failure(.malformedResponse),
            from: [.interimHeaders, .emptyStatus, .emptyStatusBehindInterim, .wordAsHTTP2Status]
        )
        // A stream with an error is reset by the client, which reports only that.
        outcomes.expect(
            .failure(.malformedResponse),
            .failure(.connectionClosed),
            from: [
                .endlessWindow, .invalidSetting, .windowOverflow, .garbageFrames, .oversizedFrame,
                .dataBeforeHeaders, .pushedResponse, .shortData, .longData, .damagedHeaders, .headersWithoutStatus,
                .twoStatuses, .emptyStatusInTrailer, .capitalInName, .endlessHeaders,
            ]
        )
        // No window is needed for a request that was sent.
        outcomes.expect(
            .body("good"),
            .failure(.malformedResponse),
            .failure(.connectionClosed),
            from: [.emptyWindowUpdate]
        )
        outcomes.expect(.body("good"), from: [.goAwayThenResponse, .fewerStreams, .smallerWindow])
        return outcomes
    }()

    private static func outcome(
        _ manager: RestClientManager,
        _ fault: FaultServer.Fault,
        on server: FaultServer
    ) async throws -> FaultOutcome {
        var node = manager.request(String.self).endpoint("/")
        if FaultServer.Fault.uploadsOfHTTP2.contains(fault) {
            node = node.post().body(.bytes(Data(repeating: 7, count: 4 << 20)))
        }
        let request = node
        let limit: Duration = outcomes[fault.name] == [.failure(.timeout)] ? .milliseconds(250) : .seconds(20)
        return try await .meeting(fault, of: server, within: limit) { try await request.timeout($0).send() }
    }

    @Test(arguments: FaultServer.Fault.allOfHTTP2)
    func `a fault is its error, and the next call succeeds`(fault: FaultServer.Fault) async throws {
        try await FaultServerTests.overTLS(.http2, http2: true) { manager, server in
            let next = FaultServerTests.next(manager)
            let expected = try #require(Self.outcomes[fault.name])

            let outcome = try await Self.outcome(manager, fault, on: server)
            let first = try await next.send()
            let second = try await next.send()

            #expect(expected.contains(outcome), "\(outcome)")
            #expect([first, second] == ["good", "good"])
        }
    }

    @Test(arguments: FaultServer.Fault.allOfHTTP2)
    func `a fault on a kept connection harms neither its call nor the next one`(
        fault: FaultServer.Fault
    ) async throws {
        try await FaultServerTests.overTLS(.http2, http2: true) { manager, server in
            let next = FaultServerTests.next(manager)
            let expected = try #require(Self.outcomes[fault.name])

            let before = try await next.send()
            let outcome = try await Self.outcome(manager, fault, on: server)
            let after = try await next.send()

            #expect(expected.contains(outcome), "\(outcome)")
            #expect([before, after] == ["good", "good"])
        }
    }

    @Test
    func `a stalled stream holds up no other one`() async throws {
        try await FaultServerTests.overTLS(.http2, http2: true) { manager, server in
            let next = FaultServerTests.next(manager)
            _ = try await next.send()
            server.inject(.streamStallInBody)
            let stalled = Task { try await manager.request(String.self).endpoint("/").timeout(nil).send() }
            try await server.waitForRequests(count: 2)

            for _ in 0..<5 {
                let body = try await next.send()
                #expect(body == "good")
            }
            stalled.cancel()
            await #expect(throws: CancellationError.self) { try await stalled.value }

            #expect(server.connectionCount == 1)
        }
    }

    @Test
    func `calls wait for their turn when the server lowers the number of streams`() async throws {
        try await FaultServerTests.overTLS(.http2, http2: true) { manager, server in
            let node = manager.request(String.self).endpoint("/").timeout(.seconds(60))
            server.inject(.fewerStreams)
            _ = try await node.send()

            let report = await manager.concurrently((0..<20).map { node.query(["id": $0]) })

            #expect(report.values == Array(repeating: "good", count: 20))
            #expect(server.requestCount == 21)
        }
    }

    @Test(arguments: [FaultServer.Fault.streamRefused, .goAwayBeforeResponse])
    func `a request that was not processed is sent again, whatever its method`(
        fault: FaultServer.Fault
    ) async throws {
        try await FaultServerTests.overTLS(.http2, http2: true) { manager, server in
            server.inject(fault)
            let node = manager.request(String.self).endpoint("/").post().body(.bytes(Data("body".utf8)))
            let response = try await node.retry(.never).response()
            #expect(response.model == "good")
            #expect(response.attempts == 1)
            #expect(server.requestCount == 2)
        }
    }

    @Test(arguments: [FaultServer.Fault.streamWantsHTTP1, .connectionWantsHTTP1])
    func `a server that wants HTTP/1.1 gets the call over it, whatever its method, and all that follow`(
        fault: FaultServer.Fault
    ) async throws {
        let identity = try TestIdentity()
        try await FaultServer.with(http2: identity, orHTTP1: true) { server in
            let transport = try TransportKind.http2.makePatient(trusting: identity)
            let request = TransportRequest(method: .post, url: server.url + "/", body: .bytes(Data("body".utf8)))
            let before = try await transport.send(request)
            #expect(before.httpVersion == .http2)
            server.inject(fault)
            for _ in 0..<2 {
                let response = try await transport.send(request)
                #expect(response.text == "good")
                #expect(response.httpVersion == .http11)
            }
            #expect(server.requestCount == 4)
            #expect(server.connectionCount == 2)
        }
    }

    @Test
    func `a retry gets past a fault`() async throws {
        try await FaultServerTests.overTLS(.http2, http2: true) { manager, server in
            var policy = RetryPolicy(attempts: 4)
            policy.backoff.first = .zero
            for fault in [FaultServer.Fault.streamRefused, .goAwayBeforeResponse, .streamResetInBody] {
                server.inject(fault)
            }
            let response = try await manager.request(String.self).endpoint("/").retry(policy).response()
            #expect(response.model == "good")
            // The direct transport repeats what was not processed within an attempt.
            #expect(response.attempts == 2)
        }
    }
}
