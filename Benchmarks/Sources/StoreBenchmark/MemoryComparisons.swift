// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Synchronization

/// Entries of 1 KB that lie in memory already.
enum MemoryComparisons {
    private static let count = 5000

    static func all(folder: URL) async throws -> [Comparison] {
        let dictionary = Mutex<[String: CacheEntry]>([:])
        let cache = try ExpiringCache(file: folder.appending(path: "memory.sqlite"))
        let shared = SharedData()
        for number in 0..<count {
            let body = Rows.body(number, generation: 0)
            let entry = CacheEntry(body: body, expiresAt: .distantFuture)
            dictionary.withLock { $0[Rows.keys[number]] = entry }
            try await cache.store(entry, for: Rows.keys[number])
            try shared.set(body, for: SharedKey<Data>(Rows.keys[number]))
        }
        let held = Held(dictionary: dictionary)
        return [
            Comparison(
                title: "read from memory",
                count: 300_000,
                contenders: [
                    Contender(name: "Dictionary + Mutex") { runs, seed in
                        var generator = SeededGenerator(seed: seed)
                        for _ in 0..<runs {
                            let key = Rows.keys[generator.row(of: count)]
                            expect(held.dictionary.withLock { $0[key] }?.body.count == 1024)
                        }
                    },
                    Contender(name: "ExpiringCache.readNow") { runs, seed in
                        var generator = SeededGenerator(seed: seed)
                        for _ in 0..<runs {
                            let read = try cache.readNow(Rows.keys[generator.row(of: count)])
                            expect(read.entry?.body.count == 1024)
                        }
                    },
                    Contender(name: "await ExpiringCache.read") { runs, seed in
                        var generator = SeededGenerator(seed: seed)
                        for _ in 0..<runs {
                            let read = try await cache.read(Rows.keys[generator.row(of: count)])
                            expect(read.entry?.body.count == 1024)
                        }
                    },
                    Contender(name: "SharedData.value") { runs, seed in
                        var generator = SeededGenerator(seed: seed)
                        for _ in 0..<runs {
                            let value = try shared.value(for: SharedKey<Data>(Rows.keys[generator.row(of: count)]))
                            expect(value?.count == 1024)
                        }
                    },
                ]
            )
        ]
    }

    /// The lock, which no closure may capture by itself.
    private final class Held: Sendable {
        let dictionary: Mutex<[String: CacheEntry]>

        init(dictionary: consuming sending Mutex<[String: CacheEntry]>) {
            self.dictionary = dictionary
        }
    }
}
