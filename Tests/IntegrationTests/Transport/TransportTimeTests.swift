// SPDX-License-Identifier: MIT

import RestClient
import TestSupport
import Testing

/// Time limits and cancellation, at each moment of an exchange.
@Suite(.timeLimit(.minutes(5)))
struct TransportTimeTests {
    /// How far a response comes before it stops.
    enum Progress: String, CaseIterable, CustomStringConvertible {
        case nothing = "nothing"
        case informational = "an informational answer"
        case partOfHead = "a part of the head"
        case head = "the head"
        case partOfBody = "a part of the body"
        case partOfLength = "a part of the announced length"

        var description: String { rawValue }

        func response(_ gate: Gate) -> LoopbackResponse {
            switch self {
            case .nothing: LoopbackResponse.text("late").after(gate)
            case .informational: LoopbackResponse.text("late").preceded(by: 103).after(gate)
            case .partOfHead: .raw("HTTP/1.1 200 OK\r\nContent-", ending: .stall)
            case .head: .chunks([.wait(gate), "late"])
            case .partOfBody: .chunks(["early", .wait(gate), "late"])
            case .partOfLength: .text("early").claimingLength(100).ending(.stall)
            }
        }
    }

    /// All of them, but for one that HTTP/2 does not have.
    static let progresses = TransportKind.allCases.flatMap { kind in
        Progress.allCases.filter { kind != .http2 || $0 != .partOfHead }.map { (kind, $0) }
    }

    @Test(arguments: progresses)
    func `an exchange ends with its time limit`(kind: TransportKind, progress: Progress) async throws {
        let gate = Gate()
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in progress.response(gate) }
            let code = try await failureCode {
                try await kind.make().send(TransportRequest(.get, server, "/").within(.milliseconds(150)))
            }
            #expect(code == .timeout)
            // On a busy machine the time may be up before the request has arrived.
            if server.events.contains(.requestStarted(request: 1)) {
                try await server.waitForEvent(.aborted(request: 1))
            }
        }
    }

    /// Each a time limit in milliseconds, in the order in which the requests are sent; the longest ones outlast the
    /// test.
    @Test(
        arguments: TransportKind.ours,
        [
            [50, 50, 50], [200, 100, 50], [50, 100, 200], [300_000, 50], [300_000, 100, 300_000, 50, 75],
            [100, 300_000, 50],
        ]
    )
    func `requests at the same time end each at its own limit`(kind: TransportKind, limits: [Int]) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.on(.get, "/stalled") { _ in .never }
            let transport = try kind.make()
            let calls = limits.map { limit in
                let request = TransportRequest(.get, server, "/stalled").within(.milliseconds(limit))
                return (limit: limit, call: Task { try await transport.send(request) })
            }
            for (limit, call) in calls where limit < 1_000 {
                #expect(try await failureCode { try await call.value } == .timeout)
            }
            for (limit, call) in calls where limit >= 1_000 {
                call.cancel()
                await #expect(throws: CancellationError.self) { try await call.value }
            }
            // Those that ended left nothing behind that ends the next ones.
            server.on(.get, "/") { _ in .text("well") }
            let answer = try await transport.send(TransportRequest(.get, server, "/").within(.seconds(300)))
            #expect(answer.status == .ok)
        }
    }

    @Test(arguments: TransportKind.ours)
    func `bytes that trickle in do not put the time limit off`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in
                .stream { writer in
                    // Ends when the client leaves.
                    while true {
                        try await writer.write("drop ")
                        await Task.yield()
                    }
                }
            }
            let transport = try kind.make()
            let code = try await failureCode {
                try await transport.send(TransportRequest(.get, server, "/").within(.milliseconds(150)))
            }
            #expect(code == .timeout)
            // On a busy machine the time may be up before the request has arrived.
            if server.events.contains(.requestStarted(request: 1)) {
                try await server.waitForEvent(.aborted(request: 1))
            }
        }
    }

    @Test(arguments: progresses)
    func `cancelling reaches the wire`(kind: TransportKind, progress: Progress) async throws {
        let gate = Gate()
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in progress.response(gate) }
            let request = TransportRequest(.get, server, "/").within(.seconds(300))
            let call = Task { try await kind.make().send(request) }
            try await server.waitForRequests()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await server.waitForEvent(.aborted(request: 1))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a task that is cancelled already sends nothing`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            let request = TransportRequest(.get, server, "/")
            let call = Task {
                await untilCancelled()
                return try await kind.make().send(request)
            }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(server.connectionCount == 0)
        }
    }

    @Test(arguments: TransportKind.overHTTP1)
    func `cancelling ends an attempt to connect`(kind: TransportKind) async throws {
        let port = try LoopbackPort(.unanswering)
        var configuration = DirectTransport.Configuration()
        configuration.connectTimeout = .seconds(300)
        let transport = try kind.make(configuration)
        let begun = Gate()
        let call = Task {
            begun.open()
            return try await transport.send(TransportRequest(method: .get, url: port.url, timeout: .seconds(300)))
        }
        try await begun.wait()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test(arguments: TransportKind.allCases)
    func `a cancelled request leaves the others alone`(kind: TransportKind) async throws {
        let gate = Gate()
        try await LoopbackServer.with(kind.mode) { server in
            server.on(.get, "/slow") { _ in LoopbackResponse.text("slow").after(gate) }
            let transport = try kind.make()
            let request = TransportRequest(.get, server, "/slow")
            let kept = Task { try await transport.send(request) }
            try await server.waitForRequests()
            let dropped = Task { try await transport.send(request) }
            try await server.waitForRequests(count: 2)
            dropped.cancel()
            try await server.waitForEvent(.aborted(request: 2))
            gate.open()
            let response = try await kept.value
            #expect(response.text == "slow")
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `a response that comes in time is untouched by the limit`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .chunks(["one", "two"]) }
            let transport = try kind.make()
            for _ in 0..<20 {
                let response = try await transport.send(TransportRequest(.get, server, "/").within(.seconds(50)))
                #expect(response.text == "onetwo")
            }
        }
    }
}
