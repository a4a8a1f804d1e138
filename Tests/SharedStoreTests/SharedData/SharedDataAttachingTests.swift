// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Testing

/// Shared data in memory that become durable.
@Suite(.timeLimit(.minutes(5)))
struct SharedDataAttachingTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test
    func `memory wins over the file and the rest of the file appears`() throws {
        let file = try DataEngine.file.make(in: folder)
        try file.set(1, for: .count)
        try file.set(5, for: SharedKey<Int>("other"))
        let data = SharedData()
        try data.set(2, for: .count)
        #expect(try data.value(for: SharedKey<Int>("other")) == nil)

        try data.attach(file: folder.file())

        #expect(try data.value(for: .count) == 2)
        #expect(try data.value(for: SharedKey<Int>("other")) == 5)
        #expect(data.file?.path == folder.file().path)
        #expect(try SharedData(file: folder.file()).value(for: .count) == 2)
    }

    @Test
    func `attaching to the same file again does nothing and to another one is an error`() throws {
        let data = SharedData()
        try data.attach(file: folder.file())
        try data.set(1, for: .count)

        try data.attach(file: folder.file())
        try data.attach(file: folder.url.appending(path: "./store.sqlite"))
        let error = #expect(throws: StoreError.self) { try data.attach(file: folder.file("other.sqlite")) }

        #expect(error?.code == .alreadyAttached)
        #expect(try data.value(for: .count) == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.file("other.sqlite").path))
    }

    @Test
    func `a file that cannot be used leaves everything in memory as it was`() throws {
        try Data("garbage, and quite a lot of it".utf8).write(to: folder.file())
        let data = SharedData()
        try data.set(1, for: .count)

        let error = #expect(throws: StoreError.self) { try data.attach(file: folder.file()) }

        #expect(error?.code == .notADatabase)
        #expect(data.file == nil)
        #expect(try data.value(for: .count) == 1)
        try data.set(2, for: .count)
        try data.attach(file: folder.file("good.sqlite"))
        #expect(try SharedData(file: folder.file("good.sqlite")).value(for: .count) == 2)
    }

    @Test
    func `no concurrent set is lost while values are carried over`() async throws {
        let data = SharedData()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    for round in 0..<200 { try data.set(round, for: SharedKey<Int>("\(writer)/\(round)")) }
                }
            }
            group.addTask {
                for round in 0..<200 { try data.modify(.count) { $0 = ($0 ?? 0) + 1 + round * 0 } }
            }
            group.addTask { try data.attach(file: folder.file()) }
            try await group.waitForAll()
        }

        let again = try SharedData(file: folder.file())
        #expect(try again.names().count == 801)
        #expect(try again.value(for: .count) == 200)
    }

    @Test(arguments: [1, 5_000])
    func `a change that another process makes meanwhile is reported, and no other`(count: Int) async throws {
        let other = try DataEngine.file.make(in: folder)
        try other.set(1, for: SharedKey<Int>.plain())
        try other.set(1, for: SharedKey<Int>("unchanged"))
        let data = SharedData()
        let interrupted = SharedKey<Int>.plain { try other.set(1, for: SharedKey<Int>("changed")) }
        try data.set(2, for: interrupted)
        // Fewer values than the feed keeps, or more.
        try data.transaction { transaction in
            for number in 0..<count { try transaction.set(number, for: SharedKey<Int>("k\(number)")) }
        }
        var changes = data.allChanges().makeAsyncIterator()

        try data.attach(file: folder.file())

        #expect(try other.names().count == count + 3)
        // Another thread may be delivering what was reported by now.
        try data.set(0, for: SharedKey<Int>("end"))
        let reported = [await changes.next(isolation: nil), await changes.next(isolation: nil)]
        #expect(reported.map { $0?.name } == ["changed", "end"])
        #expect(reported.map { $0?.origin } == [.anotherProcess, .thisProcess])
    }

    @Test
    func `an observer receives the value of the file although a read finds it first`() throws {
        typealias Change = SharedDataObservationTests.ObservedChange
        let data = SharedData()
        let plain = SharedKey<Int>.plain()
        try DataEngine.file.make(in: folder).set(1, for: plain)
        let (reads, changes) = (Recorder<Int?>(), Recorder<Change>())
        // The read comes between that of the observer and its notification.
        let interrupted = SharedKey<Int>.plain { reads.record(try data.value(for: plain)) }
        let token = data.observe(interrupted) { changes.record(Change($0)) }

        try data.attach(file: folder.file())

        #expect(reads.all == [1])
        #expect(changes.all == [Change(old: nil, new: 1, origin: .anotherProcess)])
        token.cancel()
    }

    @Test
    func `observers are called after the move, so they and their codecs may attach the file as well`() throws {
        typealias Change = SharedDataObservationTests.ObservedChange
        let data = SharedData()
        let plain = SharedKey<Int>.plain()
        try DataEngine.file.make(in: folder).set(1, for: plain)
        let changes = Recorder<Change>()
        let attaching = SharedKey<Int>.plain { try data.attach(file: folder.file()) }
        let token = data.observe(attaching) { change in
            changes.record(Change(change))
            try? data.attach(file: folder.file())
            if change.newValue == 1 { try? data.set(2, for: plain) }
        }

        try data.attach(file: folder.file())

        let expected = [
            Change(old: nil, new: 1, origin: .anotherProcess), Change(old: 1, new: 2, origin: .thisProcess),
        ]
        #expect(changes.all == expected)
        #expect(try SharedData(file: folder.file()).value(for: plain) == 2)
        token.cancel()
    }

    // MARK: - Values that cannot be opened

    private func sealed(_ key: SealingKey, previous: [SealingKey] = []) -> SharedKey<Int> {
        SharedKey("count", codec: .sealed(key, previous: previous))
    }

    @Test
    func `a value in the file that was sealed with another key is not replaced in silence`() throws {
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        let file = try DataEngine.file.make(in: folder)
        try file.set(1, for: sealed(mine))
        let data = SharedData()
        try data.set(2, for: sealed(other))
        try data.set(3, for: SharedKey<Int>("another"))

        let error = #expect(throws: StoreError.self) { try data.attach(file: folder.file()) }

        #expect(error?.code == .wrongKey)
        #expect(error?.key == "count")
        #expect(error?.file != nil)
        #expect(error?.reason.contains("replacingUnreadable") == true)
        #expect(data.file == nil)
        #expect(try file.value(for: sealed(mine)) == 1)
        #expect(try file.names() == ["count"])
        #expect(try data.value(for: sealed(other)) == 2)
        try data.set(4, for: sealed(other))
        #expect(try data.value(for: sealed(other)) == 4)
    }

    @Test
    func `a value that cannot be opened is replaced when that is said, also after a further change`() throws {
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        let file = try DataEngine.file.make(in: folder)
        try file.set(1, for: sealed(mine))
        let data = SharedData()
        try data.set(2, for: sealed(other))
        #expect(throws: StoreError.self) { try data.attach(file: folder.file()) }

        try data.transaction { transaction in
            try transaction.set(3, for: sealed(other), replacingUnreadable: true)
            try transaction.set(4, for: sealed(other))
        }
        try data.modify(sealed(other)) { $0 = ($0 ?? 0) + 1 }
        try data.attach(file: folder.file())

        #expect(try SharedData(file: folder.file()).value(for: sealed(other)) == 5)
    }

    @Test(arguments: [false, true])
    func `a value that cannot be opened stays once the one in memory is removed`(removesAll: Bool) throws {
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        let file = try DataEngine.file.make(in: folder)
        try file.set(1, for: sealed(mine))
        let data = SharedData()
        try data.set(2, for: sealed(other), replacingUnreadable: true)

        if removesAll {
            try data.removeAll()
        } else {
            try data.remove(sealed(other))
        }
        try data.attach(file: folder.file())

        #expect(try data.value(for: sealed(mine)) == 1)
    }

    @Test
    func `permission to replace a value ends with the value`() throws {
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        try DataEngine.file.make(in: folder).set(1, for: sealed(mine))
        let data = SharedData()
        try data.set(2, for: sealed(other), replacingUnreadable: true)
        try data.remove(sealed(other))
        try data.set(3, for: sealed(other))

        let error = #expect(throws: StoreError.self) { try data.attach(file: folder.file()) }

        #expect(error?.code == .wrongKey)
    }

    @Test
    func `a value in the file is compared with the key of the one in memory as set compares it`() throws {
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        func code(_ stored: SharedKey<Int>, _ key: SharedKey<Int>) throws -> StoreError.Code? {
            let path = folder.file("\(UUID().uuidString).sqlite")
            try SharedData(file: path).set(1, for: stored)
            let data = SharedData()
            try data.set(2, for: key)
            do throws(StoreError) {
                try data.attach(file: path)
            } catch {
                return error.code
            }
            #expect(try SharedData(file: path).value(for: key) == 2)
            return nil
        }

        #expect(try code(sealed(mine), sealed(mine)) == nil)
        #expect(try code(sealed(mine), sealed(other, previous: [mine])) == nil)
        #expect(try code(.count, SharedKey("count", codec: .gzip)) == nil)
        #expect(try code(sealed(mine), .count) == .unknownCodec)
        #expect(try code(.count, sealed(mine)) == .unknownCodec)
        #expect(try code(sealed(mine), sealed(other)) == .wrongKey)
    }

    @Test(arguments: [false, true])
    func `a damaged value in the file is replaced, unless another process has just done so`(isRepaired: Bool) throws {
        let (mine, theirs) = (SealingKey.generate(), SealingKey.generate())
        let former = try DataEngine.file.make(in: folder)
        try former.set(1, for: sealed(mine))
        try former.set(1, for: SharedKey<Int>.plain("later"))
        former.close()
        try RawDatabase.execute(folder.file(), "UPDATE rows_shared SET value = value || x'00' WHERE key = 'count'")
        let other = try DataEngine.file.make(in: folder)
        let foreign = sealed(theirs)
        let data = SharedData()
        try data.set(2, for: sealed(mine))
        // It is opened after the damaged one was found, and before anything is written.
        let interrupted = SharedKey<Int>
            .plain("later") {
                if isRepaired { try other.set(3, for: foreign, replacingUnreadable: true) }
            }
        try data.set(2, for: interrupted)

        var failure: StoreError?
        do throws(StoreError) {
            try data.attach(file: folder.file())
        } catch {
            failure = error
        }

        let fresh = try SharedData(file: folder.file())
        if isRepaired {
            #expect(failure?.code == .wrongKey)
            #expect(failure?.key == "count")
            #expect(try fresh.value(for: foreign) == 3)
        } else {
            #expect(failure == nil)
            #expect(try fresh.value(for: sealed(mine)) == 2)
        }
    }

    @Test
    func `an expired value replaces nothing, and can be replaced by any`() throws {
        let clock = ManualDate()
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        let file = try DataEngine.file.make(in: folder, now: { clock.now })
        try file.set(1, for: SharedKey<Int>("count", codec: .sealed(mine), timeToLive: .seconds(10)))
        try file.set(1, for: SharedKey<Int>("lasting"))
        let data = try DataEngine.memory.make(in: folder, now: { clock.now })
        try data.set(2, for: sealed(other))
        try data.set(2, for: SharedKey<Int>("lasting", timeToLive: .seconds(10)))
        clock.advance(by: 10)

        try data.attach(file: folder.file())

        #expect(try data.value(for: sealed(other)) == 2)
        #expect(try data.value(for: SharedKey<Int>("lasting")) == 1)
    }

    @Test
    func `a set that meets a refused attachment is not lost and does not fail`() async throws {
        let (mine, other) = (SealingKey.generate(), SealingKey.generate())
        try DataEngine.file.make(in: folder).set(1, for: sealed(mine))
        let data = SharedData()
        try data.set(2, for: sealed(other))

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<2_000 { try data.set(round, for: SharedKey<Int>("\(round)")) }
            }
            group.addTask {
                for _ in 0..<20 {
                    #expect(throws: StoreError.self) { try data.attach(file: folder.file()) }
                }
            }
            try await group.waitForAll()
        }

        #expect(try data.names().count == 2_001)
    }
}
