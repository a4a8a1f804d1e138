// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// The contract of every engine; a new engine joins by being added to ``BackingEngine``.
@Suite(.timeLimit(.minutes(5)))
struct BackingContractTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: - Rows

    @Test(arguments: BackingEngine.allCases)
    func `a row comes back byte for byte`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        let value = Data((0..<300).map { UInt8(truncatingIfNeeded: $0) })
        let attributes = RowAttributes(
            metadata: Data([0, 255]),
            storedAt: Date(timeIntervalSinceReferenceDate: 1.0 / 3.0),
            expiresAt: Date(timeIntervalSinceReferenceDate: 1e9 + 0.1),
            tags: ["", "a", "e\u{301}", "nul\0"]
        )

        let commit = try await backing.commit(
            [.put(key: "k", value: value, attributes: attributes, condition: .any)],
            in: .cache
        )

        let row = try await backing.row("k", in: .cache)
        #expect(row == Row(value: value, attributes: attributes, version: try #require(commit.version)))
        #expect(try backing.rowNow("k", in: .cache) == row)
    }

    @Test(arguments: BackingEngine.allCases, [0, 1, 8191, 8192, 8193, 70_000, 300_000, 3_000_000])
    func `a value of any size comes back`(_ engine: BackingEngine, _ size: Int) async throws {
        let backing = try engine.make(in: folder)
        let value = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let attributes = RowAttributes(storedAt: .now)

        for _ in 0..<2 {
            _ = try await backing.commit(
                [.put(key: "k", value: value, attributes: attributes, condition: .any)],
                in: .cache
            )
        }

        #expect(try await backing.row("k", in: .cache)?.value == value)
        #expect(try backing.usageNow(of: .cache).bytes == size + 1)
        let small = try (backing as? SQLiteBacking)?.smallRowNow("k", in: .cache, valueLimit: max(0, size - 1))
        #expect(size == 0 || engine == .memory || small == .large)
    }

    @Test(
        arguments: BackingEngine.allCases,
        [("\u{e9}", "e\u{301}"), ("a", "a\0"), ("a\0b", "a\0c"), ("", "\0"), ("A", "a"), ("\u{1F600}", "\u{1F601}")]
    )
    func `keys that differ in any byte are different`(_ engine: BackingEngine, _ keys: (String, String)) async throws {
        let backing = try engine.make(in: folder)

        _ = try await backing.commit([.put(keys.0, "one"), .put(keys.1, "two")], in: .cache)

        #expect(try await backing.row(keys.0, in: .cache)?.value == Data("one".utf8))
        #expect(try await backing.row(keys.1, in: .cache)?.value == Data("two".utf8))
        let listed = try await backing.summaries(in: .cache, RowPage(limit: 10))
        #expect(
            listed.map { Array($0.key.utf8) }
                == [keys.0, keys.1].map { Array($0.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
        )
    }

    @Test(arguments: BackingEngine.allCases)
    func `collections do not see each other's rows`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)

        _ = try await backing.commit([.put("k", "cache")], in: .cache)

        #expect(try await backing.row("k", in: .shared) == nil)
        #expect(try backing.usageNow(of: .shared).rows == 0)
    }

    @Test(arguments: BackingEngine.allCases)
    func `a refresh changes what stands beside the value and nothing else`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        _ = try await backing.commit([.put("k", "value", at: 1, tags: ["t"])], in: .cache)

        let step = RowStep.refresh(
            key: "k",
            metadata: Data("longer meta".utf8),
            storedAt: Date(timeIntervalSince1970: 2),
            expiresAt: nil
        )
        let commit = try await backing.commit([step], in: .cache)
        let missing = try await backing.commit(
            [.refresh(key: "none", metadata: Data(), storedAt: .now, expiresAt: nil)],
            in: .cache
        )

        let row = try #require(try await backing.row("k", in: .cache))
        #expect(row.value == Data("value".utf8))
        #expect(row.attributes.metadata == Data("longer meta".utf8))
        #expect(row.attributes.storedAt == Date(timeIntervalSince1970: 2))
        #expect(row.attributes.tags == ["t"])
        #expect(row.version == commit.version)
        #expect(missing.existed == [false])
        #expect(try backing.usageNow(of: .cache).bytes == 1 + 5 + 11)
    }

    // MARK: - Transactions

    @Test(arguments: BackingEngine.allCases)
    func `a condition that fails keeps the whole transaction back`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        let first = try #require(try await backing.commit([.put("a", "1")], in: .shared).version)

        let steps: [RowStep] = [
            .put("a", "2", if: .version(first)),
            .put("b", "1", if: .version(first)),
            .check(key: "a", condition: .absent),
            .remove("c", if: .absent),
        ]
        let commit = try await backing.commit(steps, in: .shared)

        #expect(commit == .conflict(steps: [1, 2]))
        #expect(try await backing.row("a", in: .shared)?.value == Data("1".utf8))
        #expect(try await backing.row("b", in: .shared) == nil)
        #expect(try backing.usageNow(of: .shared).version == first)
    }

    @Test(arguments: BackingEngine.allCases)
    func `conditions are judged on the state before the first step`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)

        let commit = try await backing.commit(
            [.put("a", "1", if: .absent), .put("a", "2", if: .absent), .remove("b", if: .absent)],
            in: .shared
        )

        #expect(commit.existed == [false, true, false])
        #expect(try await backing.row("a", in: .shared)?.value == Data("2".utf8))
    }

    @Test(arguments: BackingEngine.allCases)
    func `a step finds what earlier steps of its key left, also behind a check`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        let first = try #require(try await backing.commit([.put("a", "1")], in: .shared).version)
        let check = RowStep.check(key: "a", condition: .version(first))

        let commit = try await backing.commit(
            [check, check, .put("a", "22", if: .version(first)), check, .remove("a"), check, .put("a", "333")],
            in: .shared
        )

        #expect(commit.existed == [true, true, true, true, true, false, false])
        #expect(try await backing.row("a", in: .shared)?.value == Data("333".utf8))
        #expect(try backing.usageNow(of: .shared).rows == 1)
        #expect(try backing.usageNow(of: .shared).bytes == 8)
    }

    @Test(arguments: BackingEngine.allCases)
    func `versions grow with every commit`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)

        let first = try #require(try await backing.commit([.put("a", "1")], in: .shared).version)
        let second = try #require(try await backing.commit([.remove("a")], in: .shared).version)
        let third = try #require(try await backing.commit([.put("a", "1")], in: .shared).version)

        #expect(first < second)
        #expect(second < third)
        #expect(try await backing.commit([.put("a", "x", if: .version(first))], in: .shared) == .conflict(steps: [0]))
        #expect(try backing.usageNow(of: .shared).isLastWriterHere)
    }

    @Test(arguments: BackingEngine.allCases)
    func `the closure runs once per commit in the order of commits`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        let versions = Recorder<UInt64>()

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    _ = try? backing.commitNow([.put("k\(number)", "v")], in: .shared) { commit in
                        versions.record(commit.version ?? 0)
                    }
                }
            }
        }

        #expect(versions.all == Array(1...50))
    }

    // MARK: - Removal and listing

    @Test(
        arguments: BackingEngine.allCases,
        [
            (RowSelection.all, ["a", "a/1", "a/2", "b"]),
            (.prefix("a/"), ["a/1", "a/2"]),
            (.prefix("a"), ["a", "a/1", "a/2"]),
            (.prefix("c"), []),
            (.tag("even"), ["a/2", "b"]),
            (.tag("Even"), []),
            (.expired(by: Date(timeIntervalSince1970: 20)), ["a/1", "a/2"]),
        ] as [(RowSelection, [String])]
    )
    func `a selection removes exactly its rows`(
        _ engine: BackingEngine,
        _ expectation: (selection: RowSelection, keys: [String])
    ) async throws {
        let backing = try engine.make(in: folder)
        let steps: [RowStep] = [
            .put("a", "1"), .put("a/1", "1", expires: 10), .put("a/2", "2", expires: 20, tags: ["even", "x"]),
            .put("b", "2", expires: 21, tags: ["even"]),
        ]
        _ = try await backing.commit(steps, in: .shared)

        let removal = try await backing.remove(expectation.selection, in: .shared)

        let left = try await backing.summaries(in: .shared, RowPage(limit: 10))
        #expect(removal.keys.sorted() == expectation.keys)
        #expect(removal.rows == expectation.keys.count)
        #expect(left.map(\.key) == ["a", "a/1", "a/2", "b"].filter { !expectation.keys.contains($0) })
        #expect(removal.usage.rows == left.count)
        #expect(removal.usage.bytes == left.reduce(0) { $0 + $1.size })
    }

    @Test(arguments: BackingEngine.allCases)
    func `a removal of many rows takes them all`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        let steps = (0..<1500).map { RowStep.put("p/\($0)", "v", tags: ["t"]) } + [.put("q", "v")]
        _ = try await backing.commit(steps, in: .cache)

        #expect(try await backing.remove(.tag("t"), in: .cache).rows == 1500)
        #expect(try backing.usageNow(of: .cache).rows == 1)
        #expect(try await backing.remove(.tag("t"), in: .cache).rows == 0)
    }

    @Test(arguments: BackingEngine.allCases)
    func `listings continue after a key and respect prefix, tag and limit`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        let steps: [RowStep] = [
            .put("a", "1", at: 5, tags: ["t"]), .put("b", "22", tags: ["t"]), .put("b1", "3"),
            .put("c", "4", tags: ["t"]),
        ]
        _ = try await backing.commit(steps, in: .cache)

        func keys(_ prefix: String, _ tag: String?, _ after: String?, _ limit: Int) async throws -> [String] {
            try await backing.summaries(in: .cache, RowPage(prefix: prefix, tag: tag, after: after, limit: limit))
                .map(\.key)
        }

        #expect(try await keys("", nil, nil, 2) == ["a", "b"])
        #expect(try await keys("", nil, "b", 10) == ["b1", "c"])
        #expect(try await keys("b", nil, nil, 10) == ["b", "b1"])
        #expect(try await keys("", "t", "a", 10) == ["b", "c"])
        #expect(try await keys("", nil, nil, 0) == [])
        let first = try #require(
            try await backing.summaries(in: .cache, RowPage(prefix: "a", limit: 1)).first
        )
        #expect(first.size == 1 + 1 + 4)
        #expect(first.lastUsedAt == Date(timeIntervalSince1970: 5))
        #expect(first.attributes.tags == ["t"])
    }

    @Test(arguments: BackingEngine.allCases)
    func `the least recently used rows are evicted first`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        _ = try await backing.commit([.put("a", "1", at: 1), .put("b", "2", at: 2), .put("c", "3", at: 3)], in: .cache)
        try await backing.touch([("a", Date(timeIntervalSince1970: 9)), ("gone", .now)], in: .cache)

        let byCount = try await backing.evict(in: .cache, toRows: 2, bytes: .max)
        let byBytes = try await backing.evict(in: .cache, toRows: .max, bytes: 6)
        let nothing = try await backing.evict(in: .cache, toRows: 1, bytes: 6)

        #expect(byCount.rows == 1)
        #expect(byBytes.rows == 1)
        #expect(nothing.rows == 0)
        #expect(try await backing.summaries(in: .cache, RowPage(limit: 9)).map(\.key) == ["a"])
    }

    @Test(arguments: BackingEngine.allCases, [(1, 1_000), (1_000, 1)])
    func `an eviction goes by the sizes that rows have now`(_ engine: BackingEngine, lengths: (Int, Int)) async throws {
        let backing = try engine.make(in: folder)
        for length in [lengths.0, lengths.1] {
            for number in 10..<60 {
                let text = String(repeating: "x", count: length)
                _ = try await backing.commit([.put("k\(number)", text, at: Double(number))], in: .cache)
            }
        }
        let before = try backing.usageNow(of: .cache)
        let size = "k10".utf8.count + "meta".utf8.count + lengths.1

        let removal = try await backing.evict(in: .cache, toRows: .max, bytes: before.bytes - 20 * size)

        #expect(before.bytes == 50 * size)
        #expect(removal.rows == 20)
        #expect(removal.bytes == 20 * size)
        let keys = try backing.summariesNow(in: .cache, RowPage()).map(\.key)
        #expect(keys == (30..<60).map { "k\($0)" })
    }

    @Test(arguments: BackingEngine.allCases)
    func `a row that was written again is used, and keeps a later use`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        _ = try await backing.commit([.put("a", "1", at: 1), .put("b", "2", at: 2), .put("c", "3", at: 3)], in: .cache)
        _ = try await backing.commit([.put("a", "11", at: 5)], in: .cache)
        try await backing.touch([("b", Date(timeIntervalSince1970: 9))], in: .cache)
        _ = try await backing.commit([.put("b", "22", at: 4)], in: .cache)

        let used = try await backing.summaries(in: .cache, RowPage(limit: 9))
        #expect(used.map(\.lastUsedAt.timeIntervalSince1970) == [5, 9, 3])
        #expect(used.map(\.size) == [7, 7, 6])
        #expect(try backing.usageNow(of: .cache).bytes == 20)
        // The rows are listed as last used at 1, 2 and 3, unless they were used since.
        #expect(try await backing.evict(in: .cache, toRows: 2, bytes: .max).rows == 1)
        #expect(try await backing.evict(in: .cache, toRows: 1, bytes: .max).rows == 1)
        #expect(try await backing.summaries(in: .cache, RowPage(limit: 9)).map(\.key) == ["b"])
        #expect(try backing.usageNow(of: .cache).bytes == 7)
    }

    @Test(
        arguments: BackingEngine.allCases,
        [
            (10, 20, false), (20, 10, true), (nil, 10, true), (10, nil, false), (nil, nil, false), (20, 15, true),
        ] as [(Double?, Double?, Bool)]
    )
    func `a sweep goes by the expiry that was written last`(
        _ engine: BackingEngine,
        _ expiries: (first: Double?, second: Double?, isSwept: Bool)
    ) async throws {
        let backing = try engine.make(in: folder)
        let moment = RowSelection.expired(by: Date(timeIntervalSince1970: 15))
        _ = try await backing.commit([.put("put", "1", expires: expiries.first)], in: .cache)
        _ = try await backing.commit([.put("refreshed", "1", expires: expiries.first)], in: .cache)

        _ = try await backing.commit([.put("put", "22", expires: expiries.second)], in: .cache)
        let refresh = RowStep.refresh(
            key: "refreshed",
            metadata: Data(),
            storedAt: Date(timeIntervalSince1970: 1),
            expiresAt: expiries.second.map { Date(timeIntervalSince1970: $0) }
        )
        _ = try await backing.commit([refresh], in: .cache)

        #expect(try await backing.remove(moment, in: .cache).rows == (expiries.isSwept ? 2 : 0))
        #expect(try await backing.remove(moment, in: .cache).rows == 0)
        #expect(try backing.usageNow(of: .cache).rows == (expiries.isSwept ? 0 : 2))
    }

    @Test(arguments: BackingEngine.allCases)
    func `a sweep of many rows that live longer than listed ends and takes the others`(
        _ engine: BackingEngine
    ) async throws {
        let backing = try engine.make(in: folder)
        let keys = (0..<1300).map { "key\($0)" }
        _ = try await backing.commit(keys.map { .put($0, "1", expires: 10) }, in: .cache)
        _ = try await backing.commit(keys.prefix(1200).map { .put($0, "1", expires: 99) }, in: .cache)

        let swept = try await backing.remove(.expired(by: Date(timeIntervalSince1970: 20)), in: .cache)
        #expect(swept.rows == 100)
        #expect(swept.usage.rows == 1200)
    }

    @Test(arguments: BackingEngine.allCases, [999_000_001, 1 << 30])
    func `a value that is too large is refused with its size, and nothing is written`(
        _ engine: BackingEngine,
        _ size: Int
    ) async throws {
        let backing = try engine.make(in: folder)
        // Zero pages that were never touched cost nothing.
        let large = RowStep.put(
            key: "large",
            value: Data(count: size),
            attributes: RowAttributes(storedAt: .now),
            condition: .any
        )

        let error = await #expect(throws: StoreError.self) {
            try await backing.commit([.put("small", "1"), large], in: .shared)
        }
        #expect(error?.code == .entryTooLarge)
        #expect(error?.key == "large")
        #expect(error?.reason.contains("\(size)") == true)
        #expect(try backing.usageNow(of: .shared).rows == 0)
    }

    // MARK: - Feed

    @Test(arguments: BackingEngine.allCases)
    func `the feed lists every change in order`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        let start = try backing.feedNow(of: .shared, after: nil)

        _ = try await backing.commit([.put("a", "1"), .put("b", "1")], in: .shared)
        _ = try await backing.commit([.remove("a"), .remove("none")], in: .shared)
        _ = try await backing.remove(.all, in: .shared)

        let feed = try backing.feedNow(of: .shared, after: start.position)
        #expect(feed.entries.map(\.key) == ["a", "b", "a", "b"])
        #expect(feed.entries.map(\.kind) == [.put, .put, .remove, .remove])
        #expect(feed.entries.map(\.version) == [1, 1, 2, 3])
        #expect(feed.entries.allSatisfy { $0.isFromHere })
        #expect(!feed.hasGap)
        #expect(try backing.feedNow(of: .shared, after: feed.position).entries == [])
    }

    @Test(arguments: BackingEngine.allCases)
    func `a feed that forgot entries says so`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        for start in stride(from: 0, to: 12_000, by: 1000) {
            _ = try await backing.commit((start..<start + 1000).map { .put("k\($0)", "v") }, in: .shared)
        }

        #expect(try backing.feedNow(of: .shared, after: 0).hasGap)
        #expect(try backing.feedNow(of: .shared, after: 11_990).entries.count == 10)
    }

    @Test(arguments: BackingEngine.allCases)
    func `a collection that records nothing has an empty feed`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)

        _ = try await backing.commit([.put("a", "1")], in: .cache)

        #expect(try backing.feedNow(of: .cache, after: 0).entries == [])
    }

    // MARK: - Leases

    @Test(arguments: BackingEngine.allCases)
    func `a lease has one holder until it ends`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        let now = Date(timeIntervalSince1970: 1000)

        let first = try #require(try await backing.acquireLease("l", owner: "a", duration: .seconds(10), now: now))
        let refused = try await backing.acquireLease("l", owner: "b", duration: .seconds(10), now: now + 9)
        let renewed = try await backing.acquireLease("l", owner: "a", duration: .seconds(10), now: now + 9)
        let taken = try await backing.acquireLease("l", owner: "b", duration: .seconds(10), now: now + 19)

        #expect(refused == nil)
        #expect(renewed?.expiresAt == now + 19)
        #expect(first.owner == "a")
        #expect(taken?.owner == "b")
        backing.dropLeaseLater(try #require(taken), now: now)
        let again = try await backing.acquireLease("l", owner: "c", duration: .seconds(1), now: now)
        #expect(again?.owner == "c")
    }

    @Test(arguments: BackingEngine.allCases)
    func `a dropped lease is free, and takes along those whose holders are gone`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        let now = Date(timeIntervalSince1970: 1000)
        func acquire(_ name: String, _ owner: String, at date: Date) async throws -> Lease? {
            try await backing.acquireLease(name, owner: owner, duration: .seconds(10), now: date)
        }

        #expect(try await acquire("dead", "a", at: now) != nil)
        let first = try #require(try await acquire("l", "a", at: now))
        let second = try #require(try await acquire("l", "b", at: now + 10))
        backing.dropLeaseLater(first, now: now + 10)
        // Committed after it.
        #expect(try await acquire("l", "c", at: now + 11) == nil)
        backing.dropLeaseLater(second, now: now + 11)

        #expect(try await acquire("l", "c", at: now + 11) != nil)
        #expect(try await acquire("dead", "c", at: now) != nil)
    }

    // MARK: - Closing

    @Test(arguments: BackingEngine.allCases)
    func `everything is refused after closing`(_ engine: BackingEngine) async throws {
        let backing = try engine.make(in: folder)
        backing.close()
        backing.close()

        let read = await #expect(throws: StoreError.self) { try await backing.row("a", in: .cache) }
        let write = await #expect(throws: StoreError.self) { try await backing.commit([.put("a", "1")], in: .cache) }
        #expect(read?.code == .closed)
        #expect(write?.code == .closed)
    }
}
