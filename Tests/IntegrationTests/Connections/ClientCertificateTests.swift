// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// Client certificates in files that change while connections are made.
@Suite(.timeLimit(.minutes(5)), .eachSecureTransport)
struct ClientCertificateTests {
    /// The files of a client, and what was said of them.
    private final class Files: Sendable {
        let directory: TemporaryDirectory
        private let failures = Mutex<[RestClientError]>([])

        var chain: String { directory.path("client.pem").path }
        var key: String { directory.path("client.key").path }
        var failureCount: Int { failures.withLock(\.count) }
        var lastFailure: RestClientError? { failures.withLock(\.last) }

        var setting: ClientCertificateFiles {
            ClientCertificateFiles(chain: chain, privateKey: key) { error in
                self.failures.withLock { $0.append(error) }
            }
        }

        init(_ identity: TestIdentity) throws {
            directory = try TemporaryDirectory()
            try write(identity)
        }

        func write(_ identity: TestIdentity) throws {
            try write(chain: identity.certificatePEM)
            try write(key: identity.privateKeyPEM)
        }

        func write(chain text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: chain), options: .atomic)
        }

        func write(key text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: key), options: .atomic)
        }
    }

    private static func manager(_ identity: TestIdentity, _ files: Files) throws -> RestClientManager {
        try RestClientManager.connected(trusting: identity) { _, connections in
            connections.clientCertificateFiles = files.setting
        }
    }

    @Test(arguments: [false, true])
    func `a new connection uses the certificate that is in the files then`(isHTTP2: Bool) async throws {
        let (identity, known) = (try TestIdentity(), try TestIdentity(names: ["known.example"]))
        let mode: LoopbackServer.Mode = isHTTP2 ? .http2(identity) : .https1(identity)
        try await LoopbackServer.with(mode, requiredClient: known) { server in
            server.onAny { _ in .text("welcome") }
            let files = try Files(try TestIdentity(names: ["stranger.example"]))
            let manager = try Self.manager(identity, files)
            let node = manager.request(String.self).url(server.url + "/")

            await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(server.requests.isEmpty)
            try files.write(known)
            let first = try await node.send()
            let second = try await node.send()

            #expect([first, second] == ["welcome", "welcome"])
            #expect(files.failureCount <= 1)
            #expect(server.requests.count == 2)

            // In turn, what is no longer in the files opens no connection.
            try files.write(try TestIdentity(names: ["other.example"]))
            try await server.closeConnections()
            await #expect(throws: RestClientError.self) { try await node.send() }
        }
    }

    @Test(arguments: ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", nil])
    func `files that cannot be read keep the certificate, and are reported once`(text: String?) async throws {
        let (identity, known) = (try TestIdentity(), try TestIdentity(names: ["known.example"]))
        try await LoopbackServer.with(.https1(identity), requiredClient: known) { server in
            server.onAny { _ in .text("welcome") }
            let files = try Files(known)
            let manager = try Self.manager(identity, files)
            let node = manager.request(String.self).url(server.url + "/")
            _ = try await node.send()

            if let text {
                try files.write(chain: text)
            } else {
                try FileManager.default.removeItem(atPath: files.chain)
            }
            for _ in 0..<3 {
                try await server.closeConnections()
                _ = try await node.send()
            }

            #expect(files.failureCount == 1)
            #expect(files.lastFailure?.code == .tlsFailed)
            #expect(files.lastFailure?.message.contains(files.chain) == true)
            #expect(server.requests.count == 4)
        }
    }

    @Test
    func `a key of another certificate is not used`() async throws {
        let (identity, known) = (try TestIdentity(), try TestIdentity(names: ["known.example"]))
        try await LoopbackServer.with(.https1(identity), requiredClient: known) { server in
            server.onAny { _ in .text("welcome") }
            let files = try Files(known)
            let manager = try Self.manager(identity, files)
            let node = manager.request(String.self).url(server.url + "/")
            try files.write(key: try TestIdentity().privateKeyPEM)

            _ = try await node.send()

            #expect(files.failureCount == 1)
            try files.write(key: known.privateKeyPEM)
            try await server.closeConnections()
            _ = try await node.send()
            #expect(files.failureCount == 1)
        }
    }

    @Test
    func `files that cannot be read at the beginning are an error of the transport`() throws {
        let files = try Files(try TestIdentity())
        try FileManager.default.removeItem(atPath: files.key)

        let error = #expect(throws: RestClientError.self) { try Self.manager(try TestIdentity(), files) }

        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains(files.key) == true)
        #expect(files.failureCount == 0)
    }

    // MARK: - Recipients

    /// The ways in which a client gets a certificate.
    enum Source: CaseIterable {
        case text, files
    }

    @Test(arguments: Source.allCases, [false, true])
    func `a redirect to another origin does not present the certificate unless it is named`(
        source: Source,
        isNamed: Bool
    ) async throws {
        let (identity, known) = (try TestIdentity(), try TestIdentity(names: ["known.example"]))
        let files = try Files(known)
        try await LoopbackServer.with(.https1(identity), requiredClient: known) { internalServer in
            internalServer.onAny { _ in .text("as the client") }
            try await LoopbackServer.with(.https1(identity), requiredClient: known) { server in
                server.on(.get, "/go") { _ in .redirect(to: internalServer.url + "/there", status: 307) }
                server.on(.get, "/near") { _ in .redirect(to: "/here", status: 307) }
                server.on(.get, "/here") { _ in .text("home") }
                let manager = try RestClientManager.connected(trusting: identity) { _, connections in
                    switch source {
                    case .files: connections.clientCertificateFiles = files.setting
                    case .text:
                        connections.clientCertificateChain = known.certificatePEM
                        connections.clientPrivateKey = known.privateKeyPEM
                    }
                    if isNamed {
                        connections.clientCertificateOrigins = [server.url, internalServer.url]
                    }
                }
                // A call of the program's own has a connection with the certificate, which the redirect must not use.
                let own = try await manager.request(String.self).url(internalServer.url + "/own").send()
                let near = try await manager.request(String.self).url(server.url + "/near").send()
                #expect([own, near] == ["as the client", "home"])

                let node = manager.request(String.self).url(server.url + "/go")
                for _ in 0..<2 {
                    if isNamed {
                        let text = try await node.send()
                        #expect(text == "as the client")
                    } else {
                        await #expect(throws: RestClientError.self) { try await node.send() }
                    }
                }

                #expect(internalServer.requests.count == (isNamed ? 3 : 1))
            }
        }
    }

    @Test(arguments: [false, true])
    func `a page at another registered server does not present the certificate unless that server is named`(
        isNamed: Bool
    ) async throws {
        let (identity, known) = (try TestIdentity(), try TestIdentity(names: ["known.example"]))
        try await LoopbackServer.with(.https1(identity), requiredClient: known) { other in
            other.onAny { _ in .json("[2]") }
            try await LoopbackServer.with(.https1(identity), requiredClient: known) { server in
                server.onAny { _ in .json("[1]", headers: ["Link": "<\(other.url)/2>; rel=next"]) }
                let manager = try RestClientManager.connected(trusting: identity) { _, connections in
                    connections.clientCertificateChain = known.certificatePEM
                    connections.clientPrivateKey = known.privateKeyPEM
                    if isNamed {
                        connections.clientCertificateOrigins = [server.url, other.url]
                    }
                }
                manager.servers["first"] = Server(server.url)
                manager.servers["other"] = Server(other.url)
                let pager = manager.request([Int].self).server("first").endpoint("/list").pages(.link).pager()
                let first = try await pager.moveNext()?.items
                #expect(first == [1])

                if isNamed {
                    let second = try await pager.moveNext()?.items
                    #expect(second == [2])
                } else {
                    await #expect(throws: RestClientError.self) { try await pager.moveNext() }
                }

                #expect(other.requests.count == (isNamed ? 1 : 0))
            }
        }
    }

    @Test
    func `origins that are named get the certificate, and no other one`() async throws {
        let (identity, known) = (try TestIdentity(), try TestIdentity(names: ["known.example"]))
        try await LoopbackServer.with(.https1(identity), requiredClient: known) { server in
            server.onAny { _ in .text("welcome") }
            let manager = try RestClientManager.connected(trusting: identity) { _, connections in
                connections.clientCertificateChain = known.certificatePEM
                connections.clientPrivateKey = known.privateKeyPEM
                connections.clientCertificateOrigins = ["https://other.example"]
            }

            await #expect(throws: RestClientError.self) {
                try await manager.request(String.self).url(server.url + "/").send()
            }
            #expect(server.requests.isEmpty)
        }
    }
}
