// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
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
