// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Synchronization
import Testing

@testable import SharedStore

@Suite(.timeLimit(.minutes(5)))
struct WriterTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func makeWriter(busyTimeout: Duration = .seconds(5)) throws -> Writer {
        try SQLiteBacking(file: folder.file().path, kind: .all).close()
        let connection = try Connection(file: folder.file().path, mode: .readWrite, busyTimeout: busyTimeout)
        return Writer(
            connection: connection,
            instance: 1,
            foreignCommits: ForeignCommits(file: folder.file().path, collections: [])
        )
    }

    @Test
    func `a job that fails after it wrote does not spoil its neighbours`() async throws {
        let writer = try makeWriter()
        let sql = CollectionSQL(.cache)
        let ended = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    do throws(StoreError) {
                        try await writer.perform(committed: { ended.record(number) }) { session throws(StoreError) in
                            _ = try session.apply([PreparedStep(.put("key\(number)", "value"))], sql)
                            if number % 7 == 3 { throw StoreError(.internalFailure, "on purpose") }
                        }
                        #expect(number % 7 != 3)
                    } catch {
                        #expect(number % 7 == 3)
                        #expect(error.reason == "on purpose")
                    }
                }
            }
            try await group.waitForAll()
        }
        writer.close()

        let backing = try SQLiteBacking(file: folder.file().path, kind: .all)
        let keys = try backing.summariesNow(in: .cache, RowPage()).map(\.key)
        #expect(Set(keys) == Set((0..<60).filter { $0 % 7 != 3 }.map { "key\($0)" }))
        #expect(Set(ended.all) == Set((0..<60).filter { $0 % 7 != 3 }))
        #expect(try backing.usageNow(of: .cache).rows == keys.count)
    }

    @Test
    func `blocking and awaiting callers share one order`() async throws {
        let writer = try makeWriter()
        let sql = CollectionSQL(.shared)
        let versions = Recorder<UInt64>()
        @Sendable func write(_ number: Int, _ session: WriteSession) throws(StoreError) -> RowCommit {
            try session.apply([PreparedStep(.put("key\(number % 5)", "\(number)"))], sql)
        }
        @Sendable func note(_ commit: RowCommit) {
            versions.record(commit.version ?? 0)
        }
        @Sendable func block(_ number: Int) throws(StoreError) {
            _ = try writer.perform(committed: note) { session throws(StoreError) in try write(number, session) }
        }

        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    guard number.isMultiple(of: 2) else {
                        return try block(number)
                    }
                    _ = try await writer.perform(committed: note) { session throws(StoreError) in
                        try write(number, session)
                    }
                }
            }
            try await group.waitForAll()
        }
        writer.close()

        #expect(versions.all == Array(1...200))
    }

    @Test
    func `a transaction takes jobs that arrive while it runs`() async throws {
        let writer = try makeWriter()
        let sql = CollectionSQL(.cache)
        let transactions = Recorder<Int>()
        let hasArrived = DispatchSemaphore(value: 0)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            writer.performLater { session throws(StoreError) -> RowCommit in
                continuation.resume()
                hasArrived.wait()
                transactions.record(writer.transactions.load(ordering: .relaxed))
                return try session.apply([PreparedStep(.put("first", "value"))], sql)
            }
        }

        writer.performLater { session throws(StoreError) -> RowCommit in
            transactions.record(writer.transactions.load(ordering: .relaxed))
            return try session.apply([PreparedStep(.put("second", "value"))], sql)
        }
        hasArrived.signal()
        writer.close()

        #expect(transactions.all == [1, 1])
        let backing = try SQLiteBacking(file: folder.file().path, kind: .all)
        #expect(try backing.summariesNow(in: .cache, RowPage()).map(\.key) == ["first", "second"])
    }

    @Test
    func `an eviction ends when rows that were replaced meanwhile are small enough`() async throws {
        let writer = try makeWriter()
        let sql = CollectionSQL(.cache)
        let large = String(repeating: "x", count: 1_000)
        let (usage, removal) = try await writer.perform { session throws(StoreError) in
            _ = try session.apply((0..<10).map { PreparedStep(.put("key\($0)", large, at: Double($0))) }, sql)
            let reader = RowReader(connection: session.connection, sql: sql)
            let listed = try reader.leastRecentlyUsed(leavingRows: .max, bytes: 2_500, of: session.usage(of: sql))
            for number in 0..<8 { _ = try session.apply([PreparedStep(.put("key\(number)", "", at: 0))], sql) }
            let usage = try session.usage(of: sql)
            return (usage, try session.remove(listed.victims, untilRows: .max, bytes: 2_500, sql))
        }
        writer.close()

        #expect(usage.rows == 10)
        #expect(removal.rows == 0)
        #expect(removal.usage == usage)
    }

    @Test
    func `a write waits for another process and ends as busy`() throws {
        let backing = try SQLiteBacking(file: folder.file().path, kind: .all)
        var options = SQLiteBacking.Options()
        options.busyTimeout = .milliseconds(30)
        let impatient = try SQLiteBacking(file: folder.file().path, kind: .all, options: options)
        let other = try Connection(file: folder.file().path, mode: .readWrite, busyTimeout: .zero)
        try other.execute("BEGIN IMMEDIATE")

        let error = #expect(throws: StoreError.self) {
            try impatient.commitNow([.put("key", "value")], in: .cache) { _ in }
        }
        // Reading is not held up.
        #expect(try impatient.rowNow("key", in: .cache) == nil)
        try other.execute("COMMIT")
        _ = try impatient.commitNow([.put("key", "value")], in: .cache) { _ in }

        #expect(error?.code == .busy)
        #expect(try backing.rowNow("key", in: .cache)?.value == Data("value".utf8))
    }

    @Test
    func `jobs that wait together for another process end together as busy`() async throws {
        let writer = try makeWriter(busyTimeout: .milliseconds(200))
        let sql = CollectionSQL(.cache)
        let other = try Connection(file: folder.file().path, mode: .readWrite, busyTimeout: .zero)
        let (arrived, codes) = (Recorder<Int>(), Recorder<StoreError.Code>())
        let areTogether = DispatchSemaphore(value: 0)
        // The end of this job keeps the writer until all others have come.
        await withCheckedContinuation { continuation in
            writer.performLater(
                committed: { (_: RowCommit) in
                    continuation.resume()
                    areTogether.wait()
                },
                { session throws(StoreError) in try session.apply([PreparedStep(.put("first", "value"))], sql) }
            )
        }
        try other.execute("BEGIN IMMEDIATE")
        let before = writer.transactions.load(ordering: .relaxed)

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    arrived.record(number)
                    if arrived.all.count == 100 { areTogether.signal() }
                    do throws(StoreError) {
                        _ = try await writer.perform { session throws(StoreError) in
                            try session.apply([PreparedStep(.put("key\(number)", "value"))], sql)
                        }
                    } catch {
                        codes.record(error.code)
                    }
                }
            }
        }

        #expect(codes.all == Array(repeating: .busy, count: 100))
        // Each processor may hold one that has arrived and is not queued yet; one after another they would be 100.
        let attempts = writer.transactions.load(ordering: .relaxed) - before
        #expect((1...1 + ProcessInfo.processInfo.activeProcessorCount).contains(attempts))
        try other.execute("COMMIT")
        writer.close()
    }

    @Test
    func `jobs that run one by one end together as busy when another process has taken the file`() async throws {
        let (writer, other) = (try makeWriter(busyTimeout: .milliseconds(30)), try makeWriter())
        let sql = CollectionSQL(.cache)
        let areTogether = DispatchSemaphore(value: 0)
        let (isTaken, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // The end of this job keeps the writer until all others have come.
        await withCheckedContinuation { continuation in
            writer.performLater(
                committed: { (_: RowCommit) in
                    continuation.resume()
                    areTogether.wait()
                },
                { session throws(StoreError) in try session.apply([PreparedStep(.put("first", "value"))], sql) }
            )
        }
        let before = writer.transactions.load(ordering: .relaxed)

        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            // This job spoils the transaction of all, and lets another process take the file when it has ended.
            writer.performLater { session throws(StoreError) -> RowCommit in
                session.connection.rollBack()
                other.performLater { _ throws(StoreError) in
                    isTaken.signal()
                    mayEnd.wait()
                }
                isTaken.wait()
                continuation.resume()
                throw StoreError(.internalFailure, "on purpose")
            }
            for number in 0..<100 {
                writer.performLater { session throws(StoreError) in
                    try session.apply([PreparedStep(.put("key\(number)", "value"))], sql)
                }
            }
            areTogether.signal()
        }
        // It comes after all others.
        let error = await #expect(throws: StoreError.self) {
            try await writer.perform { session throws(StoreError) in
                try session.apply([PreparedStep(.put("last", "value"))], sql)
            }
        }

        #expect(error?.code == .busy)
        // That of all, that of the first job alone, and that of the last one; one after another they would be 103.
        #expect(writer.transactions.load(ordering: .relaxed) - before == 3)
        mayEnd.signal()
        other.close()
        writer.close()
        let backing = try SQLiteBacking(file: folder.file().path, kind: .all)
        #expect(try backing.summariesNow(in: .cache, RowPage()).map(\.key) == ["first"])
    }

    @Test(arguments: 0..<12)
    func `creating the same file many times at once always succeeds`(_ round: Int) async throws {
        let file = folder.file("store\(round).sqlite").path
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let backing = try SQLiteBacking(file: file, kind: .all)
                    _ = try await backing.commit([.put("key\(number)", "value")], in: .cache)
                }
            }
            try await group.waitForAll()
        }

        #expect(try SQLiteBacking(file: file, kind: .all).usageNow(of: .cache).rows == 16)
    }

    @Test(arguments: [Duration.zero, .milliseconds(1), .milliseconds(30), .seconds(30), .seconds(3600)])
    func `the busy handler waits as long as its timeout`(_ timeout: Duration) {
        let attempts = BusyHandler.attempts(within: timeout)
        let waited = Duration.microseconds(BusyHandler.waited(before: attempts))

        #expect(waited >= timeout)
        #expect(waited <= timeout + .milliseconds(5))
    }

    @Test
    func `a closed store leaves one file behind`() async throws {
        let backing = try SQLiteBacking(file: folder.file().path, kind: .all)
        _ = try await backing.commit([.put("key", "value")], in: .cache)
        backing.close()

        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["store.sqlite"])
    }
}
