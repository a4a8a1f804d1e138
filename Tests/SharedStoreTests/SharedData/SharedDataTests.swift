// SPDX-License-Identifier: MIT

import Foundation
import SharedStore
import Synchronization
import Testing

/// The rules of shared data, on every engine.
@Suite(.timeLimit(.minutes(5)))
struct SharedDataTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    // MARK: - Values

    @Test(arguments: DataEngine.allCases)
    func `a value comes back with its type`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)

        try data.set(Session.sample, for: .session)
        try data.set([1.5, -.infinity], for: SharedKey<[Double]>("doubles"))
        try data.set("text", for: SharedKey<String>("text"))
        try data.set(Data([0, 1]), for: SharedKey<Data>("bytes"))
        try data.set(nil, for: SharedKey<Int?>("optional"))

        #expect(try data.value(for: .session) == Session.sample)
        #expect(try data.value(for: SharedKey<[Double]>("doubles")) == [1.5, -.infinity])
        #expect(try data.value(for: SharedKey<String>("text")) == "text")
        #expect(try data.value(for: SharedKey<Data>("bytes")) == Data([0, 1]))
        #expect(try data.value(for: SharedKey<Int?>("optional")) == .some(nil))
        #expect(try data.value(for: SharedKey<Int>("none")) == nil)
    }

    @Test(
        "seed bug 56: a value has the same type after a restart, whatever its codec",
        arguments: CodecChoice.allCases
    )
    func sameTypeAfterRestart(_ choice: CodecChoice) throws {
        let key = SharedKey<Session>("session", codec: choice.codec)
        try SharedData(file: folder.file()).set(Session.sample, for: key)

        #expect(try SharedData(file: folder.file()).value(for: key) == Session.sample)
    }

    @Test(arguments: DataEngine.allCases)
    func `the default stands in for a missing value only`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)
        let key = SharedKey<Int>("count", default: 5)

        #expect(try data.value(for: key) == 5)
        try data.set(0, for: key)
        #expect(try data.value(for: key) == 0)
        #expect(try data.remove(key) == 0)
        #expect(try data.value(for: key) == 5)
        #expect(try data.remove(key) == nil)
        #expect(try data.names() == [])
    }

    @Test(arguments: DataEngine.allCases)
    func `a value lives as long as its key says`(_ engine: DataEngine) throws {
        let clock = ManualDate()
        let data = try engine.make(in: folder, now: { clock.now })
        let key = SharedKey<Int>("count", default: -1, timeToLive: .seconds(10))
        try data.set(1, for: key)

        clock.advance(by: 9.9)
        #expect(try data.value(for: key) == 1)
        clock.advance(by: 0.1)
        #expect(try data.value(for: key) == -1)
        #expect(try data.names() == [])
        #expect(try data.compareAndSet(key, expected: nil, new: 2))
        clock.advance(by: 10)
        #expect(try data.removeExpired() == 1)
    }

    @Test(arguments: DataEngine.allCases)
    func `names are listed in the order of their bytes`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)
        for name in ["b", "a/2", "a/1", "\u{e9}", "e\u{301}", "nul\0"] {
            try data.set(1, for: SharedKey<Int>(name))
        }

        #expect(try data.names(prefix: "a/") == ["a/1", "a/2"])
        #expect(
            try data.names().map { Array($0.utf8) }
                == ["a/1", "a/2", "b", "e\u{301}", "nul\0", "\u{e9}"].map { Array($0.utf8) }
        )
    }

    @Test("seed bug 56: removing everything reaches keys that were never loaded")
    func removeAllReachesEverything() throws {
        try SharedData(file: folder.file()).set(1, for: .count)
        let data = try SharedData(file: folder.file())

        #expect(try data.removeAll() == 1)

        #expect(try data.value(for: .count) == nil)
        #expect(try SharedData(file: folder.file()).names() == [])
    }

    @Test("seed bug 56: a removed value is returned though it was never loaded")
    func removedValueIsReturned() throws {
        try SharedData(file: folder.file()).set(1, for: .count)

        #expect(try SharedData(file: folder.file()).remove(.count) == 1)
    }

    @Test(arguments: DataEngine.allCases)
    func `a value of another type is an error and can be replaced`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)
        try data.set("text", for: SharedKey<String>("count"))

        let error = #expect(throws: StoreError.self) { try data.value(for: .count) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.key == "count")
        try data.set(1, for: .count)
        #expect(try data.value(for: .count) == 1)
        let bytes = #expect(throws: StoreError.self) { try data.value(for: SharedKey<Data>("count")) }
        #expect(bytes?.code == .decodingFailed)
    }

    @Test(arguments: DataEngine.allCases)
    func `a value that cannot be encoded changes nothing`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)
        let key = SharedKey<Stubborn>("stubborn")
        try data.set(Stubborn(fails: false), for: key)

        let error = #expect(throws: StoreError.self) { try data.set(Stubborn(fails: true), for: key) }

        #expect(error?.code == .encodingFailed)
        #expect(try data.value(for: key) == Stubborn(fails: false))
    }

    // MARK: - Compare and set, transactions

    @Test(arguments: DataEngine.allCases)
    func `compare and set takes the expected value only`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)

        #expect(try !data.compareAndSet(.count, expected: 1, new: 2))
        #expect(try data.compareAndSet(.count, expected: nil, new: 1))
        #expect(try !data.compareAndSet(.count, expected: nil, new: 2))
        #expect(try data.compareAndSet(.count, expected: 1, new: nil))
        #expect(try data.names() == [])
    }

    @Test(arguments: DataEngine.allCases)
    func `no concurrent change is lost`(_ engine: DataEngine) async throws {
        let data = try engine.make(in: folder)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 { try data.modify(.count) { $0 = ($0 ?? 0) + 1 } }
                }
            }
            try await group.waitForAll()
        }

        #expect(try data.value(for: .count) == 400)
    }

    @Test(arguments: DataEngine.allCases)
    func `a transaction moves an amount without losing any`(_ engine: DataEngine) async throws {
        let data = try engine.make(in: folder)
        let (left, right) = (SharedKey<Int>("left", default: 0), SharedKey<Int>("right", default: 0))
        try data.set(1000, for: left)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<25 {
                        try data.transaction { transaction in
                            try transaction.set((transaction.value(for: left) ?? 0) - 1, for: left)
                            try transaction.set((transaction.value(for: right) ?? 0) + 1, for: right)
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<25 {
                        let total = try data.transaction { transaction in
                            (try transaction.value(for: left) ?? 0) + (try transaction.value(for: right) ?? 0)
                        }
                        #expect(total == 1000)
                    }
                }
            }
            try await group.waitForAll()
        }

        #expect(try data.value(for: left) == 900)
        #expect(try data.value(for: right) == 100)
    }

    @Test(arguments: DataEngine.allCases)
    func `a transaction that throws writes nothing`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)
        struct Stop: Error {}

        #expect(throws: Stop.self) {
            try data.transaction { transaction in
                try transaction.set(1, for: .count)
                #expect(try transaction.value(for: .count) == 1)
                throw Stop()
            }
        }

        #expect(try data.value(for: .count) == nil)
    }

    @Test(arguments: DataEngine.allCases)
    func `a transaction sets, removes and reads its own writes`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)
        try data.set(1, for: .count)

        try data.transaction { transaction in
            try transaction.remove(.count)
            #expect(try transaction.value(for: .count) == nil)
            try transaction.set(Session.sample, for: .session)
        }

        #expect(try data.names() == ["session"])
    }

    // MARK: - Closing

    @Test(arguments: DataEngine.allCases)
    func `everything is refused after closing`(_ engine: DataEngine) throws {
        let data = try engine.make(in: folder)
        try data.set(1, for: .count)
        data.close()

        let read = #expect(throws: StoreError.self) { try data.value(for: .count) }
        let write = #expect(throws: StoreError.self) { try data.set(1, for: .count) }
        #expect(read?.code == .closed)
        #expect(write?.code == .closed)
    }
}
