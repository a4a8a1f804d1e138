// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Faults of HTTP/1.1 over TLS, whose connections end with `close_notify` or with their sockets alone.
@Suite(.timeLimit(.minutes(5)))
struct TLSFaultTests {
    /// The transport that offers HTTP/2, which these servers do not choose, and the one that does not.
    static let kinds = TransportKind.overTLS

    /// Faults that are the same inside TLS as without it, but for the end of the connection.
    static let faults: [FaultServer.Fault] = {
        let closing: [FaultServer.Fault] = [
            .closedUnderRequest, .cutBeforeHead, .cutInHead, .cutInBody, .cutInChunk, .cutBeforeLastChunk,
            .cutAfterInterim, .unknownCoding, .earlyResponse,
        ]
        let others: [FaultServer.Fault] = [
            .closedAtOnce, .resetAtOnce, .resetInBody, .resetUpload, .stallBeforeHead, .stallInHead, .stallInBody,
            .stallInChunk, .stallInRequest, .byteByByte(every: .milliseconds(1)), .shortLength, .negativeLength,
            .wordAsLength, .endlessLength, .twoLengths, .bothFramings, .wordAsChunkSize, .endlessChunk, .longChunk,
            .surplusResponse, .surplusBytes,
        ]
        return closing + closing.map(\.withoutCloseNotify) + others
    }()

    /// The possible outcomes of a call that meets a fault, by the name of the fault.
    static let outcomes: [String: Set<FaultOutcome>] = {
        var outcomes = FaultServerTests.outcomes
        // The connection ends before the handshake.
        outcomes.expect(
            .failure(.tlsFailed),
            .failure(.connectionClosed),
            .unharmed,
            from: [.closedAtOnce, .resetAtOnce]
        )
        for fault in FaultServer.Fault.all {
            outcomes[fault.withoutCloseNotify.name] = outcomes[fault.name]
        }
        return outcomes
    }()

    /// The faults after which a transport may send a request again whose connection was kept.
    static let repeatable: Set<FaultServer.Fault> = [
        .closedUnderRequest, .closedUnderRequest.withoutCloseNotify, .cutBeforeHead, .cutBeforeHead.withoutCloseNotify,
    ]

    /// The ends of a connection when the head of a request has arrived.
    static let endsUnderRequest: [FaultServer.Fault] = [
        .closedUnderRequest, .closedUnderRequest.withoutCloseNotify,
        FaultServer.Fault("reset under a request", at: .head, [.reset]),
    ]

    @Test(arguments: kinds, faults)
    func `a fault is its error, and the next call succeeds`(
        kind: TransportKind,
        fault: FaultServer.Fault
    ) async throws {
        try await FaultServerTests.overTLS(kind) { manager, server in
            let expected = try #require(Self.outcomes[fault.name])

            let outcome = try await FaultServerTests.outcome(manager, fault, on: server)
            let first = try await FaultServerTests.next(manager).send()
            let second = try await FaultServerTests.next(manager).send()

            #expect(expected.contains(outcome), "\(outcome)")
            #expect([first, second] == ["good", "good"])
        }
    }

    @Test(arguments: kinds, faults.filter { $0.moment != .accepted })
    func `a fault on a kept connection harms neither its call nor the next one`(
        kind: TransportKind,
        fault: FaultServer.Fault
    ) async throws {
        try await FaultServerTests.overTLS(kind) { manager, server in
            var expected = try #require(Self.outcomes[fault.name])
            if Self.repeatable.contains(fault) {
                expected.insert(.unharmed)
            }

            let before = try await FaultServerTests.next(manager).send()
            let outcome = try await FaultServerTests.outcome(manager, fault, on: server)
            let after = try await FaultServerTests.next(manager).send()

            #expect(expected.contains(outcome), "\(outcome)")
            #expect([before, after] == ["good", "good"])
        }
    }

    @Test(arguments: kinds, faults)
    func `a fault in a streamed response is its error too`(kind: TransportKind, fault: FaultServer.Fault) async throws {
        try await FaultServerTests.overTLS(kind) { manager, server in
            let expected = try #require(Self.outcomes[fault.name])

            let outcome = try await FaultServerTests.streamedOutcome(manager, fault, on: server)
            let next = try await FaultServerTests.next(manager).send()

            #expect(expected.contains(outcome), "\(outcome)")
            #expect(next == "good")
        }
    }

    @Test(arguments: kinds, endsUnderRequest)
    func `a request whose kept connection ends is sent again only if it has no effect`(
        kind: TransportKind,
        fault: FaultServer.Fault
    ) async throws {
        try await FaultServerTests.overTLS(kind) { manager, server in
            let next = FaultServerTests.next(manager)
            _ = try await next.send()

            server.inject(fault)
            let posted = try await FaultOutcome.of { try await next.post().body(.bytes(Data("body".utf8))).send() }
            let between = try await next.send()
            server.inject(fault)
            let repeated = try await FaultOutcome.of { try await next.send() }

            #expect(posted == .failure(.connectionClosed))
            #expect(between == "good")
            #expect(repeated == .unharmed)
            // The first one, the one that was not repeated, the one between, and the one that was.
            #expect(server.requestCount == 5)
        }
    }

    @Test(arguments: kinds, [FaultServer.Step.close, .cut])
    func `a connection that ends behind its response harms no later call`(
        kind: TransportKind,
        end: FaultServer.Step
    ) async throws {
        let last = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlast"
        try await FaultServerTests.overTLS(kind) { manager, server in
            server.inject(FaultServer.Fault("an end behind the response", [.send(last), end]))

            var bodies: [String] = []
            for _ in 0..<3 {
                bodies.append(try await FaultServerTests.next(manager).send())
            }

            #expect(bodies == ["last", "good", "good"])
        }
    }

    @Test(arguments: kinds)
    func `only close_notify ends a body without a length`(kind: TransportKind) async throws {
        let fault = FaultServer.Fault("a body without a length", [.send("HTTP/1.1 200 OK\r\n\r\nwhole"), .close])
        try await FaultServerTests.overTLS(kind) { manager, server in
            let closed = try await FaultServerTests.outcome(manager, fault, on: server)
            let cut = try await FaultServerTests.outcome(manager, fault.withoutCloseNotify, on: server)

            #expect(closed == .body("whole"))
            #expect(cut == .failure(.connectionClosed))
        }
    }

    @Test(arguments: kinds)
    func `a handshake that stalls ends with the limit of its call, or with that for connecting`(
        kind: TransportKind
    ) async throws {
        // It reads nothing, and so sends no part of a handshake.
        try await FaultServer.with { server in
            server.inject(FaultServer.Fault("a stalled handshake", at: .accepted, [.stall]), count: 2)
            let url = "https://127.0.0.1:\(server.port)/"
            var configuration = DirectTransport.Configuration()
            configuration.connectTimeout = .milliseconds(150)
            let impatient = try kind.make(configuration)
            let patient = try kind.makePatient()

            let limited = try await failureCode {
                try await patient.send(TransportRequest(method: .get, url: url, timeout: .milliseconds(150)))
            }
            let unlimited = try await failureCode {
                try await impatient.send(TransportRequest(method: .get, url: url))
            }

            #expect(limited == .timeout)
            #expect(unlimited == .timeout)
        }
    }
}

extension FaultServer.Fault {
    /// The same fault, with the end of the socket alone where the connection was closed.
    fileprivate var withoutCloseNotify: Self {
        Self(name + ", without close_notify", at: moment, steps.map { $0 == .close ? .cut : $0 })
    }
}
