// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Logins by a code that a person enters elsewhere (RFC 8628).
@Suite(.timeLimit(.minutes(5)))
struct DeviceLoginTests {
    /// A clock on which every wait ends at once.
    private struct HastyClock: Clock {
        let waits: Recorder<Duration>

        var now: ContinuousClock.Instant { .now }
        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
            try Task.checkCancellation()
            waits.record(ContinuousClock.now.duration(to: deadline))
        }
    }

    private static let begin = #"""
        {"device_code": "MARKER-device", "user_code": "WDJB-MJHT", "verification_uri": "https://id.example.com/device",
        "verification_uri_complete": "https://id.example.com/device?user_code=WDJB-MJHT", "expires_in": 900}
        """#
    private static let token = #"{"access_token": "t1", "refresh_token": "r1", "expires_in": 3600}"#
    private static let pending = #"{"error": "authorization_pending"}"#

    private let waits = Recorder<Duration>()
    private let today = Recorder<Duration>()

    /// A client whose authorization server begins a login, and then responds to each question in turn.
    private func client(begin: String = begin, _ replies: RawResponse...) -> StubbedClient {
        let asked = Recorder<Void>()
        return StubbedClient(
            StubTransport { request in
                guard request.url == "https://id.example.com/token" else {
                    return .text(begin)
                }
                asked.record(())
                return replies[min(asked.count, replies.count) - 1]
            }
        ) { [waits, today] in
            $0 = $0.timeout(nil)
            $0.clock = HastyClock(waits: waits)
            $0.now = { today.elements.reduce(Date(timeIntervalSince1970: 1_800_000_000)) { $0 + $1 / .seconds(1) } }
        }
    }

    private static func refusal(_ error: String) -> RawResponse {
        .text(#"{"error": "\#(error)", "error_description": "no token=MARKER"}"#, .badRequest)
    }

    private func source(
        _ client: StubbedClient,
        show: (@Sendable (LoginRequest) async throws -> Void)? = nil
    ) -> TokenSource {
        let server = OAuthServer(token: "https://id.example.com/token", device: "https://id.example.com/begin")
        let login = OAuthLogin(OAuthClient(id: "tv"), at: server, by: .device, scope: "read", show: show)
        return TokenSource(login: login, on: client.manager)
    }

    @Test
    func `a person is shown the code, and the server is asked as slowly as it wants`() async throws {
        let client = client(
            .text(Self.pending, .badRequest),
            Self.refusal("slow_down"),
            .text(Self.pending),
            .text(Self.token)
        )
        let shown = Recorder<LoginRequest>()
        let token = try await source(client) { shown.record($0) }.token()

        #expect(token.value == "t1")
        #expect(token.refreshToken == "r1")
        #expect(shown.elements.map(\.address) == ["https://id.example.com/device"])
        #expect(shown.elements.map(\.userCode) == ["WDJB-MJHT"])
        #expect(shown.elements.map(\.completeAddress) == ["https://id.example.com/device?user_code=WDJB-MJHT"])
        #expect(shown.elements.map { $0.expiresAt.timeIntervalSince1970 } == [1_800_000_900])
        #expect(waits.elements.map { ($0 / .seconds(1)).rounded() } == [5, 5, 10, 10])
        let question =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=MARKER-device"
            + "&client_id=tv"
        #expect(client.requests.map(\.bodyText) == ["scope=read&client_id=tv"] + Array(repeating: question, count: 4))
    }

    @Test(arguments: ["access_denied", "expired_token", "invalid_grant"])
    func `a login that ends without a token says why, and the next one is another one`(error: String) async throws {
        let client = client(Self.refusal(error), .text(Self.token))
        let source = source(client) { _ in }

        let failure = await #expect(throws: RestClientError.self) { try await source.token() }
        #expect(failure?.code == .loginRequired)
        #expect(failure?.message.contains(error) == true)
        #expect(failure?.login == nil)
        #expect(failure?.failureClass == .unauthorized)
        #expect(!String(describing: failure).contains("MARKER"))
        #expect(try await source.token().value == "t1")
        #expect(client.requests.count { $0.url == "https://id.example.com/begin" } == 2)
    }

    @Test
    func `a server that cannot be reached for a moment is asked again, more slowly`() async throws {
        let client = client(.status(.serviceUnavailable), .status(.serviceUnavailable), .text(Self.token))
        #expect(try await source(client) { _ in }.token().value == "t1")
        #expect(waits.elements.map { ($0 / .seconds(1)).rounded() } == [5, 10, 20])
    }

    @Test
    func `a program without a person says where to log in, and goes on with the same login`() async throws {
        let client = client(.text(Self.pending, .badRequest), .text(Self.token))
        let source = source(client)
        client.manager.servers["store"] = Server("https://api.example.com/v1").bearer(source)

        for _ in 0..<3 {
            let error = await client.failure { $0.endpoint("/a") }
            #expect(error?.code == .loginRequired)
            #expect(error?.login?.userCode == "WDJB-MJHT")
            #expect(error?.message.contains("https://id.example.com/device and enter WDJB-MJHT") == true)
            #expect(!String(describing: error).contains("MARKER"))
            #expect(error.map { !$0.explain().contains("MARKER") } == true)
        }
        // The server was asked for a code, and for no token before its time.
        #expect(client.requests.count == 1)
        today.record(.seconds(5))
        #expect(await client.failure { $0.endpoint("/a") }?.code == .loginRequired)
        #expect(client.requests.count == 2)
        today.record(.seconds(5))
        #expect(try await source.token().value == "t1")
        #expect(client.requests.count == 3)
        #expect(waits.elements.isEmpty)
    }

    @Test
    func `a refresh token that is dead is tried once`() async throws {
        let client = client(Self.refusal("invalid_grant"), .text(Self.pending, .badRequest), .text(Self.token))
        let source = source(client)
        source.current = AccessToken("old", expiresAt: .distantPast, refreshToken: "r0")
        for _ in 0..<2 {
            let error = await #expect(throws: RestClientError.self) { try await source.token() }
            #expect(error?.login != nil)
        }
        #expect(client.requests.count { $0.bodyText?.contains("grant_type=refresh_token") == true } == 1)
    }

    @Test
    func `a code that has expired is replaced`() async throws {
        let client = client(.text(Self.pending, .badRequest))
        let source = source(client)
        _ = await client.failure { $0.endpoint("/a").bearer(source) }
        today.record(.seconds(901))
        let error = await client.failure { $0.endpoint("/a").bearer(source) }
        #expect(error?.login != nil)
        #expect(client.requests.count { $0.url == "https://id.example.com/begin" } == 2)
    }

    @Test(
        arguments: [
            #"{"user_code": "W", "verification_uri": "https://id.example.com/device"}"#,
            #"{"device_code": "d", "verification_uri": "https://id.example.com/device"}"#,
            #"{"device_code": "d", "user_code": "\u001b[2J", "verification_uri": "https://id.example.com/device"}"#,
            #"{"device_code": "d", "user_code": "W"}"#,
            #"{"device_code": "d", "user_code": "W", "verification_uri": "http://id.example.com/device"}"#,
            #"{"device_code": "d", "user_code": "W", "verification_uri": "javascript:alert(1)"}"#,
            #"{"error": "invalid_client"}"#, "[]", "no JSON",
        ]
    )
    func `what cannot be shown to a person is not`(begin: String) async throws {
        let client = client(begin: begin, .text(Self.token))
        let shown = Recorder<LoginRequest>()
        await #expect(throws: RestClientError.self) { try await source(client) { shown.record($0) }.token() }
        #expect(shown.elements.isEmpty)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a login among dummies is not that of the server`() async throws {
        let client = client(.text(Self.token))
        let source = source(client)
        let dummies = [
            Dummy(.post, "/begin").responds(.text(Self.begin)),
            Dummy(.get, "/a").responds(.text("1")),
        ]
        _ = try? await client.manager.withDummies(.strict, dummies) { try await source.token() }
        #expect(client.requests.isEmpty)
        let error = await #expect(throws: RestClientError.self) { try await source.token() }
        #expect(error?.login != nil)
        #expect(client.requests.map(\.url) == ["https://id.example.com/begin"])
    }
}
