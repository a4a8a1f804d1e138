// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Each fault of a server is a typed error within its limit, or is ignored where that is right, and the next call of
/// the same manager succeeds.
@Suite(.timeLimit(.minutes(5)))
struct FaultServerTests {
    /// The possible outcomes of a call that meets a fault, by the name of the fault.
    static let outcomes: [String: Set<FaultOutcome>] = {
        var outcomes: [String: Set<FaultOutcome>] = [:]
        outcomes.expect(
            .failure(.timeout),
            from: [.stallBeforeHead, .stallInHead, .stallInBody, .stallInChunk, .stallInRequest]
        )
        outcomes.expect(
            .failure(.connectionClosed),
            from: [
                .closedUnderRequest, .cutBeforeHead, .cutInHead, .cutInBody, .resetInBody, .cutInChunk,
                .cutBeforeLastChunk, .cutAfterInterim, .resetUpload,
            ]
        )
        // A request of which nothing was written before the connection was lost may be sent again.
        outcomes.expect(.failure(.connectionClosed), .unharmed, from: [.closedAtOnce, .resetAtOnce])
        outcomes.expect(
            .failure(.malformedResponse),
            from: [
                .negativeLength, .wordAsLength, .endlessLength, .twoLengths, .bothFramings, .unknownCoding,
                .chunkedFirst, .wordAsChunkSize, .endlessChunk, .longChunk, .unexpectedUpgrade, .garbageLine,
                .wordAsStatus, .lowStatus, .fieldWithoutColon, .spaceInName, .nullInValue, .interimFlood(),
                .damagedGzip, .marksInField,
            ]
        )
        outcomes.expect(.failure(.headerTooLarge), from: [.hugeField(), .manyFields()])
        outcomes.expect(.failure(.responseTooLarge), from: [try? .gzipBomb()].compactMap(\.self))
        outcomes.expect(.body("go"), from: [.shortLength])
        outcomes.expect(.body("good"), from: [.surplusResponse, .surplusBytes, .byteByByte(every: .milliseconds(1))])
        outcomes.expect(.failure(.unacceptableStatus), .failure(.connectionClosed), from: [.earlyResponse])
        return outcomes
    }()

    /// A manager that calls a server over a transport of its own.
    static func manager(
        _ kind: TransportKind,
        _ server: FaultServer,
        trusting identity: TestIdentity? = nil
    ) throws -> RestClientManager {
        var configuration = RestClientManager.Configuration()
        configuration.transport = try kind.makePatient(trusting: identity)
        let manager = RestClientManager(configuration: configuration)
        manager.servers["faulty"] = Server(server.url)
        manager.defaultServer = "faulty"
        manager.options = manager.options.limits(body: 1 << 20)
        return manager
    }

    /// Runs an operation with a server over TLS, and a manager that calls it and trusts it.
    static func overTLS(
        _ kind: TransportKind,
        http2: Bool = false,
        _ body: (RestClientManager, FaultServer) async throws -> Void
    ) async throws {
        let identity = try TestIdentity()
        if http2 {
            try await FaultServer.with(http2: identity) { server in
                try await body(try manager(kind, server, trusting: identity), server)
            }
        } else {
            try await FaultServer.with(https1: identity) { server in
                try await body(try manager(kind, server, trusting: identity), server)
            }
        }
    }

    /// A call that meets no fault.
    static func next(_ manager: RestClientManager) -> RequestNode<String> {
        manager.request(String.self).endpoint("/next").timeout(.seconds(60))
    }

    /// Makes a call that meets a fault, and returns its outcome.
    static func outcome(
        _ manager: RestClientManager,
        _ fault: FaultServer.Fault,
        on server: FaultServer
    ) async throws -> FaultOutcome {
        let node = node(manager, fault)
        return try await .meeting(fault, of: server, within: limit(for: fault)) { try await node.timeout($0).send() }
    }

    /// The same for a call whose response is streamed.
    static func streamedOutcome(
        _ manager: RestClientManager,
        _ fault: FaultServer.Fault,
        on server: FaultServer
    ) async throws -> FaultOutcome {
        let node = node(manager, fault)
        return try await .meeting(fault, of: server, within: limit(for: fault)) { limit in
            let response = try await node.timeout(limit).stream()
            var body = Data()
            for try await chunk in response.bytes {
                body += chunk
            }
            return String(decoding: body, as: UTF8.self)
        }
    }

