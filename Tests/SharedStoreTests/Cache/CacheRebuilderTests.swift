// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SharedStore

/// Several processes that find one damaged file.
@Suite(.timeLimit(.minutes(5)))
struct CacheRebuilderTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private let garbage = Data("not a database, but long enough for a header of one hundred bytes".utf8)
    private let damage = StoreError(.corrupt, "damaged", sqliteCode: 11)

    private var lock: String { folder.file().path + ".rebuilding" }

    private func rebuilder(busyTimeout: Duration = .seconds(30)) -> CacheRebuilder {
        var configuration = ExpiringCache.Configuration()
        configuration.busyTimeout = busyTimeout
        return CacheRebuilder(path: folder.file().path, configuration: configuration)
    }

    private func damagedFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.contains(".damaged-") }
    }

    @Test
    func `a process that finds the damage late keeps the file of the one that was first`() throws {
        try garbage.write(to: folder.file())
        let first = try rebuilder().open().backing
        _ = try first.commitNow([.put("key", "value")], in: .cache) { _ in }

        let (second, event) = try rebuilder().rebuild(because: damage, by: .now) {}

        #expect(event.name == .rebuilt)
        #expect(event.setAsideFile == nil)
        #expect(try second.rowNow("key", in: .cache)?.value == Data("value".utf8))
        #expect(try damagedFiles().count == 1)
    }

    @Test
    func `a file that is damaged again is set aside again`() throws {
        let (backing, _) = try rebuilder().open()
        backing.close()
        try garbage.write(to: folder.file())

        let event = try rebuilder().rebuild(because: damage, by: .now) {}.event

        #expect(try Data(contentsOf: URL(filePath: #require(event.setAsideFile))) == garbage)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).contains("store.sqlite"))
    }

    @Test
    func `while another process replaces the file, it is left alone`() throws {
        try garbage.write(to: folder.file())
        let lock = try #require(try FileLock.acquire(lock))

        let error = #expect(throws: StoreError.self) { try rebuilder(busyTimeout: .milliseconds(5)).open() }

        #expect(error?.code == .busy)
        #expect(try Data(contentsOf: folder.file()) == garbage)
        lock.release()
        #expect(try rebuilder().open().event?.name == .rebuilt)
    }

    @Test
    func `a healthy file is not opened while another process may rename it`() throws {
        try rebuilder().open().backing.close()
        let lock = try #require(try FileLock.acquire(lock))

        let error = #expect(throws: StoreError.self) { try rebuilder(busyTimeout: .zero).open() }

        #expect(error?.code == .busy)
        lock.release()
        #expect(try rebuilder(busyTimeout: .zero).open().event == nil)
    }

    @Test
    func `a damaged engine is closed while the lock is held, and not at all without it`() throws {
        let rebuilder = rebuilder()
        let (backing, _) = try rebuilder.open()
        let lock = try #require(try FileLock.acquire(lock))
        var locksAtClose: [Bool] = []
        func rebuild() throws -> CacheEvent {
            try rebuilder
                .rebuild(because: damage, by: .now) {
                    locksAtClose.append((try? FileLock.acquire(self.lock)) == nil)
                    backing.close()
                }
                .event
        }

        let error = #expect(throws: StoreError.self) { _ = try rebuild() }
        #expect(error?.code == .busy)
        #expect(locksAtClose.isEmpty)
        lock.release()

        #expect(try rebuild().setAsideFile != nil)
        #expect(locksAtClose == [true])
    }

    @Test
    func `a cache that finds damage stays open while another process has the lock`() async throws {
        var configuration = ExpiringCache.Configuration()
        configuration.memoryByteLimit = 0
        configuration.busyTimeout = .milliseconds(5)
        let first = try ExpiringCache(file: folder.file(), configuration: configuration)
        try await first.store(CacheEntry(body: Data(repeating: 1, count: 20_000)), for: "key")
        first.close()
        let cache = try ExpiringCache(file: folder.file(), configuration: configuration)
        let handle = try FileHandle(forWritingTo: folder.file())
        let size = Int(try handle.seekToEnd())
        try handle.seek(toOffset: 4096)
        handle.write(Data(repeating: 0xA5, count: size - 4096))
        let lock = try #require(try FileLock.acquire(lock))

        let error = await #expect(throws: StoreError.self) { try await cache.read("key") }

        #expect(error?.code == .busy)
        // The last connection to be closed would remove the log.
        #expect(FileManager.default.fileExists(atPath: folder.file("store.sqlite-wal").path))
        #expect(try damagedFiles().isEmpty)
        lock.release()
        #expect(try await cache.read("key") == .miss)
        #expect(cache.recovery?.setAsideFile != nil)
        cache.close()
        try handle.close()
    }

    @Test
    func `a use of the cache waits for other processes for a second at most`() throws {
        let before = ContinuousClock.now

        let deadline = try rebuilder().exclusively { $0 }
        let after = ContinuousClock.now
        let short = try rebuilder(busyTimeout: .zero).exclusively { $0 }

        #expect(deadline > before)
        #expect(deadline <= after + .seconds(1))
        #expect(short <= .now)
    }

    @Test
    func `a file system without locks does not prevent a replacement`() throws {
        try garbage.write(to: folder.file())
        let rebuilder = CacheRebuilder(path: folder.file().path, configuration: .init()) { path throws(StoreError) in
            throw StoreError(.inputOutput, "no locks available", file: path)
        }

        let (backing, event) = try rebuilder.open()
        #expect(try Data(contentsOf: URL(filePath: #require(event?.setAsideFile))) == garbage)
        let next = try rebuilder.rebuild(because: damage, by: .now) { backing.close() }.event

        #expect(next.setAsideFile != nil)
    }

    @Test
    func `a log that was left when a process was killed between two renames is kept`() throws {
        try garbage.write(to: folder.file("store.sqlite-wal"))

        #expect(try rebuilder().open().event == nil)

        let name = try #require(try damagedFiles().first)
        #expect(name.hasSuffix("-wal"))
        #expect(try Data(contentsOf: folder.file(name)) == garbage)
        #expect(try damagedFiles().count == 1)
    }

    @Test(arguments: 0..<10)
    func `caches that open a damaged file at once set it aside once`(_ round: Int) async throws {
        let file = folder.file()
        try garbage.write(to: file)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    let cache = try ExpiringCache(file: file)
                    try await cache.store(CacheEntry(body: Data("\(number)".utf8)), for: "key\(number)")
                }
            }
            try await group.waitForAll()
        }

        let cache = try ExpiringCache(file: file)
        #expect(try damagedFiles().count == 1)
        #expect(cache.recovery == nil)
        for number in 0..<8 {
            #expect(try await cache.read("key\(number)").entry?.body == Data("\(number)".utf8))
        }
    }
}
