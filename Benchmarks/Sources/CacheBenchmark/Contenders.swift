// SPDX-License-Identifier: MIT

import BenchmarkSupport
import Foundation
import RestClient
import SharedStore

/// The ways to a stored response, and the way to the server.
enum Contenders {
    /// The number of different responses.
    static let count = 1_000

    private static let bytesKey: APIAlias<Data> = "bytes"
    private static let recordKey: APIAlias<Record> = "record"

    /// Asks the server for all responses once, so that they are stored, and makes the contenders.
    static func all(address: String, folder: URL) async throws -> [Comparison] {
        let tiered = try await manager(address, folder.appending(path: "tiered"), hasMemoryTier: true)
        let bare = try await manager(address, folder.appending(path: "bare"), hasMemoryTier: false)
        let keys = try await bare.cache.storage.entries().map(\.key)
        expect(keys.count == count)
        let rows = try RawRows(file: folder.appending(path: "bare/response-cache.sqlite"))
        let (stores, names) = ((tiered.cache.storage, bare.cache.storage), ("memory", "SQLite"))
        let tieredKeys = try await tiered.cache.storage.entries().map(\.key)
        return [
            Comparison(
                title: "bytes",
                contenders: [
                    Contender(name: "SQLite, a row") { expect(rows.body(keys[$0])?.count == 1_037) },
                    Contender(name: "ExpiringCache.read, \(names.1)") {
                        expect(try await stores.1.read(keys[$0]).entry?.body.count == 1_037)
                    },
                    Contender(name: "ExpiringCache.read, \(names.0)") {
                        expect(try await stores.0.read(tieredKeys[$0]).entry?.body.count == 1_037)
                    },
                    Contender(name: "send(), \(names.1)") { try await bytes(bare, $0, .http) },
                    Contender(name: "send(), \(names.0)") { try await bytes(tiered, $0, .http) },
                    Contender(name: "send(), loopback") { try await bytes(tiered, $0, .networkOnly) },
                ]
            ),
            Comparison(
                title: "model",
                contenders: [
                    Contender(name: "SQLite, a row + JSONDecoder") { number in
                        let body = rows.body(keys[number]) ?? Data()
                        expect(try JSONDecoder().decode(Record.self, from: body).orders.count == 10)
                    },
                    Contender(name: "JSONDecoder alone") { [body = rows.body(keys[0]) ?? Data()] _ in
                        expect(try JSONDecoder().decode(Record.self, from: body).orders.count == 10)
                    },
                    Contender(name: "send(), \(names.1)") { try await model(bare, $0, .http) },
                    Contender(name: "send(), \(names.0)") { try await model(tiered, $0, .http) },
                    Contender(name: "send(), \(names.0), kept") { try await model(tiered, $0, .http.keepingModels()) },
                    Contender(name: "send(), loopback") { try await model(tiered, $0, .networkOnly) },
                ]
            ),
        ]
    }

    private static func bytes(_ manager: RestClientManager, _ number: Int, _ policy: CachePolicy) async throws {
        let body = try await manager.request(bytesKey).parameter("user", number).cache(policy).send()
        expect(body.count == 1_037)
    }

    private static func model(_ manager: RestClientManager, _ number: Int, _ policy: CachePolicy) async throws {
        let record = try await manager.request(recordKey).parameter("user", number).cache(policy).send()
        expect(record.orders.count == 10)
    }

    private static func manager(_ address: String, _ folder: URL, hasMemoryTier: Bool) async throws -> RestClientManager
    {
        var configuration = RestClientManager.Configuration()
        if !hasMemoryTier {
            configuration.cache.memoryByteLimit = 0
        }
        let manager = RestClientManager(configuration: configuration)
        try manager.persist(in: folder)
        manager.servers["bench"] = Server(address)
        manager.defaultServer = "bench"
        manager.apis[bytesKey] = API(.get, "/cached/users/{user}/record")
        manager.apis[recordKey] = API(.get, "/cached/users/{user}/record")
        for number in 0..<count {
            try await model(manager, number, .http)
            let response = try await manager.request(recordKey).parameter("user", number).cache().response()
            expect(response.source.isCache)
        }
        return manager
    }
}

/// Ends the program when a contender did not do the work.
func expect(_ isRight: Bool) {
    if !isRight { fatalError("a contender gave a wrong result") }
}
