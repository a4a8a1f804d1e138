// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// Several processes on one file.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: HelperProcess.executable != nil, "SharedStoreCrashHelper was not built")
)
struct TwoProcessTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open() throws -> SharedData {
        var configuration = SharedData.Configuration()
        configuration.durability = .processDeath
        return try SharedData(file: folder.file(), configuration: configuration)
    }

    @Test
    func `compare and set loses no update and is never busy`() throws {
        let helpers = try (0..<3).map { _ in try HelperProcess("count", folder.file(), count: 1000) }
        let data = try open()
        var ownUpdates = 0
        while ownUpdates < 1000 {
            let current = try data.value(for: .count)
            // The value read may be a few milliseconds old; then the setting fails and is tried again.
            if try data.compareAndSet(.count, expected: current, new: (current ?? 0) + 1) {
                ownUpdates += 1
            } else {
                data.catchUp()
            }
        }
        for helper in helpers {
            #expect(helper.remainingLines() == ["ready", "done"])
            #expect(helper.wait() == 0)
        }

        #expect(try open().value(for: .count) == 4000)
    }

    @Test(arguments: 0..<8)
    func `processes that create the same file at once all succeed`(_ round: Int) throws {
        let file = folder.file("store\(round).sqlite")
        let helpers = try (0..<4).map { _ in try HelperProcess("count", file, count: 3) }
        for helper in helpers { #expect(helper.remainingLines() == ["ready", "done"]) }

        #expect(try SharedData(file: file).value(for: .count) == 12)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!names.contains { $0.contains("damaged") })
    }

    @Test
    func `transactions over two keys keep their sum in every process`() throws {
        let helpers = try (0..<2).map { _ in try HelperProcess("move", folder.file(), count: 500) }
        let data = try open()
        let (left, right) = (SharedKey<Int>("left", default: 0), SharedKey<Int>("right", default: 0))
        for _ in 0..<500 {
            let sum = try data.transaction { transaction in
                (try transaction.value(for: left) ?? 0) + (try transaction.value(for: right) ?? 0)
            }
            #expect(sum == 0)
        }
        for helper in helpers { #expect(helper.remainingLines() == ["ready", "done"]) }

        #expect(try open().value(for: left) == -1000)
        #expect(try open().value(for: right) == 1000)
    }

    @Test
    func `processes that store, read, evict and remove see whole entries`() async throws {
        let helpers = try (0..<3).map { _ in try HelperProcess("hammer", folder.file(), count: 1000) }
        for helper in helpers { #expect(helper.remainingLines() == ["ready", "done"]) }

        let cache = try ExpiringCache(file: folder.file())
        let usage = try await cache.statistics()
        let listed = try await cache.entries()
        #expect(usage.entryCount == listed.count)
        #expect(usage.entryCount <= 51)
        #expect(usage.byteCount == listed.reduce(0) { $0 + $1.byteCount })
    }

    @Test
    func `each change reaches another process, and its response comes back, one after the other`() async throws {
        let data = try open()
        let helper = try HelperProcess("watch", folder.file())
        #expect(helper.line() == "ready")
        var responses = data.changes(for: SharedKey<Int>("answer")).makeAsyncIterator()

        for number in 1...50 {
            try data.set(number, for: SharedKey<Int>("question"))
            let change = await responses.next(isolation: nil)
            #expect(change?.newValue == number)
            #expect(change?.origin == .anotherProcess)
        }
        helper.kill()
    }
}
