// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

extension SharedData {
    /// Makes values in memory durable: moves them to a file, in one transaction, and continues there.
    ///
    /// If a key has a value both in memory and in the file, the one in memory wins, unless the codecs of its key cannot
    /// open the one in the file: then nothing is moved, and the error names the key. To replace the value in the file,
    /// set the one in memory with `replacingUnreadable` and attach the file again; to keep it, remove the one in
    /// memory. Codecs open these values during the move, and must not use this object then.
    ///
    /// Observers stay registered. Those whose value came from the file receive it as another process's change, once all
    /// values are in the file. Concurrent calls of `set` wait and then write to the file. Attaching to the same file
    /// again does nothing.
    ///
    /// - Parameter file: The SQLite file. It and its folders are created if they do not exist.
    /// - Throws: ``StoreError`` if the file cannot be used; with `wrongKey`, `unknownCodec`, `tampered` or `rolledBack`
    ///   if a value in the file cannot be opened and would be replaced. Then all values stay in memory. With
    ///   `alreadyAttached` if this object is attached to another file.
    public func attach(file: URL) throws(StoreError) {
        let path = try FilePath.path(of: file)
        try attachment.withLock { _ throws(StoreError) in try carryOver(to: path) }
        delivery.deliver()
    }

    private func carryOver(to path: String) throws(StoreError) {
        let (current, attached) = state.withLock { ($0.backing, $0.file) }
        if let attached {
            guard attached == path || SystemFile.identity(of: attached) == SystemFile.identity(of: path) else {
                throw StoreError(.alreadyAttached, "the shared data already use the file \(attached)", file: path)
            }
            return
        }
        guard let memory = current as? MemoryBacking else {
            throw StoreError(.internalFailure, "shared data without a file are not in memory", file: path)
        }
        let backing = try Self.open(path, configuration)
        let now = configuration.now()
        let rows = try memory.freeze(.shared).filter { !$0.row.attributes.hasExpired(at: now) }
        let former: UInt64
        let version: UInt64
        let position: UInt64
        do throws(StoreError) {
            // Before the values are moved, because all later commits by other processes must be reported.
            former = try backing.usageNow(of: .shared).version
            let start = try backing.feedNow(of: .shared, after: nil).position
            version = try put(rows, into: backing)
            // If the feed lists nothing but these values, it need not be read: it may not even keep all of them.
            let end = (try? backing.feedNow(of: .shared, after: nil).position) ?? start
            position = end &- start == UInt64(rows.count) ? end : start
        } catch {
            backing.close()
            memory.thaw()
            throw error.located(file: path)
        }
        let keys = Set(rows.map { RowKey($0.key) })
        let others = state.withLock { state -> [RowKey] in
            state.backing = backing
            state.file = path
            state.openers = [:]
            state.feedPosition = position
            state.generation += 1
            // A value that is known to be absent in memory may exist in the file.
            state.loaded = state.loaded.filter { keys.contains($0.key) }
            for key in state.loaded.keys { state.loaded[key]?.version = version }
            for (key, registrations) in state.observers {
                for number in registrations.keys {
                    state.observers[key]?[number]?.version = keys.contains(key) ? version : 0
                }
            }
            return state.observers.keys.filter { !keys.contains($0) }
        }
        for key in others {
            guard let row = try? backing.rowNow(key.string, in: .shared) else {
                continue
            }
            notifyOfForeign(key, row, version: row.version)
        }
        // Only now, since until here a read may have found what an observer had yet to receive.
        state.withLock { $0.feedVersion = max($0.feedVersion, former) }
        follow(backing)
    }

    /// Writes the rows in memory to a file, in one transaction; returns its version.
    private func put(_ rows: [(key: String, row: Row)], into backing: SQLiteBacking) throws(StoreError) -> UInt64 {
        let openers = state.withLock { $0.openers }
        let deadline = ContinuousClock.now + configuration.busyTimeout
        while true {
            var steps: [RowStep] = []
            for (key, row) in rows {
                var condition = RowCondition.any
                if let opener = openers[RowKey(key)] {
                    condition = try replaceableCondition(key, by: row, opener, in: backing)
                }
                steps.append(.put(key: key, value: row.value, attributes: row.attributes, condition: condition))
            }
            // Another process may write between the check and the commit.
            if case .committed(let version, _, _) = try backing.commitNow(steps, in: .shared, committed: { _ in }) {
                return version
            }
            guard ContinuousClock.now < deadline else {
                throw StoreError(.busy, "another process kept changing values that are to be replaced")
            }
        }
    }

    /// Returns the condition for replacing a row in the file by one in memory: it has not changed since it was found to
    /// be absent, expired, damaged, or openable with the key of the one in memory.
    private func replaceableCondition(
        _ key: String,
        by row: Row,
        _ opener: Opener,
        in backing: SQLiteBacking
    ) throws(StoreError) -> RowCondition {
        try Self.settled { version throws(StoreError) -> RowCondition in
            // A damaged row contains nothing worth keeping.
            let (found, condition) = try Self.stored(key, in: backing)
            guard let found, !found.attributes.hasExpired(at: configuration.now()) else {
                return condition
            }
            version = found.version
            do throws(StoreError) {
                try opener(found, row)
                return condition
            } catch {
                let reason =
                    "the value in the file cannot be opened with the key of the one in memory (\(error.reason)); "
                    + "set the one in memory with replacingUnreadable: true, or remove it"
                throw StoreError(error.code, reason, key: key, underlying: error)
            }
        } mark: {
            nil
        }
    }
}
