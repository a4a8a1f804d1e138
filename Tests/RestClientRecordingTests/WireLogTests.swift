// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording

@Suite(.timeLimit(.minutes(5)))
struct WireLogTests {
    private let entries = Recorder<WireLog.Entry>()

    /// The entries so far, without the numbers of calls.
    private var texts: [String] {
        entries.elements.map { $0.description.replacing("\($0.call), ", with: "") }
    }

    private var lines: [String] {
        texts.map { String($0.prefix { $0 != "\n" }) }
    }

    private func log(
        _ detail: WireLog.Detail = .headers,
        limit: Int = 1_000,
        _ change: (inout RecordingRules) -> Void = { _ in }
    ) -> WireLog {
        var rules = RecordingRules.exceptSecrets
        change(&rules)
        return WireLog(detail, limit: limit, rules: rules) { [entries] in entries.record($0) }
    }

    /// A response of five milliseconds.
    private static func timed(_ response: RawResponse) -> RawResponse {
        var response = response
        response.timings = ExchangeTimings(
            sending: .milliseconds(1),
            waiting: .milliseconds(3),
            receiving: .milliseconds(1)
        )
        return response
    }

    @Test
    func `a request and its response are logged, without secrets`() async throws {
        let answer = RawResponse.text(
            #"{"id":7,"token":"s3cret"}"#,
            .created,
            headers: [.contentType: "application/json"]
        )
        let client = StubbedClient(answering: Self.timed(answer))

        try await client.manager.run(
            client.manager.request(Void.self).post().endpoint("/a").query("token", "s3cret").query("page", 2)
                .header(.userAgent, "a").bearer("s3cret")
                .body(.bytes(Data("[1]".utf8), contentType: "application/json"))
                .wireLog(log(.bodies))
        )

        let request = try #require(texts.first)
        #expect(request.hasPrefix("--> POST https://api.example.com/v1/a?"))
        #expect(request.contains("page=2"))
        #expect(request.contains("\n  authorization: <redacted>") || request.contains("\n  Authorization: <redacted>"))
        #expect(request.hasSuffix("\n\n  [\n    1\n  ]\n  (3 bytes)"))
        #expect(
            texts.last?.lowercased()
                == """
                <-- 201 created in 5 ms (attempt 1)
                  content-type: application/json

                  {
                    "id": 7,
                    "token": "<redacted>"
                  }
                  (25 bytes)
                """
        )
        #expect(!texts.joined().contains("s3cret"))
        #expect(entries.elements.map(\.isFailure) == [false, false])
    }

    @Test
    func `attempts, redirects and dummies are logged one by one`() async throws {
        let client = StubbedClient(
            answering: .status(.serviceUnavailable),
            .redirect(302, to: "/v1/b"),
            .text("b")
        )
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        let node = client.manager.request(Void.self).endpoint("/a").retry(policy).wireLog(log())

        try await client.manager.run(node)
        client.manager.dummies.register(.get, "/a") { _ in .text("dummy") }
        client.manager.dummies.mode = .matched
        try await client.manager.run(node)

        #expect(
            lines.map { $0.replacing(#/ in \d+ ms/#, with: "") } == [
                "--> GET https://api.example.com/v1/a (attempt 1)", "<-- 503 Service Unavailable (attempt 1)",
                "--> GET https://api.example.com/v1/a (attempt 2)", "<-- 302 Found (attempt 2)",
                "--> GET https://api.example.com/v1/b (attempt 2)", "<-- 200 OK (attempt 2)",
                "--> GET https://api.example.com/v1/a (attempt 1)", "<-- 200 OK (attempt 1, from a dummy)",
            ]
        )
    }

    @Test
    func `a failure is logged with its reason, and a body by its header fields alone`() async throws {
        let client = StubbedClient(
            StubTransport { _ in throw RestClientError(.connectionFailed, "no way to token=s3cret") }
        )

        let error = await client.failure { $0.post().endpoint("/a").body(.bytes(Data("[1]".utf8))).wireLog(log()) }

        #expect(error?.code == .connectionFailed)
        #expect(entries.elements.map(\.isFailure) == [false, true])
        #expect(lines.last?.contains("no way to token=<redacted>") == true)
        #expect(texts.first?.hasSuffix("(3 bytes)") == true)
        #expect(texts.first?.contains("[1]") == false)
    }

    @Test
    func `the log of the innermost level is the only one, and muted calls have none`() async throws {
        let client = StubbedClient(answering: .text("a"))
        client.manager.options = client.manager.options.wireLog(log())
        let node = client.manager.request(Void.self).endpoint("/a")

        try await client.manager.run(node)
        #expect(entries.count == 2)
        try await client.manager.run(node.wireLog(nil))
        try await client.manager.run(node.muted())
        #expect(entries.count == 2)
        let inner = Recorder<WireLog.Entry>()
        try await client.manager.run(node.wireLog(WireLog { inner.record($0) }))
        #expect(entries.count == 2)
        #expect(inner.count == 2)
    }

    @Test
    func `an entry cannot be forged by a field or a body`() async throws {
        let answer = RawResponse.text("{\"a\":\"b\"}\n<-- 200 OK", headers: [.contentType: "text/plain"])
        let client = StubbedClient(answering: answer)

        try await client.manager.run(
            client.manager.request(Void.self).endpoint("/a").wireLog(log(.bodies) { $0.allowsOtherBodies = true })
        )

        let forged = texts.flatMap { $0.split(separator: "\n").dropFirst() }.filter { !$0.hasPrefix("  ") }
        #expect(forged.isEmpty)
    }

    // MARK: - Streams

    /// A manager whose calls have as long as they need.
    private static func manager() -> RestClientManager {
        RestClientManager(configuration: RestClientManager.Configuration().timeout(.seconds(3_600)))
    }

    @Test
    func `the first bytes of a stream are logged while it goes on, and its end`() async throws {
        try await LoopbackServer.with { server in
            let gate = Gate()
            server.onAny { _ in .chunks(["[1,", "2,", .wait(gate), "3]"]) }
            let log = log(.bodies, limit: 5) { $0.allowsOtherBodies = true }
            let response = try await Self.manager().request().url(server.url + "/").wireLog(log).stream()
            for try await _ in response.bytes where texts.count == 3 {
                gate.open()
            }

            #expect(entries.count == 4)
            #expect(texts[1].hasSuffix("(the body follows)"))
            #expect(lines[2].hasPrefix("<-- the body begins after"))
            #expect(texts[2].hasSuffix("(the first 5 bytes)"))
            #expect(lines[3].hasPrefix("<-- the body ended after"))
            #expect(texts[3].hasSuffix("(7 bytes)"))
        }
    }

    @Test
    func `a short stream has one entry, with its body`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .chunks(["[1", "]"]) }
            let response = try await Self.manager().request().url(server.url + "/").wireLog(log(.bodies)).stream()
            for try await _ in response.bytes {}

            #expect(entries.count == 3)
            #expect(texts[2].hasSuffix("\n\n  [\n    1\n  ]\n  (3 bytes)"))
        }
    }

    @Test
    func `a stream that breaks off or is left is logged with the reason`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .chunks(["first"]).ending(.close) }
            let node = Self.manager().request().url(server.url + "/").wireLog(log())
            await #expect(throws: RestClientError.self) {
                for try await _ in try await node.stream().bytes {}
            }
            #expect(lines.last?.hasPrefix("<-- the body broke off: ") == true)
            #expect(entries.elements.last?.isFailure == true)
        }
        try await LoopbackServer.with { server in
            let node = Self.manager().request().url(server.url + "/").wireLog(log())
            server.onAny { _ in .chunks(["first", .wait(Gate())]) }
            for try await _ in try await node.stream().bytes {
                break
            }
            try await entries.wait { $0.count == 6 }
            #expect(lines.last?.hasPrefix("<-- the body was not read to its end, ") == true)
            #expect(entries.elements.last?.isFailure == false)
        }
    }
}
