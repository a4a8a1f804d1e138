// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import TestSupport
import Testing

/// Interim responses of a server (RFC 9110, section 15.2).
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct InterimResponseTests {
    static let modes: [LoopbackServer.Mode] = [.http1] + ((try? TestIdentity()).map { [.http2Only($0)] } ?? [])

    @Test(.once, arguments: modes)
    func `interim responses come with the final one, in order, and their fields stay apart`(
        mode: LoopbackServer.Mode
    ) async throws {
        try await LoopbackClient.with(mode) { client in
            client.server.onAny { _ in
                LoopbackResponse.text("final", headers: ["X-Final": "1"])
                    .preceded(by: 103, headers: ["Link": "</a.css>; rel=preload", "X-Early": "1: 2"])
                    .preceded(by: 102)
            }
            let response = try await client.request(.get, "/").response()

            #expect(response.raw.interimResponses.map(\.status.code) == [103, 102])
            let early = try #require(response.raw.interimResponses.first)
            #expect(early.headers[.init("Link")!] == "</a.css>; rel=preload")
            #expect(early.headers[.init("X-Early")!] == "1: 2")
            #expect(response.headers[.init("Link")!] == nil)
            #expect(response.headers[.init("X-Final")!] == "1")
            #expect(!response.headers.contains { $0.name.canonicalName.hasPrefix("interim") })
        }
    }

    @Test(.once, arguments: modes)
    func `they do not stay for the next response of the connection`(mode: LoopbackServer.Mode) async throws {
        try await LoopbackClient.with(mode) { client in
            client.server.on(.get, "/early") { _ in .text("final").preceded(by: 103) }
            client.server.on(.get, "/plain") { _ in .text("final") }
            let first = try await client.request(.get, "/early").response()
            let second = try await client.request(.get, "/plain").response()

            #expect(first.raw.interimResponses.count == 1)
            #expect(second.raw.interimResponses.isEmpty)
            #expect(client.server.requests.map(\.connection) == [1, 1])
        }
    }

    @Test
    func `a server cannot fill the memory with them`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in
                (0..<100)
                    .reduce(LoopbackResponse.text("final")) { response, _ in
                        response.preceded(by: 103, headers: ["X-Long": String(repeating: "x", count: 9_000), "X": "1"])
                    }
            }
            let response = try await client.request(.get, "/").response()

            #expect(response.raw.interimResponses.count == 16)
            #expect(response.raw.interimResponses.allSatisfy { $0.headers.isEmpty })
        }
    }
}
