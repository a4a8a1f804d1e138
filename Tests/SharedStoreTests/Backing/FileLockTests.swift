// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
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
        // What is given back twice must not be taken from the one who has it now.
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
    func `many who want it at once get it one after the other`() async throws {
        let holders = Holders()
        let path = path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var taken = 0
                    while taken < 50 {
                        guard let lock = try FileLock.acquire(path) else {
                            await Task.yield()
                            continue
                        }
                        taken += 1
                        holders.state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.total + 1) }
                        await Task.yield()
                        holders.state.withLock { $0.now -= 1 }
                        lock.release()
                    }
                }
            }
            try await group.waitForAll()
        }
        let (most, total) = holders.state.withLock { ($0.most, $0.total) }
        #expect(most == 1)
        #expect(total == 200)
    }

    @Test
    func `a folder that is missing is an error that names the file`() {
        let missing = folder.url.appending(path: "none/one.lock").path
        let error = #expect(throws: StoreError.self) { try FileLock.acquire(missing) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.file == missing)
    }
}

/// Counts who holds a lock now, at most and in all.
private final class Holders: Sendable {
    let state = Mutex<(now: Int, most: Int, total: Int)>((0, 0, 0))
}
