// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import BenchmarkSupport
import NIOCore
import NIOPosix
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
    private let clients: [HTTPClient]

    init(address: String) throws {
        let url = address + "/users/7/record"
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 2))
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 256
        let plain = HTTPClient(eventLoopGroup: loops, configuration: configuration)
        clients = [plain]

        let manager = RestClientManager()
        manager.servers["bench"] = Server(address)
        manager.defaultServer = "bench"
        let bytesKey: APIAlias<Data> = "bytes"
        let recordKey: APIAlias<Record> = "record"
        manager.apis[bytesKey] = API(.get, "/users/{user}/record")
        manager.apis[recordKey] = API(.get, "/users/{user}/record")

        raw = [
            Contender(name: "HTTPClient.execute") {
                let response = try await plain.execute(HTTPClientRequest(url: url), timeout: .seconds(60))
                let body = try await response.body.collect(upTo: 1 << 20)
                precondition(body.readableBytes == 1_037)
            },
            Contender(name: "RestClient") {
                let body = try await manager.request(bytesKey).parameter("user", 7).send()
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
                let record = try await manager.request(recordKey).parameter("user", 7).send()
                precondition(record.orders.count == 10)
            },
        ]
    }

    func shutdown() async throws {
        for client in clients {
            try await client.shutdown()
        }
    }
}
