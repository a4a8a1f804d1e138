// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Whom a call believes to be the server.
@Suite(.timeLimit(.minutes(5)))
struct TLSTests {
    static let modes: [LoopbackServer.Mode] = {
        guard let identity = try? TestIdentity() else {
            return []
        }
        return [.https1(identity), .http2(identity), .http2Only(identity)]
    }()

    @Test(arguments: modes)
    func `a server whose certificate is trusted responds`(mode: LoopbackServer.Mode) async throws {
        try await LoopbackClient.with(mode) { client in
            client.server.on(.get, "/") { request in .text(request.version.rawValue) }
            let answer = try await client.request(.get, "/").send()
            let isHTTP1 = if case .https1 = mode { true } else { false }
            #expect(String(decoding: answer, as: UTF8.self) == (isHTTP1 ? "HTTP/1.1" : "HTTP/2"))
        }
    }

    @Test
    func `HTTP/2 can be switched off`() async throws {
        try await LoopbackClient.with(.http2(try TestIdentity())) { _, connections in
            connections.usesHTTP2 = false
        } _: { client in
            client.server.on(.get, "/") { request in .text(request.version.rawValue) }
            let answer = try await client.request(.get, "/").send()
            #expect(String(decoding: answer, as: UTF8.self) == "HTTP/1.1")
        }
    }

    @Test(arguments: TransportKind.secure)
    func `a certificate that nobody vouches for is refused`(kind: TransportKind) async throws {
        try await LoopbackServer.with(.https1(try TestIdentity())) { server in
            let code = try await failureCode { try await kind.make().send(TransportRequest(.get, server, "/")) }
            #expect(code == .tlsFailed)
            #expect(server.requests.isEmpty)
        }
    }

    /// Certificates that are trusted and still must not do.
    enum Flaw: String, CaseIterable, CustomStringConvertible {
        case wrongHost = "is of another host"
        case expired = "has run out"
        case notYetValid = "is not good yet"

        var description: String { rawValue }

        func identity() throws -> TestIdentity {
            switch self {
            case .wrongHost: try TestIdentity(names: ["wrong.example"])
            case .expired: try TestIdentity(validity: .seconds(-86_400)..<(.seconds(-3_600)))
            case .notYetValid: try TestIdentity(validity: .seconds(86_400)..<(.seconds(172_800)))
            }
        }
    }

