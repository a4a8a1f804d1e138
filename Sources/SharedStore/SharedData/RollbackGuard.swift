// SPDX-License-Identifier: MIT

public import RestEssentials

/// Remembers, outside of a store, the latest change of each sealed value, so that an older copy of one is rejected.
///
/// Who can write to the file of a store can also put back what it contained yesterday, with every seal intact. A guard
/// keeps a number for each value in another place, and the sealed value contains the same number:
///
/// ```swift
/// let guardian = try RollbackGuard.file(URL(filePath: "/var/lib/app/marks.sqlite"), key: key)
/// let session = SharedKey<Session>("session", codec: .sealed(key), rollbackGuard: guardian)
/// try data.value(for: session)        // throws `rolledBack` if the file, or this value, is an older one
/// ```
///
/// A value that is older than its mark, lacks one, or is missing although it was set, is an error with
/// ``StoreError/Code-swift.struct/rolledBack``; so is one that is ahead by more than one change, which means that the
/// guard itself was put back or lost. To go on with what is there, set the value with `replacingUnreadable: true`, or
/// remove it.
///
/// The promise is as good as the place: who can put back the store and the guard together is not noticed. Use a disk
/// that is not part of the same backup, a keychain, the counters of a TPM, or a server. These limits remain:
///
/// - A mark is raised after the value was written. If the process dies between the two, the value before that last
///   change would still be accepted.
/// - The time to live of a value is not sealed: values with one may be made to expire, or to last longer, and that they
///   are missing is not an error.
/// - ``SharedData/removeAll()`` knows the guards of those keys only that the object has used.
/// - Use a different guard for each store, since marks are known by the names of keys.
public struct RollbackGuard: Sendable {
    private let readMark: @Sendable (String) throws -> UInt64?
    private let keepMark: @Sendable (String, UInt64) throws -> Void

    /// Creates a guard that keeps its marks in a place of your choice.
    ///
    /// The closures are called from any thread, and block the call that reads or writes the value.
    ///
    /// - Parameters:
    ///   - latest: Returns the mark of a key's name; `nil` if none was kept.
    ///   - raise: Keeps a mark, unless a higher one is kept; it must not be lost with the process.
    public init(
        latest: @escaping @Sendable (_ name: String) throws -> UInt64?,
        raise: @escaping @Sendable (_ name: String, _ mark: UInt64) throws -> Void
    ) {
        readMark = latest
        keepMark = raise
    }

    /// Creates a guard that keeps its marks in a file, sealed, which several processes may share.
    ///
    /// - Parameters:
    ///   - file: The SQLite file, in another place than that of the store.
    ///   - key: The key that seals the marks.
    /// - Returns: The guard.
    /// - Throws: ``StoreError`` if the file cannot be used.
    public static func file(_ file: URL, key: SealingKey) throws(StoreError) -> RollbackGuard {
        let marks = try SharedData(file: file)
        let codec = StorageCodec.sealed(key)
        return RollbackGuard { name in
            // Another process may have raised it a moment ago.
            try marks.current(SharedKey<UInt64>(name, codec: codec)).value
        } raise: { name, mark in
            try marks.modify(SharedKey<UInt64>(name, codec: codec)) { $0 = max($0 ?? 0, mark) }
        }
    }

    /// Returns the mark of a value; that of a value which was never set if none was kept.
    func mark(of name: String) throws(StoreError) -> RollbackMark {
        do {
            return RollbackMark(number: try readMark(name) ?? 0)
        } catch {
            throw Self.failure("the guard cannot read the mark", name, error)
        }
    }

    /// Keeps a mark, unless a higher one is kept.
    func raise(_ mark: RollbackMark, of name: String) throws(StoreError) {
        do {
            try keepMark(name, mark.number)
        } catch {
            throw Self.failure("the guard cannot keep the mark", name, error)
        }
    }

    private static func failure(_ reason: String, _ name: String, _ error: any Error) -> StoreError {
        StoreError(.rollbackGuardFailed, reason, key: name, underlying: error)
    }
}

