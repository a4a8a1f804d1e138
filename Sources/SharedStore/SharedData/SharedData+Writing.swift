// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

extension SharedData {
    /// A write that is applied to memory and reported to observers once it is durable.
    struct Write: Sendable {
        var key: RowKey
        /// The row to write; `nil` for a removal.
        var row: (value: Data, attributes: RowAttributes)?
        var value: (any Sendable)?
        var reader: Reader
        /// Opens rows with the key; `nil` if the write may replace any row, or if it goes to a file.
        var opener: Opener?
        var rollback: RollbackStep?
    }

    struct RollbackStep: Sendable {
        let rollbackGuard: RollbackGuard
        var before: RollbackMark?
        let after: RollbackMark
    }

    /// Sets the value of a key on disk, then in memory.
    ///
    /// Then observers are notified.
    ///
    /// A stored value that the key's codecs cannot open, because it was sealed with another key or written with another
    /// codec, is not overwritten unless you ask for it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    ///   - replacingUnreadable: Pass `true` to overwrite a stored value that the key's codecs cannot open; `false` by
    ///     default.
    /// - Throws: ``StoreError`` if the value cannot be encoded or written; with `wrongKey`, `unknownCodec` or
    ///   `tampered` if the stored value cannot be opened, and with `newerSchema` if it has a later schema version than
    ///   the key. In these cases nothing has changed.
    public func set<Value>(
        _ value: Value,
        for key: SharedKey<Value>,
        replacingUnreadable: Bool = false
    ) throws(StoreError) {
        var trustsMemory = true
        try repeated(about: key.name) { () throws(StoreError) -> Void? in
            // First, so that the number of the change follows that of the value which it replaces.
            let condition = try overwriting(key, replacingUnreadable, trustsMemory: trustsMemory)
            trustsMemory = false
            let write = try write(of: value, for: key, replacingUnreadable: replacingUnreadable)
            return try commit([write.step(condition)], [write]) ? () : nil
        }
    }

