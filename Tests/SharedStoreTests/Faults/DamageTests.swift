// SPDX-License-Identifier: MIT

import Foundation
import SeededRandom
import SharedStore
import Testing

/// Damage to files: what is read is right, or it is an error or a miss; never garbage, never a trap.
@Suite(.timeLimit(.minutes(5)))
struct DamageTests {
    let folder: TemporaryFolder
    private static let count = 120

    init() throws {
        folder = try TemporaryFolder()
    }

    private static func value(_ number: Int) -> Data {
        // Some values in their rows, some on overflow pages, some in the table of large ones.
        let size = number.isMultiple(of: 10) ? 20_000 : number.isMultiple(of: 7) ? 6000 : 300
        return Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &+ $0 >> 8) })
    }

    private func makeSharedData() throws -> Data {
        let data = try SharedData(file: folder.file())
        try data.transaction { transaction in
            for number in 0..<Self.count {
                try transaction.set(Self.value(number), for: SharedKey<Data>("key\(number)"))
            }
        }
        data.close()
        return try Data(contentsOf: folder.file())
    }

    private func makeCache() async throws -> Data {
        let cache = try ExpiringCache(file: folder.file())
        for number in 0..<Self.count {
            try await cache.store(CacheEntry(body: Self.value(number), tags: ["t\(number)"]), for: "key\(number)")
        }
        cache.close()
        return try Data(contentsOf: folder.file())
    }

    /// Writes a damaged copy under a name of its own, so that no open file is changed.
    private func write(_ content: Data, _ name: String) throws -> URL {
        let url = folder.file(name)
        try content.write(to: url)
        return url
    }

    private func flip(_ content: Data, _ generator: inout SeededGenerator) -> Data {
        var content = content
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
            content[Int.random(in: 0..<content.count, using: &generator)] ^=
                1 << UInt8.random(in: 0..<8, using: &generator)
        }
        return content
    }

    /// Reads everything there is; counts what is right.
    private func checkSharedData(_ url: URL) -> (right: Int, failed: Int) {
        var right = 0
        var failed = 0
        do throws(StoreError) {
            let data = try SharedData(file: url)
            for number in 0..<Self.count {
                do throws(StoreError) {
                    let value = try data.value(for: SharedKey<Data>("key\(number)"))
                    // A row may be unreachable when its index is damaged, but never wrong.
                    #expect(value == nil || value == Self.value(number))
                    right += value == nil ? 0 : 1
                } catch {
                    failed += 1
                }
            }
            _ = try? data.names()
            try? data.set(1, for: .count)
            data.close()
        } catch {
            failed = Self.count
        }
        return (right, failed)
    }

    private func checkCache(_ url: URL) async throws -> Int {
        let cache = try ExpiringCache(file: url)
        var right = 0
        for number in 0..<Self.count {
            guard let entry = try await cache.read("key\(number)").entry else {
                continue
            }
            #expect(entry.body == Self.value(number))
            #expect(entry.tags == ["t\(number)"])
            right += 1
        }
        // With any damage, the cache stays usable.
        try await cache.store(CacheEntry(body: Data("new".utf8)), for: "new")
        #expect(try await cache.read("new").entry?.body == Data("new".utf8))
        cache.close()
        return right
    }

    @Test
    func `flipped bits in shared data are errors and not garbage`() throws {
        let content = try makeSharedData()
        var generator = SeededGenerator(seed: 1)
        var right = 0
        var failed = 0
        for round in 0..<30 {
            let result = checkSharedData(try write(flip(content, &generator), "flipped\(round)"))
            right += result.right
            failed += result.failed
        }
        #expect(right > 0)
        #expect(failed > 0)
    }

    @Test
    func `flipped bits in a cache are misses, and the cache stays usable`() async throws {
        let content = try await makeCache()
        var generator = SeededGenerator(seed: 2)
        var right = 0
        for round in 0..<30 {
            right += try await checkCache(try write(flip(content, &generator), "flipped\(round)"))
        }
        #expect((1..<30 * Self.count).contains(right))
    }

    @Test(arguments: [0, 1, 16, 99, 100, 512, 1023, 4095, 4096, 4097, 10_000, 50_000, 100_000])
    func `a truncated file is an error for shared data and a new start for a cache`(_ length: Int) async throws {
        let shared = try makeSharedData().prefix(length)
        let url = try write(shared, "shared")
        let result = checkSharedData(url)
        #expect(result.right + result.failed <= Self.count)
        // SQLite takes a file of a single byte for an empty one.
        if length > 1, length < 4096 {
            #expect(try Data(contentsOf: url) == shared)
            #expect(throws: StoreError.self) { try SharedData(file: url) }
        }

        try FileManager.default.removeItem(at: folder.file())
        _ = try await checkCache(try write(try await makeCache().prefix(length), "cache"))
    }

    @Test
    func `a damaged log gives what was committed before the damage`() throws {
        let data = try SharedData(file: folder.file())
        for number in 0..<50 { try data.set(number, for: SharedKey<Int>("key\(number)")) }
        let database = try Data(contentsOf: folder.file())
        let log = try Data(contentsOf: folder.file("store.sqlite-wal"))
        data.close()
        var generator = SeededGenerator(seed: 3)
        for round in 0..<40 {
            let url = try write(database, "round\(round)")
            _ = try write(flip(log, &generator), "round\(round)-wal")
            guard let data = try? SharedData(file: url) else {
                continue
            }
            let names = try data.names()
            for name in names {
                #expect(try data.value(for: SharedKey<Int>(name)) == Int(name.dropFirst(3)))
            }
            // Commits are lost from the end only.
            #expect(Set(names) == Set((0..<names.count).map { "key\($0)" }))
            data.close()
        }
    }

    @Test
    func `a cache that is damaged while in use is replaced, with an event`() async throws {
        _ = try await makeCache()
        let events = Recorder<CacheEvent>()
        var configuration = ExpiringCache.Configuration()
        configuration.memoryByteLimit = 0
        configuration.onEvent = { events.record($0) }
        let cache = try ExpiringCache(file: folder.file(), configuration: configuration)
        let handle = try FileHandle(forWritingTo: folder.file())
        let size = Int(try handle.seekToEnd())
        for offset in stride(from: 4096, to: size, by: 64) {
            try handle.seek(toOffset: UInt64(offset))
            handle.write(Data(repeating: 0xA5, count: 64))
        }

        for number in 0..<Self.count { #expect(try await cache.read("key\(number)") == .miss) }
        try await cache.store(CacheEntry(body: Data("new".utf8)), for: "new")

        #expect(try await cache.read("new").entry?.body == Data("new".utf8))
        let rebuilt = try #require(events.all.first { $0.name == .rebuilt })
        #expect(rebuilt.error?.code == .corrupt)
        #expect(rebuilt.setAsideFile.map { FileManager.default.fileExists(atPath: $0) } == true)
        #expect(cache.recovery?.name == .rebuilt)
        try handle.close()
    }

    @Test
    func `a damaged cache that cannot be replaced says so at each use, and is replaced once it can be`() async throws {
        _ = try await makeCache()
        let events = Recorder<CacheEvent>()
        var configuration = ExpiringCache.Configuration()
        configuration.onEvent = { events.record($0) }
        let cache = try ExpiringCache(file: folder.file(), configuration: configuration)
        let handle = try FileHandle(forWritingTo: folder.file())
        let size = Int(try handle.seekToEnd())
        try handle.seek(toOffset: 4096)
        handle.write(Data(repeating: 0xA5, count: size - 4096))
        try handle.close()
        // A folder in the place of the file can neither be opened nor set aside as one.
        try FileManager.default.moveItem(at: folder.file(), to: folder.file("moved"))
        try FileManager.default.createDirectory(at: folder.file(), withIntermediateDirectories: true)

        var codes: [StoreError.Code] = []
        for number in 0..<3 {
            let error = await #expect(throws: StoreError.self) { try await cache.read("key\(number)") }
            if let error { codes.append(error.code) }
        }
        let store = await #expect(throws: StoreError.self) {
            try await cache.store(CacheEntry(body: Data("new".utf8)), for: "new")
        }
        let readNow = #expect(throws: StoreError.self) { try cache.readNow("key1") }
        try FileManager.default.removeItem(at: folder.file())

        #expect(codes == [.cannotOpen, .cannotOpen, .cannotOpen])
        #expect(store?.code == .cannotOpen)
        #expect(readNow?.code == .cannotOpen)
        #expect(try cache.readNow("key1") == .miss)
        try await cache.store(CacheEntry(body: Data("new".utf8)), for: "new")
        #expect(try await cache.read("new").entry?.body == Data("new".utf8))
        #expect(events.all.filter { $0.name == .rebuilt }.count == 1)
        cache.close()
        let closed = await #expect(throws: StoreError.self) { try await cache.read("new") }
        #expect(closed?.code == .closed)
    }

    @Test
    func `a row that was changed behind the library's back is noticed`() async throws {
        let data = try SharedData(file: folder.file())
        try data.set("value", for: SharedKey<String>("text"))
        data.close()
        try RawDatabase.execute(folder.file(), "UPDATE rows_shared SET value = value || x'00'")

        let error = #expect(throws: StoreError.self) {
            try SharedData(file: folder.file()).value(for: SharedKey<String>("text"))
        }
        #expect(error?.code == .corrupt)
        #expect(error?.key == "text")
        try SharedData(file: folder.file()).set("again", for: SharedKey<String>("text"))
        #expect(try SharedData(file: folder.file()).value(for: SharedKey<String>("text")) == "again")
    }

    @Test(arguments: [
        "value = value || x'00'", "version = version + 1, digest = 0", "metadata = x'00'", "stored_at = 1", "size = -1",
    ])
    func `a damaged row can be removed, also in a transaction`(damage: String) throws {
        let file = folder.file()
        func damaged() throws -> SharedData {
            let data = try SharedData(file: file)
            try data.set("value", for: SharedKey<String>("text"))
            data.close()
            try RawDatabase.execute(file, "UPDATE rows_shared SET \(damage)")
            return try SharedData(file: file)
        }
        let data = try damaged()
        let read = #expect(throws: StoreError.self) { try data.value(for: SharedKey<String>("text")) }
        let removed = try data.remove(SharedKey<String>("text"))
        let names = try data.names()
        data.close()
        let other = try damaged()
        try other.transaction { try $0.remove(SharedKey<String>("text")) }

        #expect(read?.code == .corrupt)
        #expect(removed == nil)
        #expect(names.isEmpty)
        #expect(try other.names().isEmpty)
        #expect(try other.value(for: SharedKey<String>("text")) == nil)
    }

    private static let damageOfLargeValues = [
        "DELETE FROM values_", "UPDATE values_ SET value = x'00'", "UPDATE values_ SET value = 7",
        "UPDATE values_ SET value = zeroblob(length(value))",
    ]

    private func damageLargeValues(_ name: String, _ statement: String) throws {
        let table = statement.replacingOccurrences(of: "values_", with: "values_\(name)")
        try RawDatabase.execute(folder.file(), table)
    }

    @Test(arguments: damageOfLargeValues)
    func `a large value that is missing or damaged is a miss in a cache, and only that one`(damage: String) async throws
    {
        let cache = try ExpiringCache(file: folder.file())
        try await cache.store(CacheEntry(body: Data(repeating: 1, count: 20_000)), for: "large")
        try await cache.store(CacheEntry(body: Data([1])), for: "small")
        cache.close()
        try damageLargeValues("cache", damage)
        let events = Recorder<CacheEvent>()
        var configuration = ExpiringCache.Configuration()
        configuration.onEvent = { events.record($0) }
        let again = try ExpiringCache(file: folder.file(), configuration: configuration)

        #expect(try await again.read("large") == .miss)
        #expect(try await again.read("small").entry?.body == Data([1]))
        #expect(events.all.map(\.name) == [.entryDiscarded])
        #expect(events.all.map(\.error?.code) == [.corrupt])
        #expect(events.all.map(\.key) == ["large"])
        #expect(try await again.statistics().entryCount == 1)
        try await again.store(CacheEntry(body: Data(count: 30_000)), for: "large")
        #expect(try await again.read("large").entry?.body.count == 30_000)
        again.close()
    }

    @Test(arguments: damageOfLargeValues)
    func `a large shared value that is missing or damaged is an error of its key, and can be replaced`(
        damage: String
    ) async throws {
        let key = SharedKey<Data>("large")
        let data = try SharedData(file: folder.file())
        try data.set(Data(repeating: 1, count: 20_000), for: key)
        data.close()
        try damageLargeValues("shared", damage)
        let again = try SharedData(file: folder.file())

        let error = #expect(throws: StoreError.self) { try again.value(for: key) }
        #expect(error?.code == .corrupt)
        #expect(error?.key == "large")
        #expect(try await again.reseal(with: .identity).unreadable == ["large"])
        try again.set(Data([1]), for: key)
        #expect(try again.value(for: key) == Data([1]))
        again.close()
    }

    @Test
    func `a cache without its head is replaced`() async throws {
        let former = try ExpiringCache(file: folder.file())
        try await former.store(CacheEntry(body: Data([1])), for: "key")
        former.close()
        try RawDatabase.execute(folder.file(), "DELETE FROM collections")

        let cache = try ExpiringCache(file: folder.file())

        #expect(cache.recovery?.name == .rebuilt)
        try await cache.store(CacheEntry(body: Data([2])), for: "key")
        #expect(try await cache.read("key").entry?.body == Data([2]))
    }
}
