// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// Very large values and very many keys.
///
/// `SHARED_STORE_FULL=1` runs them at full size: a million keys instead of 20,000.
@Suite(.timeLimit(.minutes(10)))
struct SizeTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var isFull: Bool {
        ProcessInfo.processInfo.environment["SHARED_STORE_FULL"] != nil
    }

    @Test
    func `a value of 1 GiB is refused before anything is copied or written`() async throws {
        // Zero pages that were never touched cost nothing.
        let value = Data(count: 1 << 30)
        var configuration = ExpiringCache.Configuration()
        configuration.entryByteLimit = .max
        configuration.byteLimit = nil
        let cache = try ExpiringCache(file: folder.file("cache.sqlite"), configuration: configuration)
        let shared = try SharedData(file: folder.file("shared.sqlite"))

        let refusedByCache = await #expect(throws: StoreError.self) {
            try await cache.store(CacheEntry(body: value), for: "key")
        }
        let refusedByShared = #expect(throws: StoreError.self) { try shared.set(value, for: SharedKey<Data>("key")) }

        #expect(refusedByCache?.code == .entryTooLarge)
        #expect(refusedByShared?.code == .entryTooLarge)
        #expect(try shared.names() == [])
    }

    @Test
    func `very many keys are stored, listed, found and removed`() async throws {
        let count = isFull ? 1_000_000 : 20_000
        var configuration = ExpiringCache.Configuration()
        configuration.countLimit = count
        let cache = try ExpiringCache(file: folder.file(), configuration: configuration)
        let now = Date(timeIntervalSince1970: 1_700_000_000)

        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<64 {
                group.addTask {
                    for number in stride(from: worker, to: count, by: 64) {
                        let entry = CacheEntry(
                            body: Data("\(number)".utf8),
                            storedAt: now + Double(number),
                            expiresAt: now + Double(count)
                        )
                        try await cache.store(entry, for: "key\(number)")
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(try await cache.statistics().entryCount == count)
        #expect(
            try await cache.read("key\(count / 2)", now: now + Double(count)).entry?.body == Data("\(count / 2)".utf8)
        )
        #expect(try await cache.keys(prefix: "key99").count == (isFull ? 11_111 : 111))
        for number in 0..<10 { try await cache.store(CacheEntry(body: Data(), storedAt: now), for: "new\(number)") }
        #expect(try await cache.statistics().entryCount <= count)
        #expect(try await cache.sweep(now: now + Double(count)) > count / 2)
        #expect(try await cache.statistics().entryCount <= 10)
    }
}
