// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Servers whose public keys are pinned.
@Suite(.timeLimit(.minutes(5)), .eachSecureTransport)
struct PinningTests {
    /// The protocols of a server.
    enum Form: CaseIterable, Sendable {
        case https1, http2, http2Only

        /// True if a transport can talk to such a server.
        var isSpoken: Bool { self != .http2Only || TransportKind.chosen != .https1 }

        func mode(_ identity: TestIdentity) -> LoopbackServer.Mode {
            switch self {
            case .https1: .https1(identity)
            case .http2: .http2(identity)
            case .http2Only: .http2Only(identity)
            }
        }
    }

    /// The pin of a key that no server has.
    private static func strange() throws -> String { try TestIdentity().publicKeyPin }

    private static func failure(
        _ operation: () async throws -> some Sendable
    ) async -> RestClientError? {
        await #expect(throws: RestClientError.self) { _ = try await operation() }
    }

    @Test(arguments: Form.allCases)
    func `a server with one of the pinned keys is trusted, and no other one`(form: Form) async throws {
        guard form.isSpoken else {
            return
        }
        let (identity, strange) = (try TestIdentity(), try Self.strange())
        try await LoopbackClient.with(form.mode(identity)) { client in
            client.server.onAny { _ in .text("ok") }
            let node = client.request(String.self, .get, "/")

            for _ in 0..<2 {
                let known = try await node.pinnedKeys([strange, identity.publicKeyPin]).send()
                #expect(known == "ok")
            }
            for _ in 0..<2 {
                let error = await Self.failure { try await node.pinnedKeys([strange]).bearer("t0ken").send() }
                #expect(error?.code == .tlsFailed)
                #expect(error?.message.contains("127.0.0.1") == true)
                #expect(error?.message.contains(strange) == true)
                #expect(error?.message.contains("its key is \(identity.publicKeyPin)") == true)
            }
            let again = try await node.pinnedKeys([strange, identity.publicKeyPin]).send()
            #expect(again == "ok")
            #expect(client.server.requests.count == 3)
        }
    }

    @Test(arguments: Form.allCases)
    func `calls with and without pins share no connection`(form: Form) async throws {
        guard form.isSpoken else {
            return
        }
        let identity = try TestIdentity()
        let backup = try Self.strange()
        try await LoopbackClient.with(form.mode(identity)) { client in
            client.server.onAny { _ in .text("ok") }
            let node = client.request(String.self, .get, "/")
            for _ in 0..<3 {
                _ = try await node.send()
            }
            let unpinned = Set(client.server.requests.map(\.connection))

            // The kept connection would carry it.
            let error = await Self.failure { try await node.pinnedKeys([backup]).send() }
            #expect(error?.code == .tlsFailed)
            for _ in 0..<3 {
                _ = try await node.pinnedKeys([backup, identity.publicKeyPin]).send()
            }
            let pinned = Set(client.server.requests.dropFirst(3).map(\.connection))
            _ = try await node.send()

            #expect(unpinned.isDisjoint(with: pinned))
            #expect(client.server.requests.count == 7)
            #expect(client.server.requests.last.map { unpinned.contains($0.connection) } == true)
        }
    }

    @Test(arguments: Form.allCases)
    func `a pin replaces no other check`(form: Form) async throws {
        let identity = try TestIdentity()
        try await LoopbackServer.with(form.mode(identity)) { server in
            server.onAny { _ in .text("never") }
            let manager = try RestClientManager.connected()
            let error = await Self.failure {
                try await manager.request().url(server.url + "/").pinnedKeys([identity.publicKeyPin]).send()
            }
            #expect(error?.code == .tlsFailed)
            #expect(error?.message.contains("trusted here") == true)
            #expect(server.requests.isEmpty)
        }
    }

    @Test
    func `on this machine too, where any certificate may be trusted`() async throws {
        let identity = try TestIdentity()
        try await LoopbackServer.with(.http2(identity)) { server in
            server.onAny { _ in .text("ok") }
            let manager = try RestClientManager.connected { _, connections in
                connections.trustsAnyLoopbackCertificate = true
            }
            let node = manager.request(String.self).url(server.url + "/")
            for _ in 0..<2 {
                let error = await Self.failure { try await node.pinnedKeys([try Self.strange()]).send() }
                #expect(error?.code == .tlsFailed)
                let text = try await node.pinnedKeys([identity.publicKeyPin]).send()
                #expect(text == "ok")
            }
        }
    }

    @Test
    func `streams and uploads are held to the pins too`() async throws {
        let identity = try TestIdentity()
        try await LoopbackClient.with(.http2(identity)) { client in
            client.server.onAny { request in .text("got \(request.body.count)") }
            client.manager.servers[.loopback] = Server(client.server.url).pinnedKeys([try Self.strange()])
            let upload = client.request(.post, "/").body(.bytes(Data("secret".utf8)))
            for error in [
                await Self.failure { try await client.request(.get, "/").stream() },
                await Self.failure { try await upload.send() },
            ] {
                #expect(error?.code == .tlsFailed)
            }
            #expect(client.server.requests.isEmpty)

            client.manager.servers[.loopback] = Server(client.server.url).pinnedKeys([identity.publicKeyPin])
            let received = try await upload.send()
            #expect(String(decoding: received, as: UTF8.self) == "got 6")
        }
    }

    @Test(.once)
    func `a request without TLS is not sent to a server whose key is pinned`() async throws {
        let pin = try Self.strange()
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("open") }
            client.manager.servers[.loopback] = Server(client.server.url).pinnedKeys([pin])
            let error = await Self.failure { try await client.request(.get, "/").send() }
            #expect(error?.code == .tlsFailed)
            #expect(error?.message.contains("without TLS") == true)
            #expect(client.server.requests.isEmpty)

            _ = try await client.request(.get, "/").pinnedKeys([]).send()
            #expect(client.server.requests.count == 1)
        }
    }

    @Test
    func `a redirect meets the pins of the host that it leads to`() async throws {
        let (identity, strange) = (try TestIdentity(), try Self.strange())
        try await LoopbackClient.with(.http2(identity)) { client in
            let port = client.server.port
            client.server.on(.get, "/from") { _ in .redirect(to: "https://localhost:\(port)/to") }
            client.server.on(.get, "/to") { _ in .text("there") }
            let node = client.request(String.self, .get, "/from").pinnedKeys([identity.publicKeyPin])

            // The pins of the call's own host are no other's.
            let there = try await node.send()
            #expect(there == "there")
            client.manager.options = client.manager.options.pinnedKeys([strange], of: "LOCALHOST")
            let error = await Self.failure { try await node.send() }
            #expect(error?.code == .tlsFailed)
            #expect(error?.message.contains("localhost") == true)
            #expect(client.server.requests.map(\.target) == ["/from", "/to", "/from"])
            client.manager.options = client.manager.options.pinnedKeys([identity.publicKeyPin], of: "localhost")
            let back = try await node.send()
            #expect(back == "there")
        }
    }
}
