// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import BenchmarkSupport
import NIOCore
import NIOPosix
import NIOSSL
import RestClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One way to make the same request.
struct Contender: Sendable {
    let name: String
    let request: @Sendable () async throws -> Void
}

/// The contenders of each comparison; the first one is what the others are compared with.
struct Contenders: Sendable {
    let raw: [Contender]
    let typed: [Contender]
    /// Parts of the others, for a profiler; they are not compared.
    let parts: [Contender]
    private let clients: [HTTPClient]

    /// Creates the contenders for a server.
    ///
    /// - Parameters:
    ///   - address: The server's address.
    ///   - roots: The file of the certificates to trust besides the system's; `nil` for none.
    ///   - usesHTTP2: True if the server may choose HTTP/2.
    /// - Throws: The error of a file that cannot be read, or of settings that TLS does not take.
    init(address: String, roots: String? = nil, usesHTTP2: Bool = false) throws {
        let url = address + "/users/7/record"
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 2))
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        configuration.httpVersion = usesHTTP2 ? .automatic : .http1Only
        var connections = DirectTransport.Configuration()
        connections.usesHTTP2 = usesHTTP2
        if let roots {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.additionalTrustRoots = [.file(roots)]
            configuration.tlsConfiguration = tls
            connections.additionalTrustRoots = [try String(contentsOfFile: roots, encoding: .utf8)]
        }
        let plain = HTTPClient(eventLoopGroup: loops, configuration: configuration)
        clients = [plain]

        let transport = try DirectTransport(configuration: connections)
        var own = RestClientManager.Configuration()
        own.transport = transport
        // As many as there are requests at once: a worker slot is held while a request is on the wire.
        own.workerCount = 256
        let manager = Self.manager(own, to: address)
        var other = RestClientManager.Configuration()
        other.transport = HTTPClientTransport(client: plain)
        other.workerCount = own.workerCount
        let delegating = Self.manager(other, to: address)

        raw = [
            Contender(name: "HTTPClient.execute") {
                let response = try await plain.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
                let body = try await response.body.collect(upTo: 1 << 20)
                precondition(body.readableBytes == 1_037)
            },
            Contender(name: "RestClient") {
                let body = try await manager.request(Self.bytes).parameter("user", 7).send()
                precondition(body.count == 1_037)
            },
            Contender(name: "RestClient over HTTPClient") {
                let body = try await delegating.request(Self.bytes).parameter("user", 7).send()
                precondition(body.count == 1_037)
            },
        ]
        typed = [
            Contender(name: "HTTPClient.execute + JSONDecoder") {
                let response = try await plain.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
                let body = try await response.body.collect(upTo: 1 << 20)
                let record = try JSONDecoder().decode(Record.self, from: Data(body.readableBytesView))
                precondition(record.orders.count == 10)
            },
            Contender(name: "RestClient typed") {
                let record = try await manager.request(Self.record).parameter("user", 7).send()
                precondition(record.orders.count == 10)
            },
            Contender(name: "RestClient typed, HTTPClient") {
                let record = try await delegating.request(Self.record).parameter("user", 7).send()
                precondition(record.orders.count == 10)
            },
        ]
        let message = TransportRequest(method: .get, url: url, timeout: .seconds(60))
        parts = [
            Contender(name: "transport") {
                let response = try await transport.send(message)
                precondition(response.body.count == 1_037)
            },
            Contender(name: "HTTPClient, delegate") {
                let request = try HTTPClient.Request(url: url)
                let response = try await plain.execute(request: request, deadline: .now() + .seconds(60)).get()
                precondition(response.body?.readableBytes == 1_037)
            },
        ]
    }

    private static let bytes: APIAlias<Data> = "bytes"
    private static let record: APIAlias<Record> = "record"

    private static func manager(
        _ configuration: RestClientManager.Configuration,
        to address: String
    ) -> RestClientManager {
        let manager = RestClientManager(configuration: configuration)
        manager.servers["bench"] = Server(address)
        manager.defaultServer = "bench"
        manager.apis[bytes] = API(.get, "/users/{user}/record")
        manager.apis[record] = API(.get, "/users/{user}/record")
        return manager
    }

    func shutdown() async throws {
        for client in clients {
            try await client.shutdown()
        }
    }
}
