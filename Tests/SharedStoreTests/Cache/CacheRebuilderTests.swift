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

        let (second, event) = try rebuilder().rebuild(because: damage)

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

        let event = try rebuilder().rebuild(because: damage).event

        #expect(try Data(contentsOf: URL(filePath: #require(event.setAsideFile))) == garbage)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).contains("store.sqlite"))
    }

    @Test
    func `while another process replaces the file, it is left alone`() throws {
        try garbage.write(to: folder.file())
        let lock = try #require(try FileLock.acquire(folder.file().path + ".rebuilding"))

        let error = #expect(throws: StoreError.self) { try rebuilder(busyTimeout: .milliseconds(5)).open() }

        #expect(error?.code == .busy)
        #expect(try Data(contentsOf: folder.file()) == garbage)
        lock.release()
        #expect(try rebuilder().open().event?.name == .rebuilt)
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
