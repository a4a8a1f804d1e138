// SPDX-License-Identifier: MIT

import Foundation
import Synchronization
import Testing

@testable import SharedStore

/// Stores whose file, or one value of it, is put back to an older state.
@Suite(.timeLimit(.minutes(5)))
struct RollbackGuardTests {
    /// Marks in memory, as a server or a chip would keep them.
    private final class Marks: Sendable {
        struct Unreachable: Error {}

        private let state = Mutex((marks: [String: UInt64](), isReachable: true))

        var all: [String: UInt64] {
            get { state.withLock { $0.marks } }
            set { state.withLock { $0.marks = newValue } }
        }
        var isReachable: Bool {
            get { state.withLock { $0.isReachable } }
            set { state.withLock { $0.isReachable = newValue } }
        }

        var rollbackGuard: RollbackGuard {
            RollbackGuard { name in
                guard self.isReachable else {
                    throw Unreachable()
                }
                return self.all[name]
            } raise: { name, mark in
                guard self.isReachable else {
                    throw Unreachable()
                }
                self.all[name] = max(self.all[name] ?? 0, mark)
            }
        }

        private let interruption = Mutex<(moment: Moment, work: @Sendable () throws -> Void)?>(nil)

        /// A Boolean value that indicates whether the work of another process has not been done yet.
        var isWaiting: Bool { interruption.withLock { $0 != nil } }

        /// Lets another process work before or after a mark is read, once.
        func interrupt(_ moment: Moment, _ work: @escaping @Sendable () throws -> Void) {
            interruption.withLock { $0 = (moment, work) }
        }

        private func reach(_ moment: Moment) throws {
            let work = interruption.withLock { interruption -> (@Sendable () throws -> Void)? in
                guard let (awaited, work) = interruption, awaited == moment else {
                    return nil
                }
                interruption = nil
                return work
            }
            try work?()
        }

        /// A guard whose reads of marks are interrupted.
        var interruptedGuard: RollbackGuard {
            RollbackGuard { name in
                try self.reach(.before)
                let mark = self.all[name]
                try self.reach(.after)
                return mark
            } raise: { name, mark in
                self.all[name] = max(self.all[name] ?? 0, mark)
            }
        }
    }

    private static let sealing = SealingKey.generate()

    let folder: TemporaryFolder
    private let marks = Marks()

    init() throws {
        folder = try TemporaryFolder()
    }

    private var key: SharedKey<Int> { guarded() }

    private func guarded(timeToLive: Duration? = nil, codec: StorageCodec = .sealed(sealing)) -> SharedKey<Int> {
        SharedKey("count", codec: codec, timeToLive: timeToLive, rollbackGuard: marks.rollbackGuard)
    }

    /// Opens the store, as a new process does, and closes it.
    @discardableResult
    private func inProcess<Result>(_ work: (SharedData) throws -> Result) throws -> Result {
        var configuration = SharedData.Configuration()
        configuration.durability = .processDeath
        let data = try SharedData(file: folder.file(), configuration: configuration)
        defer { data.close() }
        return try work(data)
    }

    private func code(_ work: (SharedData) throws -> Void) throws -> StoreError.Code? {
        do {
            try inProcess(work)
            return nil
        } catch let error as StoreError {
            return error.code
        }
    }

    /// Copies the files of the store to another folder, or back.
    private func copy(_ from: URL, to: URL) throws {
        try? FileManager.default.removeItem(at: to)
        try FileManager.default.copyItem(at: from, to: to)
    }

    private var backup: URL { folder.file("backup.sqlite") }

    /// The stored bytes of the value.
    private func stored() throws -> Row? {
        let backing = try SQLiteBacking(file: folder.file().path, kind: .shared)
        defer { backing.close() }
        return try backing.rowNow("count", in: .shared)
    }

    private func put(_ row: Row?) throws {
        let backing = try SQLiteBacking(file: folder.file().path, kind: .shared)
        defer { backing.close() }
        let step =
            row.map { RowStep.put(key: "count", value: $0.value, attributes: $0.attributes, condition: .any) }
            ?? .remove(key: "count", condition: .any)
        _ = try backing.commitNow([step], in: .shared) { _ in }
    }

    // MARK: - The rule

