// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import SharedStore

/// Another process's changes that a read finds before the feed reports them.
@Suite(.timeLimit(.minutes(5)))
struct SharedDataFollowingTests {
    typealias Change = SharedDataObservationTests.ObservedChange

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens the file without following it: the changes of others are taken in by `catchUp()` alone.
    private func open() throws -> SharedData {
        let data = try DataEngine.file.make(in: folder)
        data.state.withLock { state in
            state.watch = nil
            state.isWatching = true
        }
        return data
    }

    private func change(_ old: Int?, _ new: Int?) -> Change {
        Change(old: old, new: new, origin: .anotherProcess)
    }

    @Test
    func `a change that a read finds first reaches every observer, once`() throws {
        let (one, other) = (try open(), try open())
        try other.set(1, for: .count)
        one.catchUp()
        let (changes, names) = (Recorder<Change>(), Recorder<String>())
        let tokens = [
            one.observe(.count) { changes.record(Change($0)) },
            one.observeAll { names.record($0.name) },
        ]
        try other.set(2, for: .count)
        one.catchUp()

        try other.set(3, for: .count)
        #expect(try one.value(for: .count) == 3)
        one.catchUp()
        one.catchUp()

        #expect(changes.all == [change(1, 2), change(2, 3)])
        #expect(names.all == ["count", "count"])
        #expect(try one.value(for: .count) == 3)
        for token in tokens { token.cancel() }
    }

    @Test
    func `a value that nobody here knew reaches observers of all values, also if a read finds it first`() throws {
        let (one, other) = (try open(), try open())
        let names = Recorder<String>()
        let token = one.observeAll { names.record($0.name) }

        try other.set(1, for: .count)
        #expect(try one.value(for: .count) == 1)
        one.catchUp()
        one.catchUp()

        #expect(names.all == ["count"])
        token.cancel()
    }

    @Test
    func `an observer that begins with a change does not receive it again, and earlier ones receive it`() throws {
        let (one, other) = (try open(), try open())
        try other.set(1, for: .count)
        one.catchUp()
        let (early, late) = (Recorder<Change>(), Recorder<Change>())
        let first = one.observe(.count) { early.record(Change($0)) }
        try other.set(2, for: .count)
        one.catchUp()

        try other.set(3, for: .count)
        let second = one.observe(.count, options: [.initial]) { late.record(Change($0)) }
        one.catchUp()

        #expect(early.all == [change(1, 2), change(2, 3)])
        #expect(late.all == [change(nil, 3)])
        first.cancel()
        second.cancel()
    }

    @Test
    func `a change that a read finds and reseals reaches observers`() throws {
        let (mine, theirs) = (SealingKey.generate(), SealingKey.generate())
        let key = SharedKey<Int>("count", codec: .sealed(mine, previous: [theirs]))
        let foreign = SharedKey<Int>("count", codec: .sealed(theirs))
        let (one, other) = (try open(), try open())
        try one.set(1, for: key)
        let changes = Recorder<Change>()
        let token = one.observe(key) { changes.record(Change($0)) }
        try other.set(2, for: foreign, replacingUnreadable: true)
        one.catchUp()

        try other.set(3, for: foreign)
        #expect(try one.value(for: key) == 3)
        // It is written after the value was resealed.
        try one.set(0, for: SharedKey<Int>("later"))
        one.catchUp()

        let error = #expect(throws: StoreError.self) { try other.modify(foreign) { $0 = 4 } }
        #expect(error?.code == .wrongKey)
        #expect(changes.all == [change(1, 2), change(2, 3)])
        token.cancel()
    }

    @Test
    func `after more changes than the feed keeps, the values that changed are reported, once`() throws {
        let other = try open()
        for name in ["changed", "read", "seen", "unread"] { try other.set(1, for: SharedKey<Int>(name)) }
        let one = try open()
        for name in ["changed", "read"] { #expect(try one.value(for: SharedKey<Int>(name)) == 1) }
        let seen = SharedKey<Int>("seen")
        let (changes, names) = (Recorder<Change>(), Recorder<String>())
        let tokens = [one.observe(seen) { changes.record(Change($0)) }, one.observeAll { names.record($0.name) }]
        try other.set(2, for: seen)
        one.catchUp()

        try other.set(3, for: seen)
        #expect(try one.value(for: seen) == 3)
        // One commit, so that the feed has forgotten its beginning before anybody reads it.
        try other.transaction { transaction in
            try transaction.set(2, for: SharedKey<Int>("changed"))
            for number in 0..<8_000 { try transaction.set(number, for: SharedKey<Int>("k\(number)")) }
        }
        one.catchUp()
        one.catchUp()

        #expect(changes.all == [change(1, 2), change(2, 3)])
        #expect(names.all.filter { !$0.hasPrefix("k") } == ["seen", "changed", "seen"])
        #expect(names.all.count == 8_003)
        for token in tokens { token.cancel() }
    }

    @Test
    func `after more changes than the feed keeps, only values that could be known are reported as removed`() throws {
        let other = try open()
        let (absent, found, known) = (SharedKey<Int>("absent"), SharedKey<Int>("found"), SharedKey<Int>("known"))
        try other.set(1, for: known)
        try other.set(1, for: SharedKey<Int>("sealed", codec: .sealed(.generate())))
        let one = try open()
        #expect(try one.value(for: known) == 1)
        let (changes, failures, removed) = (Recorder<Change>(), Recorder<Bool>(), Recorder<String>())
        let tokens = [
            one.observe(absent) { changes.record(Change($0)) },
            one.observe(SharedKey<Int>("sealed", codec: .sealed(.generate())), options: [.initial]) { change in
                failures.record(change.error?.code == .wrongKey)
            },
            one.observeAll { change in
                if change.kind == .removed { removed.record(change.name) }
            },
        ]
        try other.set(1, for: found)
        one.catchUp()

        // One commit, so that the feed has forgotten its beginning before anybody reads it.
        try other.transaction { transaction in
            for name in ["found", "known", "sealed"] { try transaction.remove(SharedKey<Int>(name)) }
            for number in 0..<8_000 { try transaction.set(number, for: SharedKey<Int>("k\(number)")) }
        }
        // The observers do not know that yet.
        #expect(try one.value(for: found) == nil)
        one.catchUp()
        one.catchUp()

        #expect(removed.all == ["found", "known", "sealed"])
        #expect(failures.all == [true, false])
        #expect(changes.all == [])
        #expect(try one.value(for: known) == nil)
        for token in tokens { token.cancel() }
    }

    @Test
    func `values may use the shared data while they are decoded, and every change arrives in order`() throws {
        let (one, other) = (try open(), try open())
        let (openings, reads, changes) = (Recorder<Void>(), Recorder<Int?>(), Recorder<Change>())
        let plain = SharedKey<Int>.plain()
        let interrupted = SharedKey<Int>
            .plain {
                openings.record(())
                guard openings.all.count == 1 else {
                    return
                }
                try other.set(2, for: plain)
                one.catchUp()
                reads.record(try one.value(for: plain))
                try one.set(3, for: plain)
            }
        let token = one.observe(interrupted) { changes.record(Change($0)) }

        try other.set(1, for: plain)
        one.catchUp()

        #expect(reads.all == [2])
        #expect(changes.all == [change(nil, 1), change(1, 2), Change(old: 2, new: 3, origin: .thisProcess)])
        token.cancel()
    }
}
