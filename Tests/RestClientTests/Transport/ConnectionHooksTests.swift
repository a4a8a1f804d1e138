// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Requests when AsyncHTTPClient's connections are built in another way (issue 12).
@Suite(.timeLimit(.minutes(5)))
struct ConnectionHooksTests {
    private struct Moved: Error {}

    /// The connections that cannot be guarded, and the server.
    struct Case: Sendable, CustomTestStringConvertible {
        let moved: Set<UnguardedConnection.Version>
        let server: ServerKind
        /// The version of HTTP in which the direct transport speaks to the server.
        let version: String
        /// The connections of the server that carry two requests, one after the other, over the direct transport.
        let connections: [Int]

        var testDescription: String { "\(moved.map(\.rawValue).sorted()) of \(server)" }
    }

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

    static let cases = [
        // The connection that asked for HTTP/2 is refused, and the question is answered.
        Case(moved: [.http1], server: .http1, version: "HTTP/1.1", connections: [2, 2]),
        // What needs no other guard keeps HTTP/2.
        Case(moved: [.http1], server: .http2, version: "HTTP/2", connections: [1, 1]),
        // AsyncHTTPClient speaks HTTP/1.1 to the server, once.
        Case(moved: [.http2], server: .http2, version: "HTTP/1.1", connections: [2, 3]),
        Case(moved: [.http2], server: .http1, version: "HTTP/1.1", connections: [1, 2]),
        Case(moved: [.http1, .http2], server: .http1, version: "HTTP/1.1", connections: [2, 2]),
        Case(moved: [.http1, .http2], server: .http2, version: "HTTP/1.1", connections: [3, 3]),
        Case(moved: [.http1, .http2], server: .plain, version: "HTTP/1.1", connections: [1, 1]),
    ]

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

    @Test(arguments: cases)
    func `the direct transport sends a request once, whatever cannot be guarded`(_ example: Case) async throws {
        try await LoopbackServer.with(example.server.mode()) { server in
            server.onAny { request in .text(request.version.rawValue) }
            let transport = try Self.direct(example.moved)

            for body in ["first", "second"] {
                #expect(Self.text(try await transport.send(Self.post(body, to: server))) == example.version)
            }

            #expect(server.requests.map(\.text) == ["first", "second"])
            #expect(server.requests.map(\.connection) == example.connections)
        }
    }

    @Test(arguments: cases)
    func `a response is streamed, whatever cannot be guarded`(_ example: Case) async throws {
        try await LoopbackServer.with(example.server.mode()) { server in
            server.onAny { _ in .chunks(["one", "two"]) }
            let transport = try Self.direct(example.moved)

            let response = try await transport.open(Self.post("body", to: server))
            var bytes = Data()
            for try await chunk in try #require(response.stream) {
                bytes.append(chunk)
            }

            #expect(bytes == Data("onetwo".utf8))
            #expect(server.requests.map(\.text) == ["body"])
        }
    }

    @Test(arguments: cases)
    func `a body that can be read only once is sent, whatever cannot be guarded`(_ example: Case) async throws {
        try await LoopbackServer.with(example.server.mode()) { server in
            server.onAny { request in .bytes(request.body) }
            let transport = try Self.direct(example.moved)
            var request = TransportRequest(method: .post, url: server.url + "/")
            request.body = .stream(Self.chunks("one", "two"))

            #expect(Self.text(try await transport.send(request)) == "onetwo")
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: cases)
    func `requests at the same time are each sent once, whatever cannot be guarded`(_ example: Case) async throws {
        try await LoopbackServer.with(example.server.mode()) { server in
            server.onAny { request in .bytes(request.body) }
            let transport = try Self.direct(example.moved)
            let bodies = (0..<24).map { "body \($0)" }

            let responses = try await withThrowingTaskGroup(of: String.self) { group in
                for body in bodies {
                    group.addTask { Self.text(try await transport.send(Self.post(body, to: server))) }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }

            #expect(responses == Set(bodies))
            #expect(server.requests.map(\.text).sorted() == bodies.sorted())
        }
    }

    @Test
    func `once HTTP/2 cannot be guarded, no connection is spent on the question`() async throws {
        let identity = try TestIdentity()
        let transport = try Self.direct([.http2])
        var counts: [Int] = []
        for _ in 0..<3 {
            try await LoopbackServer.with(.http2(identity)) { server in
                server.onAny { _ in .text("ok") }
                for _ in 0..<2 {
                    _ = try await transport.send(Self.post("body", to: server))
                }
                counts.append(server.connectionCount)
            }
        }
        #expect(counts == [3, 1, 1])
    }

    @Test
    func `a URL with what no URL holds is encoded and sent directly`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("ok") }
            let transport = try Self.direct([.http1])
            for _ in 0..<3 {
                _ = try await transport.send(TransportRequest(method: .get, url: server.url + "/a b?c=\u{e4}"))
            }
            #expect(server.requests.map(\.target) == Array(repeating: "/a%20b?c=%C3%A4", count: 3))
            #expect(server.requests.map(\.connection) == [1, 1, 1])
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

    // MARK: - Both

    @Test(arguments: [true, false])
    func `what cannot be guarded is refused in words if HTTP/2 is required`(isDirect: Bool) async throws {
        try await LoopbackServer.with(.http2(try TestIdentity())) { server in
            server.onAny { _ in .text("ok") }
            let transport: any Transport =
                isDirect
                ? try Self.direct([.http2], requiresHTTP2: true)
                : try Self.other([.http2], requiresHTTP2: true)
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

    @Test(arguments: cases)
    func `a server with another key gets nothing, whatever cannot be guarded`(_ example: Case) async throws {
        guard example.server != .plain else {
            return
        }
        try await LoopbackServer.with(example.server.mode()) { server in
            server.onAny { _ in .text("ok") }
            let transports: [any Transport] = [try Self.direct(example.moved), try Self.other(example.moved)]
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