    @Test
    func `a value is accepted after each change, in every process`() throws {
        for number in 1...5 {
            try inProcess { try $0.set(number, for: key) }
            #expect(try inProcess { try $0.value(for: key) } == number)
        }
        try inProcess { data in
            #expect(try data.compareAndSet(key, expected: 5, new: 6))
            try data.modify(key) { $0 = ($0 ?? 0) + 1 }
            try data.transaction { transaction in
                try transaction.set((try transaction.value(for: key) ?? 0) + 1, for: key)
            }
        }
        #expect(try inProcess { try $0.value(for: key) } == 8)
        #expect(marks.all == ["count": 32])
    }

    @Test
    func `a file that was put back is detected, and so is the value alone`() throws {
        try inProcess { try $0.set(1, for: key) }
        let row = try stored()
        try copy(folder.file(), to: backup)
        try inProcess { try $0.set(2, for: key) }
        let newest = try stored()

        try copy(backup, to: folder.file())
        #expect(try code { _ = try $0.value(for: key) } == .rolledBack)
        #expect(try code { try $0.set(3, for: key) } == .rolledBack)
        #expect(try code { try $0.modify(key) { $0 = 3 } } == .rolledBack)
        #expect(try inProcess { try $0.value(for: SharedKey<Int>("count", codec: .sealed(Self.sealing))) } == 1)

        try put(newest)
        #expect(try inProcess { try $0.value(for: key) } == 2)
        try put(row)
        #expect(try code { _ = try $0.value(for: key) } == .rolledBack)
    }

    @Test
    func `a value that is missing although it was set is detected`() throws {
        #expect(try inProcess { try $0.value(for: key) } == nil)
        try inProcess { try $0.set(1, for: key) }

        try put(nil)
        #expect(try code { _ = try $0.value(for: key) } == .rolledBack)
        #expect(try code { try $0.set(2, for: key) } == .rolledBack)
        try FileManager.default.removeItem(at: folder.file())
        #expect(try code { _ = try $0.value(for: key) } == .rolledBack)
    }

    @Test
    func `a value that was removed may be missing, and does not come back`() throws {
        try inProcess { try $0.set(1, for: key) }
        let row = try stored()
        try inProcess { data throws in
            #expect(try data.remove(key) == 1)
            #expect(try data.value(for: key) == nil)
        }
        #expect(try inProcess { try $0.value(for: key) } == nil)

        try put(row)
        #expect(try code { _ = try $0.value(for: key) } == .rolledBack)

        try put(nil)
        try inProcess { try $0.set(2, for: key) }
        #expect(try inProcess { try $0.value(for: key) } == 2)
        try inProcess { data in
            _ = try data.value(for: key)
            try data.removeAll()
        }
        #expect(try inProcess { try $0.value(for: key) } == nil)
    }

    @Test
    func `a value from the time before the guard is accepted once, and numbered`() throws {
        try inProcess { try $0.set(1, for: SharedKey<Int>("count", codec: .sealed(Self.sealing))) }
        let unnumbered = try stored()
        #expect(try inProcess { try $0.value(for: key) } == 1)
        #expect(try inProcess { try $0.value(for: key) } == 1)
        #expect(marks.all == ["count": 4])

        try put(unnumbered)
        #expect(try code { _ = try $0.value(for: key) } == .rolledBack)
    }

    @Test
    func `what was rolled back can be replaced or removed when that is said`() throws {
        try inProcess { try $0.set(1, for: key) }
        let row = try stored()
        try inProcess { try $0.set(2, for: key) }
        try put(row)

        try inProcess { try $0.set(3, for: key, replacingUnreadable: true) }
        #expect(try inProcess { try $0.value(for: key) } == 3)
        try put(row)
        #expect(try inProcess { try $0.remove(key) } == nil)
        #expect(try inProcess { try $0.value(for: key) } == nil)
    }

    // MARK: - Deaths

    @Test
    func `a process that dies after a write and before its mark loses nothing`() throws {
        try inProcess { try $0.set(1, for: key) }
        let before = marks.all
        try inProcess { try $0.set(2, for: key) }

        marks.all = before
        #expect(try inProcess { try $0.value(for: key) } == 2)
        #expect(marks.all == ["count": 8])

        marks.all = before
        try inProcess { try $0.set(3, for: key) }
        #expect(try inProcess { try $0.value(for: key) } == 3)
        #expect(marks.all == ["count": 12])
    }