/// The latest change of a value as its guard knows it; does no I/O.
///
/// Each change of a value has a number, the first one 1. The guard keeps the number of the latest change four times,
/// and adds 1 while the value is being removed and 2 once it is, so that each step is a higher mark than the one
/// before, and a process may die between any two of them.
struct RollbackMark: Hashable, Sendable {
    let number: UInt64

    private static let removing: UInt64 = 1
    private static let removed: UInt64 = 2
    /// The number of a stored value may be forged; above this one, it would leave no room for further changes.
    private static let limit: UInt64 = 1 << 61

    init(number: UInt64) {
        self.number = number
    }

    init(change: UInt64) {
        number = change > .max / 4 ? .max : change * 4
    }

    /// The number of the latest change; 0 if there was none.
    var change: UInt64 { number / 4 }

    private var phase: UInt64 { number % 4 }

    /// Returns the mark of the change after this one, and after that of the stored value.
    func next(after stored: UInt64?) -> RollbackMark {
        let latest = latest(stored)
        return RollbackMark(change: latest == .max ? latest : latest + 1)
    }

    private func latest(_ stored: UInt64?) -> UInt64 {
        guard let stored, stored < Self.limit else {
            return change
        }
        return max(change, stored)
    }

    /// The mark with which the value may be there or not.
    func beginningRemoval(of stored: UInt64?) -> RollbackMark {
        RollbackMark(number: max(number, RollbackMark(change: latest(stored)).number | Self.removing))
    }

    /// The mark with which the value must not be there.
    func endingRemoval(of stored: UInt64?) -> RollbackMark {
        RollbackMark(number: RollbackMark(change: latest(stored)).number | Self.removed)
    }

    func defect(of stored: UInt64?) -> String? {
        guard let stored else {
            return number == 0 ? nil : "the value is from the time before its changes were counted"
        }
        if stored < change || (stored == change && phase >= Self.removed) {
            return "the value is an older one than the latest that was written"
        }
        // A process that died after it had written a value has not raised the mark.
        return stored > change + 1 ? "the value is ahead of its guard, which was put back or lost" : nil
    }

    var defectOfAbsence: String? {
        number > 0 && phase == 0 ? "the value is missing, although it was set" : nil
    }
}

extension SharedKey {
    struct RollbackState {
        let rollbackGuard: RollbackGuard
        let mark: RollbackMark
        let stored: UInt64?
    }

    /// Throws if the codec does not authenticate the numbers of changes.
    private func usableGuard() throws(StoreError) -> RollbackGuard? {
        guard let rollbackGuard else {
            return nil
        }
        guard codecs.current.isSealed else {
            throw StoreError(.rollbackGuardFailed, "only a key with a sealed codec can have a guard", key: name)
        }
        return rollbackGuard
    }

    /// Checks that an opened value is not older than the latest one, and raises its mark if that lags behind.
    func checkRollback(of envelope: ValueEnvelope) throws(StoreError) {
        guard let rollbackGuard = try usableGuard() else {
            return
        }
        let mark = try rollbackGuard.mark(of: name)
        if let defect = mark.defect(of: envelope.change) {
            throw StoreError(.rolledBack, defect, key: name)
        }
        if let change = envelope.change, change > mark.change {
            try rollbackGuard.raise(RollbackMark(change: change), of: name)
        }
    }

    /// Checks that a value may be missing; one with a time to live always may.
    func checkAbsence() throws(StoreError) {
        guard let rollbackGuard = try usableGuard(), timeToLive == nil else {
            return
        }
        if let defect = try rollbackGuard.mark(of: name).defectOfAbsence {
            throw StoreError(.rolledBack, defect, key: name)
        }
    }

    /// Returns the mark of the value, and the number of what is stored; `nil` if the key has no guard.
    func rollbackState(of row: Row?) throws(StoreError) -> RollbackState? {
        guard let rollbackGuard = try usableGuard() else {
            return nil
        }
        return RollbackState(
            rollbackGuard: rollbackGuard,
            mark: try rollbackGuard.mark(of: name),
            stored: row.flatMap { try? ValueEnvelope($0.value, key: name) }?.change
        )
    }
}
