// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Requests when AsyncHTTPClient's connections are built in another way (issue 12).
@Suite(.timeLimit(.minutes(5)))
struct ConnectionHooksTests {
    private struct Moved: Error {}

    enum ServerKind: Sendable {
        case plain, http1, http2

        func mode() throws -> LoopbackServer.Mode {
            switch self {
            case .plain: .http1
            case .http1: .https1(try TestIdentity())
            case .http2: .http2(try TestIdentity())
            }
        }
    }

    /// The connections that cannot be guarded.
    static let cases: [Set<UnguardedConnection.Version>] = [[.http1], [.http2], [.http1, .http2]]

    private static func hooks(_ moved: Set<UnguardedConnection.Version>) -> ConnectionHooks {
        var hooks = ConnectionHooks()
        if moved.contains(.http1) {
            hooks.http1Place = { _ in throw Moved() }
        }
        if moved.contains(.http2) {
            hooks.http2Place = { _ in throw Moved() }
        }
        return hooks
    }

    private static func configuration(requiresHTTP2: Bool) -> DirectTransport.Configuration {
        var configuration = DirectTransport.Configuration()
        configuration.connectTimeout = .seconds(3_600)
        configuration.requiresHTTP2 = requiresHTTP2
        configuration.trustsAnyLoopbackCertificate = true
        return configuration
    }

    private static func direct(
        _ moved: Set<UnguardedConnection.Version>,
        requiresHTTP2: Bool = false
    ) throws -> DirectTransport {
        let configuration = configuration(requiresHTTP2: requiresHTTP2)
        return try DirectTransport(configuration: configuration) { tls, identity in
            AsyncHTTPClientTransport(configuration: configuration, tls: tls, identity: identity, hooks: hooks(moved))
        }
    }

    private static func other(
        _ moved: Set<UnguardedConnection.Version>,
        requiresHTTP2: Bool = false
    ) throws -> AsyncHTTPClientTransport {
        try AsyncHTTPClientTransport(configuration: configuration(requiresHTTP2: requiresHTTP2), hooks: hooks(moved))
    }

    private static func post(_ text: String, to server: LoopbackServer) -> TransportRequest {
        TransportRequest(method: .post, url: server.url + "/", body: .bytes(Data(text.utf8)))
    }

    private static func failure(_ transport: any Transport, _ request: TransportRequest) async -> RestClientError? {
        await #expect(throws: RestClientError.self) { try await transport.send(request) }
    }

    private static func text(_ response: RawResponse) -> String { String(decoding: response.body, as: UTF8.self) }

    // MARK: - The direct transport

    @Test(arguments: cases, [ServerKind.plain, .http1, .http2])
    func `the direct transport needs no guard`(
        _ moved: Set<UnguardedConnection.Version>,
        kind: ServerKind
    ) async throws {
        try await LoopbackServer.with(kind.mode()) { server in
            server.onAny { request in .text(request.version.rawValue) }
            let transport = try Self.direct(moved)
            for body in ["first", "second"] {
                let version = Self.text(try await transport.send(Self.post(body, to: server)))
                #expect(version == (kind == .http2 ? "HTTP/2" : "HTTP/1.1"))
            }
            #expect(server.requests.map(\.text) == ["first", "second"])
            #expect(server.requests.map(\.connection) == [1, 1])
        }
    }

    @Test
    func `a change of the protocol that cannot be guarded is refused in words`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            var request = TransportRequest(method: .get, url: server.url + "/")
            request.headers[.upgrade] = "other"
            let error = await Self.failure(try Self.direct([.http1]), request)
            #expect(error?.code == .transportFailed)
            #expect(error?.message.contains("Upgrade") == true)
            #expect(server.requests.isEmpty)
        }
    }

    // MARK: - The other transport

    @Test(arguments: [ServerKind.plain, .http1])
    func `a connection of HTTP/1 that cannot be guarded is refused in words`(_ kind: ServerKind) async throws {
        try await LoopbackServer.with(kind.mode()) { server in
            server.onAny { _ in .text("ok") }
            let error = await Self.failure(try Self.other([.http1]), Self.post("body", to: server))
            #expect(error?.code == .transportFailed)
            #expect(error?.message.contains("async-http-client") == true)
            #expect(error?.message.contains("use DirectTransport") == true)
            let underlying = error?.underlying as? UnguardedConnection
            #expect(underlying?.version == .http1)
            #expect(underlying?.underlying is Moved)
            #expect(server.requests.isEmpty)
        }
    }

    @Test
    func `a refused request leaves a body that can be read only once as it was`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            let transport = try Self.other([.http1])
            for _ in 0..<10 {
                let body = RequestBody.stream(Self.chunks("one", "two"))
                let request = TransportRequest(method: .post, url: server.url + "/", body: body)
                #expect(await Self.failure(transport, request)?.code == .transportFailed)
                #expect(body.canBeSent)
            }
        }
    }

    @Test(arguments: [false, true])
    func `what cannot be guarded in HTTP/2 is sent once, in HTTP/1`(isStreamed: Bool) async throws {
        try await LoopbackServer.with(.http2(try TestIdentity())) { server in
            server.onAny { request in .text(request.version.rawValue) }
            let transport = try Self.other([.http2])

            for _ in 0..<2 {
                var request = Self.post("onetwo", to: server)
                if isStreamed {
                    request.body = .stream(Self.chunks("one", "two"))
                }
                #expect(Self.text(try await transport.send(request)) == "HTTP/1.1")
            }

            #expect(server.requests.map(\.text) == ["onetwo", "onetwo"])
            #expect(server.requests.map(\.connection) == [2, 2])
        }
    }

    @Test
    func `what cannot be guarded is refused in words if HTTP/2 is required`() async throws {
        try await LoopbackServer.with(.http2(try TestIdentity())) { server in
            server.onAny { _ in .text("ok") }
            let transport = try Self.other([.http2], requiresHTTP2: true)
            for _ in 0..<2 {
                let error = await Self.failure(transport, Self.post("body", to: server))
                #expect(error?.code == .transportFailed)
                #expect(error?.message.contains("async-http-client") == true)
                #expect(error?.message.contains("do not require HTTP/2") == true)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: [true, false])
    func `a connection that must not be of HTTP/1 is refused wherever its handlers are`(
        isDirect: Bool
    ) async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            let transport: any Transport =
                isDirect
                ? try Self.direct([.http1, .http2], requiresHTTP2: true)
                : try Self.other([.http1, .http2], requiresHTTP2: true)
            let error = await Self.failure(transport, Self.post("body", to: server))
            #expect(error?.code == .connectionFailed)
            #expect(error?.message.contains("HTTP/2") == true)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: cases, [ServerKind.http1, .http2])
    func `a server with another key gets nothing, whatever cannot be guarded`(
        _ moved: Set<UnguardedConnection.Version>,
        kind: ServerKind
    ) async throws {
        try await LoopbackServer.with(kind.mode()) { server in
            server.onAny { _ in .text("ok") }
            let transports: [any Transport] = [try Self.direct(moved), try Self.other(moved)]
            for transport in transports {
                var request = Self.post("body", to: server)
                request.pinnedKeys = ["sha256/" + Data(repeating: 0, count: 32).base64EncodedString()]
                for _ in 0..<2 {
                    #expect(await Self.failure(transport, request)?.code == .tlsFailed)
                }
            }
            #expect(server.requests.isEmpty)
        }
    }

    private static func chunks(_ texts: String...) -> AsyncStream<Data> {
        AsyncStream { stream in
            for text in texts {
                stream.yield(Data(text.utf8))
            }
            stream.finish()
        }
    }
}