    @Test
    func `a process that dies while it removes a value loses nothing either`() throws {
        try inProcess { try $0.set(1, for: key) }

        // The mark was raised, and the value is still there.
        marks.all = ["count": 5]
        #expect(try inProcess { try $0.value(for: key) } == 1)
        // The value is gone, and the mark was not raised again.
        try put(nil)
        #expect(try inProcess { try $0.value(for: key) } == nil)
    }

    @Test
    func `a guard that was put back itself, or is lost, is detected`() throws {
        for number in 1...3 {
            try inProcess { try $0.set(number, for: key) }
        }

        for lost in [["count": UInt64(4)], [:]] {
            marks.all = lost
            #expect(try code { _ = try $0.value(for: key) } == .rolledBack)
        }
    }

    @Test
    func `a guard that cannot be asked is an error, and nothing is believed without it`() throws {
        try inProcess { try $0.set(1, for: key) }

        marks.isReachable = false
        #expect(try code { _ = try $0.value(for: key) } == .rollbackGuardFailed)
        #expect(try code { try $0.set(2, for: key) } == .rollbackGuardFailed)
        marks.isReachable = true
        #expect(try inProcess { try $0.value(for: key) } == 1)
    }

    // MARK: - Other processes

    /// A moment in a read of a mark.
    enum Moment: CaseIterable {
        case before
        case after
    }

    /// A change by another process.
    enum Change: CaseIterable {
        case set
        case setTwice
        case remove

        /// The value after it.
        var result: Int? {
            switch self {
            case .set: 2
            case .setTwice: 3
            case .remove: nil
            }
        }

        func make(in data: SharedData, _ key: SharedKey<Int>) throws {
            switch self {
            case .set: try data.set(2, for: key)
            case .setTwice:
                try data.set(2, for: key)
                try data.set(3, for: key)
            case .remove: try data.remove(key)
            }
        }
    }

    /// A use of a value.
    enum Use: CaseIterable {
        case read
        case set
        case replace
        case modify
        case transact
        case remove
        case removeInTransaction
        case removeAll

        /// The value after it.
        func result(after value: Int?) -> Int? {
            switch self {
            case .read: value
            case .set, .replace: 10
            case .modify, .transact: (value ?? 0) + 10
            case .remove, .removeInTransaction, .removeAll: nil
            }
        }

        func make(in data: SharedData, _ key: SharedKey<Int>) throws {
            switch self {
            case .read: _ = try data.value(for: key)
            case .set: try data.set(10, for: key)
            case .replace: try data.set(10, for: key, replacingUnreadable: true)
            case .modify: try data.modify(key) { $0 = ($0 ?? 0) + 10 }
            case .transact:
                try data.transaction { transaction in
                    try transaction.set((try transaction.value(for: key) ?? 0) + 10, for: key)
                }
            case .remove: try data.remove(key)
            case .removeInTransaction: try data.transaction { try $0.remove(key) }
            case .removeAll: try data.removeAll()
            }
        }
    }

    @Test(arguments: Moment.allCases, Use.allCases)
    func `a change by another process beside the read of a mark is not taken for a roll-back`(
        moment: Moment,
        use: Use
    ) throws {
        for (number, change) in Change.allCases.enumerated() {
            for initial in [nil, 1] {
                let file = folder.file("store\(number)\(initial ?? 0).sqlite")
                let (data, other) = (try SharedData(file: file), try SharedData(file: file))
                defer {
                    data.close()
                    other.close()
                }
                marks.all = [:]
                let key = self.key
                if let initial { try other.set(initial, for: key) }
                let interrupted = SharedKey<Int>(
                    "count",
                    codec: .sealed(Self.sealing),
                    rollbackGuard: marks.interruptedGuard
                )
                // Only the guards of keys that were used are known.
                if use == .removeAll { _ = try data.value(for: interrupted) }
                marks.interrupt(moment) { try change.make(in: other, key) }

                try use.make(in: data, interrupted)

                #expect(!marks.isWaiting)
                let fresh = try SharedData(file: file)
                #expect(try fresh.value(for: key) == use.result(after: change.result))
                try fresh.set(11, for: key)
                #expect(try fresh.value(for: key) == 11)
                fresh.close()
            }
        }
    }