    @Test(.eachSecureTransport, arguments: Flaw.allCases, [false, true])
    func `a certificate that does not fit is refused, though its issuer is trusted`(
        flaw: Flaw,
        isHTTP2: Bool
    ) async throws {
        let identity = try flaw.identity()
        try await LoopbackClient.with(isHTTP2 ? .http2(identity) : .https1(identity)) { client in
            client.server.onAny { _ in .text("never") }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/secret").bearer("t0ken").send()
            }
            #expect(error?.code == .tlsFailed)
            #expect(error?.failureClass == .network)
            #expect(client.server.requests.isEmpty)
        }
    }

    @Test(.eachSecureTransport)
    func `a server that wants a certificate gets the client's`() async throws {
        let identity = try TestIdentity()
        let clientIdentity = try TestIdentity(names: ["client.example"])
        try await LoopbackServer.with(.https1(identity), requiredClient: clientIdentity) { server in
            server.onAny { _ in .text("welcome") }
            let known = try RestClientManager.connected(trusting: identity) { _, connections in
                connections.clientCertificateChain = clientIdentity.certificatePEM
                connections.clientPrivateKey = clientIdentity.privateKeyPEM
            }
            let answer = try await known.request(String.self).url(server.url + "/").send()
            #expect(answer == "welcome")

            let unknown = try RestClientManager.connected(trusting: identity)
            await #expect(throws: RestClientError.self) { try await unknown.request().url(server.url + "/").send() }
            #expect(server.requests.count == 1)
        }
    }

    @Test(arguments: ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `a trust root that cannot be read is an error when the transport is made`(pem: String) {
        var configuration = DirectTransport.Configuration()
        configuration.additionalTrustRoots = [pem]
        let error = #expect(throws: RestClientError.self) {
            try DirectTransport(configuration: configuration)
        }
        #expect(error?.code == .tlsFailed)
    }

    @Test
    func `nothing in the configuration switches verification off`() {
        // A list to be looked at again by whoever adds to it: trust can be added, never taken for granted. The last one
        // concerns servers on this machine alone.
        let names = Mirror(reflecting: DirectTransport.Configuration()).children.compactMap(\.label)
        #expect(
            names == [
                "connectTimeout", "idleTimeout", "maximumConnectionAge", "connectionsPerHost", "usesHTTP2",
                "requiresHTTP2", "asksForCompression", "interimResponseLimit", "additionalTrustRoots",
                // Who leaves them out has to add roots, or trusts nobody.
                "trustsSystemRoots",
                "clientCertificateChain", "clientPrivateKey", "clientCertificateFiles", "clientCertificateOrigins",
                "trustsAnyLoopbackCertificate",
            ]
        )
    }

    @Test(.eachSecureTransport)
    func `a certificate refused once is refused again, and others are still trusted`() async throws {
        let trusted = try TestIdentity()
        try await LoopbackClient.with(.https1(trusted)) { client in
            client.server.onAny { _ in .text("ok") }
            try await LoopbackServer.with(.https1(try TestIdentity())) { stranger in
                for _ in 0..<2 {
                    let error = await #expect(throws: RestClientError.self) {
                        try await client.manager.request().url(stranger.url + "/").send()
                    }
                    #expect(error?.code == .tlsFailed)
                    _ = try await client.request(.get, "/").send()
                }
                #expect(stranger.requests.isEmpty)
            }
        }
    }

    @Test(.eachSecureTransport)
    func `a connection over TLS that is cut in the middle of a body is closed, not distrusted`() async throws {
        try await LoopbackClient.with(.https1(try TestIdentity())) { client in
            client.server.on(.get, "/length") { _ in .text("half").claimingLength(100).ending(.reset) }
            client.server.on(.get, "/chunks") { _ in .chunks(["half"]).ending(.reset) }
            client.server.on(.get, "/head") { _ in .reset }
            for path in ["length", "chunks", "head"] {
                let error = await #expect(throws: RestClientError.self) {
                    try await client.request(.get, "/{path}").parameter("path", path).send()
                }
                #expect(error?.code == .connectionClosed)
            }
        }
    }

    /// Responses, the ends of their connections, and whether they are whole.
    private static let ends: [(response: String, ending: LoopbackResponse.Ending, isWhole: Bool)] = [
        ("HTTP/1.1 200 OK\r\n\r\nwhole", .close, true),
        ("HTTP/1.1 200 OK\r\n\r\nwhole", .cut, false),
        ("HTTP/1.0 200 OK\r\n\r\nwhole", .close, true),
        ("HTTP/1.0 200 OK\r\n\r\nwhole", .cut, false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole", .cut, true),
        ("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nwhole", .close, false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nwhole", .cut, false),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n0\r\n\r\n", .cut, true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n", .close, false),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nwhole\r\n", .cut, false),
    ]

    @Test(.eachSecureTransport, arguments: ends.indices, [false, true])
    func `a body that lasts until the end of the connection is whole if TLS was closed, others by their length`(
        index: Int,
        isStreamed: Bool
    ) async throws {
        let row = Self.ends[index]
        try await LoopbackClient.with(.https1(try TestIdentity())) { client async throws in
            client.server.onAny { _ in .raw(row.response, ending: row.ending) }
            let node = client.request(.get, "/")
            func body() async throws -> Data {
                guard isStreamed else {
                    return try await node.send()
                }
                return try await node.stream().bytes.reduce(into: Data()) { $0 += $1 }
            }
            guard !row.isWhole else {
                #expect(try await body() == Data("whole".utf8))
                return
            }
            let error = await #expect(throws: RestClientError.self, "\(row)") { try await body() }
            #expect(error?.code == .connectionClosed, "\(row)")
        }
    }
}
