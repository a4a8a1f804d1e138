// SPDX-License-Identifier: MIT

import Foundation
import SharedStore

/// Entries of 1 KB among 100,000 on a disk.
enum DiskComparisons {
    private static let expiry = Date(timeIntervalSinceReferenceDate: 1e12)

    static func all(folder: URL) async throws -> [Comparison] {
        let raw = try RawDatabase(folder: folder)
        let grdb = try GRDBDatabase(folder: folder)
        let files = try FilePerEntry(folder: folder)
        let cache = try await filledCache(folder)
        let shared = try filledData(folder)
        return [
            reads(raw, grdb, files, cache), singleWrites(raw, grdb, files, cache, shared),
            groupedWrites(raw, grdb, cache, shared),
        ]
    }

    /// A cache without its memory tier, so that every read reaches the file.
    private static func filledCache(_ folder: URL) async throws -> ExpiringCache {
        var configuration = ExpiringCache.Configuration()
        configuration.memoryByteLimit = 0
        configuration.byteLimit = nil
        let cache = try ExpiringCache(file: folder.appending(path: "cache.sqlite"), configuration: configuration)
        for start in stride(from: 0, to: Rows.count, by: 250) {
            try await store(Array(start..<start + 250), generation: 0, in: cache)
        }
        return cache
    }

    private static func filledData(_ folder: URL) throws -> SharedData {
        var configuration = SharedData.Configuration()
        configuration.durability = .processDeath
        let data = try SharedData(file: folder.appending(path: "shared.sqlite"), configuration: configuration)
        try data.transaction { transaction in
            for (number, key) in Rows.keys.enumerated() {
                try transaction.set(Rows.body(number, generation: 0), for: SharedKey<Data>(key))
            }
        }
        return data
    }

    private static func entry(_ number: Int, _ generation: UInt64) -> CacheEntry {
        CacheEntry(body: Rows.body(number, generation: generation), expiresAt: expiry)
    }

    /// Stores entries from a task each, all at once.
    private static func store(_ numbers: [Int], generation: UInt64, in cache: ExpiringCache) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in numbers {
                group.addTask { try await cache.store(entry(number, generation), for: Rows.keys[number]) }
            }
            try await group.waitForAll()
        }
    }

    private static func reads(
        _ raw: RawDatabase,
        _ grdb: GRDBDatabase,
        _ files: FilePerEntry,
        _ cache: ExpiringCache
    ) -> Comparison {
        Comparison(
            title: "read",
            count: 40_000,
            contenders: [
                Contender(name: "SQLite") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    raw.use { session in
                        for _ in 0..<count {
                            expect(session.value(Rows.keys[generator.row()])?.value.count == 1024)
                        }
                    }
                },
                Contender(name: "ExpiringCache.readNow") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count {
                        expect(try cache.readNow(Rows.keys[generator.row()]).entry?.body.count == 1024)
                    }
                },
                Contender(name: "await ExpiringCache.read") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count {
                        let read = try await cache.read(Rows.keys[generator.row()])
                        expect(read.entry?.body.count == 1024)
                    }
                },
                Contender(name: "GRDB read") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count {
                        expect(try grdb.value(Rows.keys[generator.row()])?.count == 1024)
                    }
                },
                Contender(name: "await GRDB read") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count {
                        let value = try await grdb.valueLater(Rows.keys[generator.row()])
                        expect(value?.count == 1024)
                    }
                },
                Contender(name: "file per entry") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count { expect(files.value(generator.row())?.count == 1024) }
                },
            ]
        )
    }

    private static func singleWrites(
        _ raw: RawDatabase,
        _ grdb: GRDBDatabase,
        _ files: FilePerEntry,
        _ cache: ExpiringCache,
        _ shared: SharedData
    ) -> Comparison {
        Comparison(
            title: "write, one at a time",
            count: 10_000,
            contenders: [
                Contender(name: "SQLite") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    raw.use { session in
                        for _ in 0..<count {
                            let number = generator.row()
                            session.put(Rows.keys[number], Rows.body(number, generation: seed), Double(seed), 1e12)
                        }
                    }
                },
                Contender(name: "await ExpiringCache.store") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count {
                        let number = generator.row()
                        try await cache.store(entry(number, seed), for: Rows.keys[number])
                    }
                },
                Contender(name: "SharedData.set") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count {
                        let number = generator.row()
                        try shared.set(Rows.body(number, generation: seed), for: SharedKey<Data>(Rows.keys[number]))
                    }
                },
                Contender(name: "GRDB write") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count {
                        let number = generator.row()
                        try grdb.put(Rows.keys[number], Rows.body(number, generation: seed))
                    }
                },
                Contender(name: "await GRDB write") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count {
                        let number = generator.row()
                        try await grdb.putLater(Rows.keys[number], Rows.body(number, generation: seed))
                    }
                },
                Contender(name: "file per entry") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count {
                        let number = generator.row()
                        files.put(number, Rows.body(number, generation: seed))
                    }
                },
            ]
        )
    }

    /// The numbers of a group of 100 rows, all different so that no contender has less to do.
    private static func group(_ generator: inout SeededGenerator) -> [Int] {
        var numbers: Set<Int> = []
        while numbers.count < 100 { numbers.insert(generator.row()) }
        return Array(numbers)
    }

    private static func groupedWrites(
        _ raw: RawDatabase,
        _ grdb: GRDBDatabase,
        _ cache: ExpiringCache,
        _ shared: SharedData
    ) -> Comparison {
        Comparison(
            title: "write, 100 at a time",
            count: 20_000,
            contenders: [
                Contender(name: "SQLite, one transaction") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    raw.use { session in
                        for _ in 0..<count / 100 {
                            session.execute("BEGIN IMMEDIATE")
                            for number in group(&generator) {
                                session.put(Rows.keys[number], Rows.body(number, generation: seed), Double(seed), 1e12)
                            }
                            session.execute("COMMIT")
                        }
                    }
                },
                Contender(name: "ExpiringCache.store, 100 tasks") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count / 100 { try await store(group(&generator), generation: seed, in: cache) }
                },
                Contender(name: "SharedData.transaction") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count / 100 {
                        let numbers = group(&generator)
                        try shared.transaction { transaction in
                            for number in numbers {
                                let key = SharedKey<Data>(Rows.keys[number])
                                try transaction.set(Rows.body(number, generation: seed), for: key)
                            }
                        }
                    }
                },
                Contender(name: "GRDB write, one block") { count, seed in
                    var generator = SeededGenerator(seed: seed)
                    for _ in 0..<count / 100 {
                        try grdb.put(group(&generator).map { (Rows.keys[$0], Rows.body($0, generation: seed)) })
                    }
                },
            ]
        )
    }
}
