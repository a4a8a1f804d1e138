// SPDX-License-Identifier: MIT

public import RestEssentials

/// Remembers, outside of a store, how far its sealed values have come, so that an older copy of one is rejected.
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
/// - Give each store a guard of its own, since marks are known by the names of keys.
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
