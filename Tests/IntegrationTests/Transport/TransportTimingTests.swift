// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The timings that the default transport reports of its exchanges.
@Suite(.timeLimit(.minutes(5)))
struct TransportTimingTests {
    @Test(arguments: TransportKind.ours)
    func `only the exchange that a connection was made for says how long that took`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            server.onAny { _ in .text("ok") }
            let transport = try kind.make()
            var timings: [ExchangeTimings] = []
            for _ in 0..<3 {
                timings.append(try #require(try await transport.send(TransportRequest(.get, server, "/")).timings))
            }
            #expect(try #require(timings[0].connecting) > .zero)
            #expect(timings[1].connecting == nil && timings[2].connecting == nil)
            #expect(timings.allSatisfy { $0.waiting > .zero && $0.receiving >= .zero })
        }
    }

    @Test
    func `over HTTP/2 too`() async throws {
        let identity = try TestIdentity()
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.onAny { _ in .text("ok") }
            let first = try await client.request(.get, "/").response().timings.exchanges
            let second = try await client.request(.get, "/").response().timings.exchanges
            #expect(try #require(first.first?.phases?.connecting) > .zero)
            let phases = try #require(second.first?.phases)
            #expect(phases.connecting == nil)
        }
    }

    @Test(arguments: [false, true])
    func `a response says in which version of HTTP it came, and so does a recording`(isHTTP2: Bool) async throws {
        try await LoopbackClient.with(isHTTP2 ? .http2(try TestIdentity()) : .http1) { client in
            client.server.onAny { _ in .text("ok") }
            let recorder = HARRecorder()
            client.manager.recording.start(recorder)
            let response = try await client.request(.get, "/").response()
            #expect(response.raw.httpVersion == (isHTTP2 ? .http2 : .http11))
            let entry = try #require(recorder.archive.entries.first)
            let name = isHTTP2 ? "HTTP/2" : "HTTP/1.1"
            #expect([entry.request.httpVersion, entry.response.httpVersion] == [name, name])
        }
    }

    @Test(arguments: TransportKind.ours)
    func `a server that takes its time is waited for`(kind: TransportKind) async throws {
        try await LoopbackServer.with(kind.mode) { server in
            let gate = Gate()
            server.on(.get, "/late") { _ in LoopbackResponse.text("ok").after(gate) }
            let transport = try kind.make()
            async let answer = transport.send(TransportRequest(.get, server, "/late"))
            try await gate.waitForWaiters(count: 1)
            let held = await ContinuousClock()
                .measure {
                    for _ in 0..<1_000 {
                        await Task.yield()
                    }
                }
            gate.open()
            let timings = try #require(try await answer.timings)
            #expect(timings.waiting + timings.receiving >= held)
            #expect(timings.total >= held)
        }
    }

    @Test
    func `a request with a body says how long sending took`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            let transport = try TransportKind.http1.make()
            var request = TransportRequest(.post, server, "/")
            request.body = .bytes(Data(repeating: 7, count: 1_000_000))
            let answer = try await transport.send(request)
            #expect(try #require(answer.timings).sending > .zero)
        }
    }
}
