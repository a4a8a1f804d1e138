// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ExpiringCacheCodecTests {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(
        _ codec: StorageCodec,
        onEvent: (@Sendable (CacheEvent) -> Void)? = nil
    ) throws -> ExpiringCache {
        var configuration = ExpiringCache.Configuration()
        configuration.codec = codec
        configuration.onEvent = onEvent
        return try ExpiringCache(file: folder.file(), configuration: configuration)
    }

    private var entry: CacheEntry {
        CacheEntry(body: Data(repeating: 97, count: 10_000), metadata: Data("token".utf8), storedAt: now)
    }

    @Test(arguments: CodecChoice.allCases)
    func `an entry comes back through any codec, before and after an update`(_ choice: CodecChoice) async throws {
        try await open(choice.codec).store(entry, for: "key")
        var expected = entry
        #expect(try await open(choice.codec).read("key", now: now) == .fresh(expected))

        expected.metadata = Data("new".utf8)
        let change = try await open(choice.codec)
            .update("key") { info in
                info.metadata = Data("new".utf8)
                return true
            }
        #expect(change == .changed)
        #expect(try await open(choice.codec).read("key", now: now) == .fresh(expected))
        #expect(try await open(choice.codec).entries().first?.metadata == expected.metadata)
    }

    @Test
    func `an entry of another codec is a miss, is reported and makes room`() async throws {
        let events = Recorder<CacheEvent.Name>()
        try await open(.sealed(CodecChoice.key)).store(entry, for: "key")

        let cache = try open(.sealed(.generate())) { events.record($0.name) }

        #expect(try await cache.read("key", now: now) == .miss)
        #expect(events.all == [.entryDiscarded])
        #expect(try await cache.keys() == [])
    }

    /// Something that a codec lacks for a while: a key, or memory.
    private final class Shortage: Sendable {
        struct Locked: Error {}

        private let state = Mutex(true)

        func end() {
            state.withLock { $0 = false }
        }

        func check(_ error: any Error) throws {
            if state.withLock({ $0 }) { throw error }
        }
    }

    @Test
    func `an entry outlasts a key that cannot be had for a while`() async throws {
        let bytes = Data(repeating: 7, count: 32)
        try await open(.sealed(SealingKey(bytes: bytes))).store(entry, for: "key")
        let events = Recorder<CacheEvent.Name>()
        let shortage = Shortage()
        let key = SealingKey {
            try shortage.check(Shortage.Locked())
            return bytes
        }
        let cache = try open(.sealed(key)) { events.record($0.name) }

        let error = await #expect(throws: StoreError.self) { try await cache.read("key", now: now) }
        let errorNow = #expect(throws: StoreError.self) { try cache.readNow("key", now: now) }
        #expect(error?.code == .invalidKeyMaterial)
        #expect(errorNow?.code == .invalidKeyMaterial)

        shortage.end()
        #expect(try await cache.read("key", now: now) == .fresh(entry))
        #expect(events.all.isEmpty)
    }

    @Test
    func `an entry outlasts a lack of memory, and is discarded if its bytes exceed the limit`() async throws {
        let shortage = Shortage()
        let codec = StorageCodec(
            "example.large",
            encode: { data, _ in data },
            decode: { data, _ in
                try shortage.check(StoreError(.limitExceeded, "no memory", underlying: OutOfMemory()))
                return data
            }
        )
        let cache = try open(codec)
        try await open(codec).store(entry, for: "key")

        await #expect(throws: StoreError.self) { try await cache.read("key", now: now) }
        shortage.end()
        #expect(try await cache.read("key", now: now) == .fresh(entry))

        let bomb = StorageCodec(
            "example.large",
            encode: { data, _ in data },
            decode: { _, _ in throw StoreError(.limitExceeded, "too much") }
        )
        #expect(try await open(bomb).read("key", now: now) == .miss)
        #expect(try await open(codec).read("key", now: now) == .miss)
    }

    @Test
    func `a plain entry is not taken for a sealed one`() async throws {
        try await open(.identity).store(entry, for: "key")

        #expect(try await open(.sealed(CodecChoice.key)).read("key", now: now) == .miss)
    }

    @Test
    func `a plain entry is read by a compressing cache and the other way round`() async throws {
        try await open(.identity).store(entry, for: "plain")
        try await open(.gzip).store(entry, for: "gzip")

        #expect(try await open(.gzip).read("plain", now: now) == .fresh(entry))
        #expect(try await open(.identity).read("gzip", now: now) == .fresh(entry))
    }

    @Test
    func `compression makes entries smaller`() async throws {
        let cache = try open(.gzip)
        try await cache.store(entry, for: "key")

        #expect(try await cache.statistics().byteCount < 500)
    }
}
