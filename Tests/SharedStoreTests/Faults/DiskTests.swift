// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing
import TinyDisk

/// Disks that are full or read-only.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: TinyDisk.isAvailable, "this user may not mount a small file system")
)
struct DiskTests {
    @Test
    func `shared data on a full disk report it, keep their values, and can be written again when there is room`() throws
    {
        let disk = try TinyDisk(megabytes: 1)
        let data = try SharedData(file: disk.url.appending(path: "shared.sqlite"))
        let filler = Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 5) })
        var stored = 0
        var failure: StoreError?
        while failure == nil, stored < 100 {
            do throws(StoreError) {
                try data.set(filler + Data([UInt8(stored)]), for: SharedKey<Data>("key\(stored)"))
                stored += 1
            } catch {
                failure = error
            }
        }

        #expect(failure?.code == .diskFull)
        #expect((1..<25).contains(stored))
        #expect(try data.value(for: SharedKey<Data>("key\(stored)")) == nil)
        data.close()
        let again = try SharedData(file: disk.url.appending(path: "shared.sqlite"))
        for number in 0..<stored {
            #expect(try again.value(for: SharedKey<Data>("key\(number)")) == filler + Data([UInt8(number)]))
        }
        try disk.remount("size=8m")
        try again.set(1, for: .count)
        #expect(try again.value(for: .count) == 1)
        again.close()
    }

    @Test
    func `a cache on a full disk says so and still reads`() async throws {
        let disk = try TinyDisk(megabytes: 1)
        let cache = try ExpiringCache(file: disk.url.appending(path: "cache.sqlite"))
        let body = Data((0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 5) })
        var stored = 0
        var failure: StoreError?
        while failure == nil, stored < 100 {
            do throws(StoreError) {
                try await cache.store(CacheEntry(body: body), for: "key\(stored)")
                stored += 1
            } catch {
                failure = error
            }
        }

        #expect(failure?.code == .diskFull)
        #expect(stored > 0)
        for number in 0..<stored { #expect(try await cache.read("key\(number)").entry?.body == body) }
        try disk.remount("size=8m")
        try await cache.store(CacheEntry(body: body), for: "more")
        #expect(try await cache.read("more").entry?.body == body)
        cache.close()
    }

    @Test
    func `a new store on a full disk is an error`() throws {
        let disk = try TinyDisk(megabytes: 1)
        try? Data(count: 2 << 20).write(to: disk.url.appending(path: "filler"))
        let rest = unsafe open(disk.url.appending(path: "filler").path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        let block = [UInt8](repeating: 1, count: 4096)
        while unsafe write(rest, block, block.count) > 0 {}
        close(rest)

        let shared = #expect(throws: StoreError.self) {
            try SharedData(file: disk.url.appending(path: "shared.sqlite"))
        }
        let cache = #expect(throws: StoreError.self) {
            try ExpiringCache(file: disk.url.appending(path: "cache.sqlite"))
        }
        #expect(shared?.code == .diskFull)
        #expect(cache?.code == .diskFull)
    }

    @Test
    func `a disk that became read-only refuses writes and loses nothing`() throws {
        let disk = try TinyDisk(megabytes: 4)
        let file = disk.url.appending(path: "shared.sqlite")
        let data = try SharedData(file: file)
        try data.set(1, for: .count)
        data.close()
        try disk.remount("ro")

        let error = #expect(throws: StoreError.self) { try SharedData(file: file).set(2, for: .count) }
        let other = #expect(throws: StoreError.self) { try SharedData(file: disk.url.appending(path: "other.sqlite")) }
        let deeper = #expect(throws: StoreError.self) { try SharedData(file: disk.url.appending(path: "a/b.sqlite")) }

        #expect(error?.code == .readOnly)
        #expect(other?.code == .readOnly)
        #expect(deeper?.code == .cannotCreateDirectory)
        try disk.remount("rw")
        #expect(try SharedData(file: file).value(for: .count) == 1)
    }
}