    private static func limit(for fault: FaultServer.Fault) -> Duration {
        fault.steps.contains(.stall) ? .milliseconds(250) : .seconds(60)
    }

    private static func node(_ manager: RestClientManager, _ fault: FaultServer.Fault) -> RequestNode<String> {
        let node = manager.request(String.self).endpoint("/")
        guard case .body = fault.moment else {
            return node
        }
        return node.post().body(.bytes(Data(repeating: 7, count: 32 << 20)))
    }

    @Test(arguments: FaultServer.Fault.all)
    func `a fault is its error, and the next call succeeds`(fault: FaultServer.Fault) async throws {
        try await FaultServer.with { server in
            let manager = try Self.manager(.http1, server)
            let next = manager.request(String.self).endpoint("/next").timeout(.seconds(60))
            let outcome = try await Self.outcome(manager, fault, on: server)
            let expected = try #require(Self.outcomes[fault.name])
            #expect(expected.contains(outcome), "\(outcome)")
            for _ in 0..<2 {
                #expect(try await next.send() == "good")
            }
        }
    }

    @Test(arguments: FaultServer.Fault.all.filter { $0.moment != .accepted })
    func `a fault on a kept connection harms neither its call nor the next one`(
        fault: FaultServer.Fault
    ) async throws {
        try await FaultServer.with { server in
            let manager = try Self.manager(.http1, server)
            let next = manager.request(String.self).endpoint("/next").timeout(.seconds(60))
            #expect(try await next.send() == "good")
            let outcome = try await Self.outcome(manager, fault, on: server)
            let expected = try #require(Self.outcomes[fault.name])
            // A transport may send a request again whose kept connection was closed before a byte of the response.
            let mayRepeat = [.closedUnderRequest, .cutBeforeHead].contains(fault)
            #expect(expected.contains(outcome) || mayRepeat && outcome == .unharmed, "\(outcome)")
            #expect(try await next.send() == "good")
        }
    }

    @Test(arguments: FaultServer.Fault.all)
    func `a fault in a streamed response is its error too`(fault: FaultServer.Fault) async throws {
        try await FaultServer.with { server in
            let manager = try Self.manager(.http1, server)
            let outcome = try await Self.streamedOutcome(manager, fault, on: server)
            let expected = try #require(Self.outcomes[fault.name])
            #expect(expected.contains(outcome), "\(outcome)")
            #expect(try await Self.next(manager).send() == "good")
        }
    }

    @Test
    func `a server that sends a byte at a time meets the limit of the call`() async throws {
        try await FaultServer.with { server in
            let manager = try Self.manager(.http1, server)
            server.inject(.byteByByte(every: .milliseconds(50)))
            let outcome = try await FaultOutcome.of {
                try await manager.request(String.self).endpoint("/").timeout(.milliseconds(300)).send()
            }
            #expect(outcome == .failure(.timeout))
            #expect(try await manager.request(String.self).endpoint("/next").send() == "good")
        }
    }

    @Test
    func `a retry gets past a fault`() async throws {
        try await FaultServer.with { server in
            let manager = try Self.manager(.http1, server)
            var policy = RetryPolicy(attempts: 4)
            policy.backoff.first = .zero
            for fault in [FaultServer.Fault.cutInBody, .garbageLine, .resetInBody] {
                server.inject(fault)
            }
            let response = try await manager.request(String.self).endpoint("/").retry(policy).response()
            #expect(response.model == "good")
            #expect(response.attempts == 4)
        }
    }

    @Test
    func `a fault of one's own is played as it is written`() async throws {
        let fault = FaultServer.Fault(
            "slow",
            at: .head,
            [.send("HTTP/1.1 200 OK\r\nContent-"), .pause(.milliseconds(1)), .send("Length: 2\r\n\r\nok")]
        )
        try await FaultServer.with { server in
            let manager = try Self.manager(.http1, server)
            server.inject(fault, count: 2)
            for body in ["ok", "ok", "good"] {
                #expect(try await manager.request(String.self).endpoint("/").send() == body)
            }
            #expect(server.requestCount == 3)
            #expect(server.connectionCount == 1)
            #expect(server.met == [fault, fault])
        }
    }
}
