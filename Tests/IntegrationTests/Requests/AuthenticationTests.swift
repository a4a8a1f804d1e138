// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// Access tokens on real connections: a server whose tokens hold for so many requests, and then are refused.
@Suite(.timeLimit(.minutes(5)))
struct AuthenticationTests {
    /// Hands out `t1`, `t2` and so on for refresh tokens that may be used once, and takes the latest until it is
    /// revoked.
    private final class Issuer: Sendable {
        private struct State {
            var count = 0
            var isRevoked = false
            var misused: [String] = []
        }

        private let state = Mutex(State())

        /// The refresh tokens that were used twice, or never issued.
        var misused: [String] { state.withLock { $0.misused } }

        func issue(for refreshToken: String) -> LoopbackResponse {
            state.withLock { state in
                guard refreshToken == "r\(state.count)" else {
                    state.misused.append(refreshToken)
                    return .status(400)
                }
                state.count += 1
                state.isRevoked = false
                let number = state.count
                return .json(
                    #"{"access_token": "t\#(number)", "expires_in": 3600, "refresh_token": "r\#(number)"}"#
                )
            }
        }

        func accepts(_ request: LoopbackRequest) -> Bool {
            state.withLock { state in
                !state.isRevoked && request.headers.values("Authorization") == ["Bearer t\(state.count)"]
            }
        }

        func revoke() {
            state.withLock { $0.isRevoked = true }
        }
    }

    private func signIn(_ client: LoopbackClient, _ issuer: Issuer) -> TokenSource {
        client.server.on(.post, "/token") { request in
            let body = try JSONDecoder().decode([String: String].self, from: Data(request.body))
            return issuer.issue(for: body["refresh_token"] ?? "")
        }
        client.server.on(.get, "/orders/{id}") { request in
            issuer.accepts(request) ? .json(request.parameters["id"] ?? "") : .status(401)
        }
        let refresh = client.request(TokenResponse.self, .post, "/token")
        let session = TokenSource(AccessToken("t0", refreshToken: "r0")) { token in
            try await refresh.values(["refresh_token": token?.refreshToken ?? ""]).send().token()
        }
        client.manager.servers[.loopback]?.options = CallOptions().authentication(.bearer(session))
        return session
    }

    @Test(arguments: [false, true], [4, 0])
    func `a hundred calls at once spend each refresh token once`(isHTTP2: Bool, slots: Int) async throws {
        let mode: LoopbackServer.Mode = isHTTP2 ? .http2(try TestIdentity()) : .http1
        try await LoopbackClient.with(mode) { configuration, _ in
            configuration.workerCount = slots
        } _: { client in
            let issuer = Issuer()
            let session = signIn(client, issuer)
            for round in 1...3 {
                issuer.revoke()
                let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            try await client.request(Int.self, .get, "/orders/{id}").parameter("id", number).send()
                        }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(numbers == Set(0..<100))
                #expect(session.current?.value == "t\(round)")
            }
            #expect(issuer.misused.isEmpty)
        }
    }

    @Test
    func `a call that gives up in a refresh leaves it to the others`() async throws {
        try await LoopbackClient.with { client in
            let issuer = Issuer()
            let gate = Gate()
            let session = signIn(client, issuer)
            issuer.revoke()
            client.server.on(.post, "/token") { _ in
                try await gate.wait()
                return issuer.issue(for: "r0")
            }
            let hasty = Task { try await client.request(Int.self, .get, "/orders/1").send() }
            try await gate.waitForWaiters(count: 1)
            let patient = Task { try await session.token() }
            await session.waitForWaiters(count: 2)
            hasty.cancel()
            await #expect(throws: CancellationError.self) { try await hasty.value }
            gate.open()
            #expect(try await patient.value.value == "t1")
            #expect(try await client.request(Int.self, .get, "/orders/2").send() == 2)
        }
    }

    @Test
    func `the refresh ends on the wire when nobody waits for it any more`() async throws {
        try await LoopbackClient.with { client in
            let session = signIn(client, Issuer())
            let (asked, left) = (Gate(), Gate())
            client.server.on(.post, "/token") { _ in
                asked.open()
                await withTaskCancellationHandler {
                    try? await Gate().wait()
                } onCancel: {
                    left.open()
                }
                return .status(503)
            }
            session.current = nil
            let call = Task { try await client.request(Int.self, .get, "/orders/1").send() }
            try await asked.wait()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await left.wait()
        }
    }
}