    @Test
    func `an observer is not told of a roll-back when a change by another process follows another`() async throws {
        let (data, other) = (try SharedData(file: folder.file()), try SharedData(file: folder.file()))
        let key = self.key
        let interrupted = SharedKey<Int>("count", codec: .sealed(Self.sealing), rollbackGuard: marks.interruptedGuard)
        let changes = data.changes(for: interrupted)
        marks.interrupt(.before) { try other.set(3, for: key) }

        try other.set(2, for: key)
        data.catchUp()
        var seen: [SharedChange<Int>] = []
        for await change in changes {
            seen.append(change)
            if change.newValue == 3 { break }
        }

        #expect(!marks.isWaiting)
        #expect(seen.compactMap(\.error).isEmpty)
        data.close()
        other.close()
    }

    @Test
    func `a forged number leaves room for further changes`() throws {
        try inProcess { try $0.set(1, for: key) }
        var row = try #require(try stored())
        for offset in 0..<8 { row.value[9 + "sealed".utf8.count + offset] = 0xFF }
        try put(row)

        #expect(try code { _ = try $0.value(for: key) } == .tampered)
        try inProcess { try $0.set(2, for: key, replacingUnreadable: true) }
        #expect(try inProcess { try $0.value(for: key) } == 2)
        try inProcess { try $0.set(3, for: key) }
        #expect(try inProcess { try $0.value(for: key) } == 3)
    }

    // MARK: - Keys

    @Test(arguments: [StorageCodec.identity, .gzip])
    func `a key without a sealed codec can have no guard`(codec: StorageCodec) throws {
        #expect(try code { try $0.set(1, for: guarded(codec: codec)) } == .rollbackGuardFailed)
        #expect(try code { _ = try $0.value(for: guarded(codec: codec)) } == .rollbackGuardFailed)
    }

    @Test
    func `a value with a time to live may be missing, and must not be an older one`() throws {
        let key = guarded(timeToLive: .seconds(3_600))
        try inProcess { try $0.set(1, for: key) }
        let row = try stored()
        try inProcess { try $0.set(2, for: key) }

        try put(nil)
        #expect(try inProcess { try $0.value(for: key) } == nil)
        try put(row)
        #expect(try code { _ = try $0.value(for: key) } == .rolledBack)
    }

    @Test
    func `a key is rotated, and the number stays`() async throws {
        let other = SealingKey.generate()
        try inProcess { try $0.set(1, for: key) }
        let row = try stored()
        try inProcess { try $0.set(2, for: key) }
        let codec = StorageCodec.sealed(other, previous: [Self.sealing])
        let data = try SharedData(file: folder.file())
        #expect(try await data.reseal(with: codec).rewritten == 1)
        data.close()

        #expect(try inProcess { try $0.value(for: guarded(codec: codec)) } == 2)
        try put(row)
        #expect(try code { _ = try $0.value(for: guarded(codec: codec)) } == .rolledBack)
    }

    @Test
    func `a number that was altered in the file is a forgery`() throws {
        try inProcess { try $0.set(1, for: key) }
        var row = try #require(try stored())
        row.value[9 + "sealed".utf8.count] = 2

        try put(row)

        #expect(try code { _ = try $0.value(for: key) } == .tampered)
    }

    // MARK: - The guard in a file

    @Test
    func `a guard in a file keeps its marks, sealed, for all processes`() throws {
        let place = folder.file("marks.sqlite")
        func key() throws -> SharedKey<Int> {
            SharedKey("count", codec: .sealed(Self.sealing), rollbackGuard: try .file(place, key: Self.sealing))
        }
        for number in 1...3 {
            try inProcess { try $0.set(number, for: try key()) }
            #expect(try inProcess { try $0.value(for: try key()) } == number)
        }
        try copy(folder.file(), to: backup)
        try inProcess { try $0.set(4, for: try key()) }
        try copy(backup, to: folder.file())

        #expect(try code { _ = try $0.value(for: try key()) } == .rolledBack)
        let marks = try SharedData(file: place)
        #expect(throws: StoreError.self) { try marks.value(for: SharedKey<UInt64>("count")) }
        try marks.set(0, for: SharedKey<UInt64>("count"), replacingUnreadable: true)
        #expect(try code { _ = try $0.value(for: try key()) } == .rollbackGuardFailed)
    }
}
