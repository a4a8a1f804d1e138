// SPDX-License-Identifier: MIT

import BenchmarkSupport
import Foundation
import RestClient

/// A frequently used path through the library.
struct HotPath: Sendable {
    let name: String
    /// Takes the path for the record with that number.
    let run: @Sendable (_ number: Int) async throws -> Void

    /// A Boolean value that indicates whether the path does the work of a hundred others.
    var isLong: Bool { name.contains("100") }

    /// The number of different records.
    static let count = 200

    static let bytes: APIAlias<Data> = "bytes"
    private static let model: APIAlias<Record> = "model"
    private static let cached: APIAlias<Data> = "cached"

    /// Returns all paths, or the one of a name; only what that one needs is stored in the folder.
    static func all(in folder: URL, only name: String? = nil) async throws -> [HotPath] {
        let quick = try optionedCalls() + jobs() + values()
        if let path = quick.first(where: { $0.name == name }) {
            return [path]
        }
        let all = try await calls(in: folder) + quick
        return name.map { name in all.filter { $0.name == name } } ?? all
    }

    /// Makes managers with everything stored, and the paths of calls and of stored responses.
    private static func calls(in folder: URL) async throws -> [HotPath] {
        let file = try manager()
        try file.persist(in: folder)
        let memory = try manager()
        for manager in [file, memory] {
            for number in 0..<count {
                // The second call finds what the first one stored, and brings it into memory.
                for _ in 0..<2 {
                    _ = try await manager.request(bytes).parameter("user", number).cache().send()
                    _ = try await manager.request(model).parameter("user", number).cache().send()
                }
            }
        }
        let kept = file.request(bytes).parameter("user", 7).cache()
        return [
            HotPath(name: "hit, bytes") { try await hit(file.request(bytes).parameter("user", $0).cache()) },
            HotPath(name: "hit, model") { number in
                let response = try await file.request(model).parameter("user", number).cache().response()
                expect(response.model.orders.count == 10 && response.source.isCache)
            },
            HotPath(name: "hit, bytes, policy of the API") {
                try await hit(file.request(cached).parameter("user", $0))
            },
            HotPath(name: "hit, bytes, one node") { _ in try await hit(kept) },
            HotPath(name: "hit, bytes, no file") {
                try await hit(memory.request(bytes).parameter("user", $0).cache())
            },
            HotPath(name: "call, bytes") { number in
                expect(try await file.request(bytes).parameter("user", number).send().count == 1_037)
            },
            HotPath(name: "call, model") { number in
                expect(try await file.request(model).parameter("user", number).send().orders.count == 10)
            },
            HotPath(name: "call, bytes, always another URL") { [numbers = Numbers()] _ in
                expect(try await file.request(bytes).parameter("user", numbers.next()).send().count == 1_037)
            },
        ]
    }

    static func manager(_ transport: RecordTransport = RecordTransport()) throws -> RestClientManager {
        var configuration = RestClientManager.Configuration()
        configuration.transport = transport
        let manager = RestClientManager(configuration: configuration)
        manager.servers["bench"] = "http://127.0.0.1:8080"
        manager.defaultServer = "bench"
        manager.apis[bytes] = API(.get, "/cached/users/{user}/record")
        manager.apis[model] = API(.get, "/cached/users/{user}/record")
        manager.apis[cached] = API(.get, "/cached/users/{user}/record").cache()
        return manager
    }

    private static func hit(_ node: RequestNode<Data>) async throws {
        expect(try await node.send().count == 1_037)
    }
}

/// Ends the program when a path did not do the work.
func expect(_ isRight: Bool) {
    if !isRight { fatalError("a path gave a wrong result") }
}