    /// Removes the value of a key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The removed value; `nil` if there was none, or if it could not be read.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func remove<Value>(_ key: SharedKey<Value>) throws(StoreError) -> Value? {
        try repeated(about: key.name) { () throws(StoreError) -> Value?? in
            let (row, condition) = try stored(key.name)
            guard condition != .absent else {
                guard let step = try removal(of: key, from: nil).rollback else {
                    return .some(nil)
                }
                // Another process may have set the value before the mark was read; the mark would then be too high for
                // a removal.
                guard try stored(key.name).condition == .absent else {
                    return nil
                }
                try step.rollbackGuard.raise(step.after, of: key.name)
                return .some(nil)
            }
            let removal = try removal(of: key, from: row)
            let isExpired = row?.attributes.hasExpired(at: configuration.now()) ?? true
            // A value that cannot be read can still be removed.
            let value = isExpired ? nil : try? row.flatMap { try key.decode($0).value }
            return try commit([removal.step(condition)], [removal]) ? .some(value) : nil
        }
    }

    /// Removes all values, including those that this process never read.
    ///
    /// - Returns: The number of removed values.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func removeAll() throws(StoreError) -> Int {
        try repeated { () throws(StoreError) -> Int? in
            let guarded = state.withLock { $0.guards }
            return try guarded.isEmpty ? removeRows(.all) : removeAll(guarded)
        }
    }

    private func removeRows(_ selection: RowSelection) throws(StoreError) -> Int {
        let removal = try withBacking { backing throws(StoreError) in
            try backing.removeNow(selection, in: .shared) { [self] removal in removed(removal) }
        }
        delivery.deliver()
        return removal.rows
    }

    /// Removes all values, some of which have guards; returns `nil` if another process changed one of these meanwhile.
    private func removeAll(_ guarded: [RowKey: RollbackGuard]) throws(StoreError) -> Int? {
        var steps: [RowStep] = []
        var ends: [RowKey: RollbackMark] = [:]
        for (key, rollbackGuard) in guarded {
            let (row, condition) = try stored(key.string)
            let change = row.flatMap { try? ValueEnvelope($0.value, key: key.string) }?.change
            let mark = try rollbackGuard.mark(of: key.string)
            ends[key] = mark.endingRemoval(of: change)
            try rollbackGuard.raise(mark.beginningRemoval(of: change), of: key.string)
            steps.append(.remove(key: key.string, condition: condition))
        }
        for row in try summaries() where guarded[RowKey(row.key)] == nil {
            steps.append(.remove(key: row.key, condition: .any))
        }
        let names = steps.map(\.key)
        let commit = try withBacking { backing throws(StoreError) in
            try backing.commitNow(steps, in: .shared) { [self] commit in
                if case .committed(_, let existed, let usage) = commit {
                    let keys = zip(names, existed).filter(\.1).map(\.0)
                    removed(RowRemoval(rows: keys.count, bytes: 0, keys: keys, usage: usage))
                }
            }
        }
        guard case .committed(_, let existed, _) = commit else {
            return nil
        }
        delivery.deliver()
        for (key, mark) in ends {
            try guarded[key]?.raise(mark, of: key.string)
        }
        return existed.count(where: \.self)
    }

    /// Removes expired values, which otherwise take up space.
    ///
    /// - Returns: The number of removed values.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func removeExpired() throws(StoreError) -> Int {
        try removeRows(.expired(by: configuration.now()))
    }

    /// Sets the value of a key if the current one is as expected, even if other processes write to the same file.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - expected: The expected value; `nil` expects none. The key's default does not count.
    ///   - new: The new value; `nil` removes it.
    /// - Returns: `true` if the value was as expected and has been set.
    /// - Throws: ``StoreError`` if a value cannot be read, encoded or written.
    public func compareAndSet<Value: Equatable>(
        _ key: SharedKey<Value>,
        expected: Value?,
        new: Value?
    ) throws(StoreError) -> Bool {
        try repeated(about: key.name) { () throws(StoreError) -> Bool? in
            let (current, condition) = try current(key)
            guard current == expected else {
                return false
            }
            let write = try write(ofOptional: new, for: key)
            return try commit([write.step(condition)], [write]) ? true : nil
        }
    }

    /// Changes the value of a key with a closure, without losing concurrent updates.
    ///
    /// ```swift
    /// try data.modify(.launches) { $0 = ($0 ?? 0) + 1 }
    /// ```
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - body: Changes the value, which is `nil` if there is none. It is called again if the value was changed
    ///     meanwhile, so it must have no side effects. Setting `nil` removes the value.
    /// - Returns: The result of the closure.
    /// - Throws: ``StoreError`` if the value cannot be read, encoded or written, with `busy` if others kept changing it
    ///   for the `busyTimeout`, and errors of the closure.
    @discardableResult
    public func modify<Value, Result>(
        _ key: SharedKey<Value>,
        _ body: (inout Value?) throws -> Result
    ) throws -> Result {
        try repeatedAny(about: key.name) {
            var (value, condition) = try current(key)
            let result = try body(&value)
            let write = try write(ofOptional: value, for: key)
            return try commit([write.step(condition)], [write]) ? result : nil
        }
    }

    /// Reads a value from the file, bypassing memory, which may be a few milliseconds behind another process.
    package func latest<Value>(_ key: SharedKey<Value>) throws(StoreError) -> Value? {
        try current(key).value
    }

    /// Reads a value from the file, bypassing memory, with the condition that it has not changed.
    func current<Value>(_ key: SharedKey<Value>) throws(StoreError) -> (value: Value?, condition: RowCondition) {
        noteGuard(of: key)
        return try checked(key) { row throws(StoreError) -> (value: Value?, condition: RowCondition) in
            (try decode(row, key)?.value, .unchanged(row?.version))
        }
    }

    /// Returns the condition for overwriting a value, from memory if that is trusted: if it is out of date, the commit
    /// fails.
    ///
    /// With a guard, even a value that may be unreadable must not have changed, because the number of the change
    /// follows that of the value which it replaces.
    func overwriting<Value>(
        _ key: SharedKey<Value>,
        _ replacingUnreadable: Bool,
        trustsMemory: Bool
    ) throws(StoreError) -> RowCondition {
        guard !replacingUnreadable else {
            return key.rollbackGuard == nil ? .any : try stored(key.name).condition
        }
        if trustsMemory, let condition = try knownCondition(key) { return condition }
        return try openableCondition(key)
    }

    /// Returns the condition for overwriting a value, if memory shows that the key can open it and there is no guard.
    private func knownCondition<Value>(_ key: SharedKey<Value>) throws(StoreError) -> RowCondition? {
        guard key.rollbackGuard == nil else {
            return nil
        }
        let reader = try key.reader
        guard let loaded = state.withLock({ $0.loaded[RowKey(key.name)] }) else {
            return nil
        }
        switch loaded.content {
        case .absent: return .absent
        case .value(_, _, reader): return .version(loaded.version)
        case .value, .unknown: return nil
        }
    }

    /// Returns the condition for overwriting a value: it has not changed since it was found to be absent, expired,
    /// damaged, or openable with the key.
    ///
    /// It throws if there is a value that the key cannot open.
    private func openableCondition<Value>(_ key: SharedKey<Value>) throws(StoreError) -> RowCondition {
        while true {
            do throws(StoreError) {
                return try checked(key) { row throws(StoreError) -> RowCondition in
                    try checkOpenable(row, key)
                    return .unchanged(row?.version)
                }
            } catch  where error.code == .corrupt && error.isAboutValue {
                let found = try stored(key.name)
                // Another process may have replaced or removed the damaged row since.
                guard found.row == nil, found.condition != .absent else {
                    continue
                }
                // A damaged row contains nothing worth keeping.
                return found.condition
            }
        }
    }

    private func checkOpenable<Value>(_ row: Row?, _ key: SharedKey<Value>) throws(StoreError) {
        do throws(StoreError) {
            if let row, !row.attributes.hasExpired(at: configuration.now()) {
                try key.open(row)
            } else {
                try key.checkAbsence()
            }
        } catch {
            let reason =
                "the stored value cannot be opened (\(error.reason)); remove it, or pass replacingUnreadable: true"
            throw StoreError(error.code, reason, key: key.name, underlying: error)
        }
    }

    /// Reads a row that is to be replaced or removed, with the condition that it has not changed.
    ///
    /// The row is `nil` if there is none, in which case the condition is `absent`, or if it is damaged.
    func stored(_ name: String) throws(StoreError) -> (row: Row?, condition: RowCondition) {
        try withBacking { backing throws(StoreError) in try Self.stored(name, in: backing) }
    }

    static func stored(
        _ name: String,
        in backing: any Backing
    ) throws(StoreError) -> (row: Row?, condition: RowCondition) {
        let key = RowKey(name)
        var condition: RowCondition?
        while true {
            do throws(StoreError) {
                let row = try backing.rowNow(key.string, in: .shared)?.withEarlierExpiry()
                return (row, .unchanged(row?.version))
            } catch  where error.isAboutValue {
                // Another process may have replaced the row before it was listed, so it is read once more.
                if let condition { return (nil, condition) }
                // A listing does not look at the value, nor at the checksum.
                let rows = try backing.summariesNow(in: .shared, RowPage(prefix: key.string, limit: 1))
                let damaged = rows.first { RowKey($0.key) == key }
                let unchanged: RowCondition = damaged.map { .version($0.version) } ?? .any
                condition = unchanged
            }
        }
    }

    func write<Value>(
        of value: Value,
        for key: SharedKey<Value>,
        replacingUnreadable: Bool = false
    ) throws(StoreError) -> Write {
        var write = Write(key: RowKey(key.name), value: value, reader: try key.reader)
        // What is in memory may be moved to a file, and meets what is stored there.
        if !replacingUnreadable, state.withLock({ $0.file == nil }) {
            write.opener = { stored, row throws(StoreError) in try key.open(stored, toReplaceBy: row) }
        }
        var change: UInt64?
        if key.rollbackGuard != nil {
            noteGuard(of: key)
            // A row that cannot be read has no number.
            let row = try? row(write.key.string)
            if let state = try key.rollbackState(of: row ?? nil) {
                let next = state.mark.next(after: state.stored)
                change = next.change
                write.rollback = RollbackStep(rollbackGuard: state.rollbackGuard, after: next)
            }
        }
        let now = configuration.now()
        let expiresAt = key.timeToLive.map { now.addingTimeInterval($0.timeInterval) }
        write.row = try key.row(for: value, change: change, storedAt: now, expiresAt: expiresAt)
        return write
    }

    func removal<Value>(of key: SharedKey<Value>, from row: Row?) throws(StoreError) -> Write {
        noteGuard(of: key)
        var removal = Write(key: RowKey(key.name), reader: try key.reader)
        if let state = try key.rollbackState(of: row) {
            removal.rollback = RollbackStep(
                rollbackGuard: state.rollbackGuard,
                before: state.mark.beginningRemoval(of: state.stored),
                after: state.mark.endingRemoval(of: state.stored)
            )
        }
        return removal
    }

    func noteGuard<Value>(of key: SharedKey<Value>) {
        if let rollbackGuard = key.rollbackGuard {
            state.withLock { $0.guards[RowKey(key.name)] = rollbackGuard }
        }
    }

    /// Returns the write of a value, or the removal for `nil`.
    private func write<Value>(ofOptional value: Value?, for key: SharedKey<Value>) throws(StoreError) -> Write {
        guard let value else {
            return try removal(of: key, from: key.rollbackGuard == nil ? nil : try row(RowKey(key.name).string))
        }
        return try write(of: value, for: key)
    }

    /// Commits steps, updates memory and notifies observers; returns `false` if a condition did not hold.
    func commit(_ steps: [RowStep], _ writes: [Write]) throws(StoreError) -> Bool {
        for write in writes {
            if let step = write.rollback, let mark = step.before {
                try step.rollbackGuard.raise(mark, of: write.key.string)
            }
        }
        let commit = try withBacking { backing throws(StoreError) in
            try backing.commitNow(steps, in: .shared) { [self] commit in committed(commit, writes) }
        }
        defer { delivery.deliver() }
        if case .conflict = commit { return false }
        for write in writes {
            if let step = write.rollback {
                try step.rollbackGuard.raise(step.after, of: write.key.string)
            }
        }
        return true
    }

    /// Applies a commit to memory and queues the notifications; called in the order of commits.
    private func committed(_ commit: RowCommit, _ writes: [Write]) {
        guard case .committed(let version, _, _) = commit else {
            return
        }
        state.withLock { state in
            state.generation += 1
            for write in writes where version > state.loaded[write.key]?.version ?? 0 {
                var content = Loaded.Content.absent
                if let row = write.row, let value = write.value {
                    content = .value(value, expiresAt: row.attributes.expiresAt, reader: write.reader)
                }
                if state.file == nil { state.noteOpener(of: write) }
                state.loaded[write.key] = Loaded(version: version, content: content, isFromHere: true)
                notify(write.key, .known(write.value), version: version, origin: .thisProcess, &state)
            }
        }
    }

    private func removed(_ removal: RowRemoval) {
        state.withLock { state in
            state.generation += 1
            for name in removal.keys {
                let key = RowKey(name)
                state.openers[key] = nil
                guard removal.usage.version > state.loaded[key]?.version ?? 0 else {
                    continue
                }
                state.loaded[key] = Loaded(version: removal.usage.version, content: .absent, isFromHere: true)
                notify(key, .known(nil), version: removal.usage.version, origin: .thisProcess, &state)
            }
        }
    }
}

extension SharedData.State {
    /// Notes what opens the rows that a value in memory would replace in a file.
    ///
    /// A value that may replace any row may still do so after a further change.
    mutating func noteOpener(of write: SharedData.Write) {
        var mayReplaceAny = false
        if case .value? = loaded[write.key]?.content { mayReplaceAny = openers[write.key] == nil }
        openers[write.key] = write.row == nil || mayReplaceAny ? nil : write.opener
    }
}

extension SharedData.Write {
    func step(_ condition: RowCondition) -> RowStep {
        guard let row else {
            return .remove(key: key.string, condition: condition)
        }
        return .put(key: key.string, value: row.value, attributes: row.attributes, condition: condition)
    }
}
