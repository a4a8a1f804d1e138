// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SharedStore

/// The right to be the only one who does something.
///
/// That it ends with its process is shown where processes are killed.
struct FileLockTests {
    let folder: TemporaryFolder
    private var path: String { folder.file("one.lock").path }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test
    func `a lock is held by one at a time, also within a process`() throws {
        let first = try #require(try FileLock.acquire(path))
        #expect(try FileLock.acquire(path) == nil)
        first.release()
        let second = try #require(try FileLock.acquire(path))
        // Releasing a lock twice must not take it from its new holder.
        first.release()
        #expect(try FileLock.acquire(path) == nil)
        second.release()
    }

    @Test
    func `a lock ends with the last who knows it`() throws {
        var lock = try FileLock.acquire(path)
        #expect(lock != nil)
        lock = nil
        #expect(try FileLock.acquire(path) != nil)
    }

    @Test
    func `the file is for its owner only, and goes with the lock`() throws {
        let lock = try #require(try FileLock.acquire(path))
        let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(rights == 0o600)
        lock.release()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test
    func `a file that a dead process left does no harm`() throws {
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(try FileLock.acquire(path) != nil)
    }

    @Test
    func `of many that acquire it while it is released, at most one gets it`() async throws {
        let path = path
        var held: FileLock?
        var taken = 0
        for _ in 0..<200 {
            let locks = try await withThrowingTaskGroup(of: FileLock?.self) { [held] group in
                group.addTask {
                    held?.release()
                    return nil
                }
                for _ in 0..<4 { group.addTask { try FileLock.acquire(path) } }
                return try await group.reduce(into: []) { locks, lock in locks += lock.map { [$0] } ?? [] }
            }
            #expect(locks.count <= 1)
            taken += locks.count
            held = locks.first
        }
        #expect(taken >= 100)
        held?.release()
        #expect(try FileLock.acquire(path) != nil)
    }

    @Test
    func `a folder that is missing is an error that names the file`() {
        let missing = folder.url.appending(path: "none/one.lock").path
        let error = #expect(throws: StoreError.self) { try FileLock.acquire(missing) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.file == missing)
    }
}
