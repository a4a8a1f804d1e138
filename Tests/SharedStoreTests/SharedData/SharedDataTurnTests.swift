// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import SharedStore

/// Changes that others overtake.
@Suite(.timeLimit(.minutes(2)))
struct SharedDataTurnTests {
    /// The changes that read before they write.
    enum Change: CaseIterable, CustomTestStringConvertible {
        case modify, transaction

        var testDescription: String { "\(self)" }

        func add(_ data: SharedData, _ body: () throws -> Void) throws {
            switch self {
            case .modify:
                try data.modify(.count) { count in
                    try body()
                    count = (count ?? 0) + 1_000_000
                }
            case .transaction:
                try data.transaction { transaction in
                    let count = try transaction.value(for: .count) ?? 0
                    try body()
                    try transaction.set(count + 1_000_000, for: .count)
                }
            }
        }
    }

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Makes a closure take as long as many writes of others.
    private func work() {
        let end = ContinuousClock.now + .milliseconds(5)
        while ContinuousClock.now < end {}
    }

    @Test(arguments: DataEngine.allCases, Change.allCases)
    func `a slow change finishes beside a quick writer`(_ engine: DataEngine, _ change: Change) throws {
        let data = try engine.make(in: folder)
        let writer = engine == .file ? try engine.make(in: folder) : data
        let isDone = Atomic(false)
        let (started, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let failures = Mutex<[any Error]>([])
        Thread.detachNewThread {
            while !isDone.load(ordering: .relaxed) {
                do {
                    try writer.modify(.count) { $0 = ($0 ?? 0) + 1 }
                } catch {
                    failures.withLock { $0.append(error) }
                }
                started.signal()
            }
            ended.signal()
        }
        started.wait()

        var calls = 0
        try change.add(data) {
            calls += 1
            work()
        }
        isDone.store(true, ordering: .relaxed)
        ended.wait()

        #expect(calls < 20)
        #expect(failures.withLock(\.self).isEmpty)
        #expect(try data.latest(.count) ?? 0 > 1_000_000)
    }

    @Test(arguments: DataEngine.allCases, Change.allCases)
    func `a change that is always overtaken fails with busy, and leaves what the others wrote`(
        _ engine: DataEngine,
        _ change: Change
    ) throws {
        let data = try engine.make(in: folder, busyTimeout: .milliseconds(20))
        var calls = 0
        let error = #expect(throws: StoreError.self) {
            try change.add(data) {
                calls += 1
                try data.set(calls, for: .count)
            }
        }

        #expect(error?.code == .busy)
        #expect(calls >= 2)
        #expect(try data.value(for: .count) == calls)
    }

    @Test(arguments: DataEngine.allCases)
    func `many slow changes all finish, and none is lost`(_ engine: DataEngine) async throws {
        let data = try engine.make(in: folder)
        await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try data.modify(.count) { count in
                        work()
                        count = (count ?? 0) + 1
                    }
                }
            }
        }

        #expect(try data.value(for: .count) == 8)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).allSatisfy { !$0.hasSuffix("turn") }
        )
    }

    // MARK: - Schemas

    private func key(_ version: Int) -> SharedKey<Int> {
        SharedKey("count", schemaVersion: version) { _, _ in 0 }
    }

    @Test(arguments: DataEngine.allCases)
    func `a key of an earlier schema does not overwrite a value of a later one`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)
        try data.set(2, for: key(2))
        let writes: [() throws -> Void] = [
            { try data.set(1, for: key(1)) },
            { try data.modify(key(1)) { $0 = 1 } },
            { _ = try data.compareAndSet(key(1), expected: nil, new: 1) },
            { try data.transaction { try $0.set(1, for: key(1)) } },
        ]
        for write in writes {
            let error = #expect(throws: StoreError.self) { try write() }
            #expect(error?.code == .newerSchema)
        }

        #expect(try data.value(for: key(2)) == 2)
        try data.set(1, for: key(1), replacingUnreadable: true)
        #expect(try data.value(for: key(1)) == 1)
    }

    @Test
    func `a value in an envelope of a later release is not overwritten`() throws {
        let data = try DataEngine.file.make(in: folder)
        let value = Data([0x53, 0xD7, 99, 0, 1, 0, 0, 0, 1, 97])
        let step = RowStep.put(key: "count", value: value, attributes: .init(storedAt: Date()), condition: .any)
        _ = try data.withBacking { backing throws(StoreError) in
            try backing.commitNow([step], in: .shared) { _ in }
        }

        let error = #expect(throws: StoreError.self) { try data.set(1, for: .count) }
        #expect(error?.code == .newerSchema)
        #expect(try data.row("count")?.value == value)
    }

    // MARK: - Files that are gone

    @Test(arguments: [false, true])
    func `a write to a file that was removed while it was open fails`(removesFolder: Bool) throws {
        let file = folder.url.appending(path: "inner/data.sqlite")
        let data = try SharedData(file: file)
        try data.set(1, for: .count)
        try FileManager.default.removeItem(at: removesFolder ? file.deletingLastPathComponent() : file)

        let error = #expect(throws: StoreError.self) { try data.set(2, for: .count) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.reason.contains("removed") == true)
    }

    @Test
    func `a write to a file in whose place there is another one fails`() throws {
        let data = try SharedData(file: folder.file())
        try FileManager.default.moveItem(at: folder.file(), to: folder.file("old.sqlite"))
        let other = try SharedData(file: folder.file())
        try other.set(1, for: .count)

        #expect(throws: StoreError.self) { try data.set(2, for: .count) }
        #expect(try SharedData(file: folder.file()).value(for: .count) == 1)
    }

    @Test(arguments: [false, true])
    func `a new file shares no companions with the one that was in its place`(isRemoved: Bool) throws {
        let data = try SharedData(file: folder.file())
        try data.set(1, for: .count)
        let companions = ["-wal", "-shm"].map { folder.file("store.sqlite\($0)") }
        let before = try companions.map(Self.number)
        if isRemoved {
            try FileManager.default.removeItem(at: folder.file())
        } else {
            try FileManager.default.moveItem(at: folder.file(), to: folder.file("old.sqlite"))
        }
        let other = try SharedData(file: folder.file())
        try other.set(2, for: .count)

        // An index that two databases share ends the process with a bus error.
        #expect(Set(try companions.map(Self.number)).isDisjoint(with: before))
        #expect(try data.value(for: .count) == 1)
        data.close()
        #expect(try other.value(for: .count) == 2)
        #expect(try SharedData(file: folder.file()).value(for: .count) == 2)
    }

    private static func number(of file: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
    }

    @Test(arguments: [false, true])
    func `a cache whose file was removed begins a new one`(removesFolder: Bool) async throws {
        let file = folder.url.appending(path: "inner/cache.sqlite")
        let cache = try ExpiringCache(file: file)
        try await cache.store(CacheEntry(body: Data([1])), for: "a")
        try FileManager.default.removeItem(at: removesFolder ? file.deletingLastPathComponent() : file)

        try await cache.store(CacheEntry(body: Data([2])), for: "b")
        #expect(try await ExpiringCache(file: file).read("b").entry?.body == Data([2]))
    }
}
