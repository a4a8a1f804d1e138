// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

extension SharedData {
    /// A write that is applied to memory and reported to observers once it is durable.
    struct Write: Sendable {
        var key: RowKey
        /// The row to write; `nil` for a removal.
        var row: (value: Data, attributes: RowAttributes)?
        /// The value of the row.
        var value: (any Sendable)?
        var reader: Reader
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
    ///   `tampered` if the stored value cannot be opened. In these cases nothing has changed.
    public func set<Value>(
        _ value: Value,
        for key: SharedKey<Value>,
        replacingUnreadable: Bool = false
    ) throws(StoreError) {
        let write = try write(of: value, for: key)
        guard !replacingUnreadable else {
            _ = try commit([write.step(.any)], [write])
            return
        }
        if let condition = try knownCondition(key), try commit([write.step(condition)], [write]) {
            return
        }
        while try !commit([write.step(openableCondition(key))], [write]) {}
    }

    /// Removes the value of a key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The removed value; `nil` if there was none, or if it could not be read.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func remove<Value>(_ key: SharedKey<Value>) throws(StoreError) -> Value? {
        let removal = Write(key: RowKey(key.name), reader: try key.reader)
        while true {
            guard let row = try row(removal.key.string) else {
                return nil
            }
            let isExpired = row.attributes.hasExpired(at: configuration.now())
            // A value that cannot be read can still be removed.
            let value = isExpired ? nil : try? key.decode(row).value
            if try commit([removal.step(.version(row.version))], [removal]) { return value }
        }
    }

    /// Removes all values, including those that this process never read.
    ///
    /// - Returns: The number of removed values.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func removeAll() throws(StoreError) -> Int {
        let removal = try withBacking { backing throws(StoreError) in
            try backing.removeNow(.all, in: .shared) { [self] removal in removed(removal) }
        }
        delivery.deliver()
        return removal.rows
    }

    /// Removes expired values, which otherwise take up space.
    ///
    /// - Returns: The number of removed values.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func removeExpired() throws(StoreError) -> Int {
        let removal = try withBacking { backing throws(StoreError) in
            try backing.removeNow(.expired(by: configuration.now()), in: .shared) { [self] in removed($0) }
        }
        delivery.deliver()
        return removal.rows
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
        let write = try write(ofOptional: new, for: key)
        while true {
            let (current, condition) = try current(key)
            guard current == expected else {
                return false
            }
            if try commit([write.step(condition)], [write]) { return true }
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
    /// - Throws: ``StoreError`` if the value cannot be read, encoded or written, and errors of the closure.
    @discardableResult
    public func modify<Value, Result>(
        _ key: SharedKey<Value>,
        _ body: (inout Value?) throws -> Result
    ) throws -> Result {
        while true {
            var (value, condition) = try current(key)
            let result = try body(&value)
            let write = try write(ofOptional: value, for: key)
            if try commit([write.step(condition)], [write]) { return result }
        }
    }

    /// Reads a value from the file, bypassing memory, with the condition that it has not changed.
    func current<Value>(_ key: SharedKey<Value>) throws(StoreError) -> (value: Value?, condition: RowCondition) {
        guard let row = try row(RowKey(key.name).string) else {
            return (nil, .absent)
        }
        let isExpired = row.attributes.hasExpired(at: configuration.now())
        return (isExpired ? nil : try key.decode(row).value, .version(row.version))
    }

    /// Returns the condition for overwriting a value, if memory shows that the key can open it.
    private func knownCondition<Value>(_ key: SharedKey<Value>) throws(StoreError) -> RowCondition? {
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
    /// - Throws: ``StoreError`` if there is a value that the key cannot open.
    func openableCondition<Value>(_ key: SharedKey<Value>) throws(StoreError) -> RowCondition {
        let row: Row?
        do throws(StoreError) {
            row = try self.row(RowKey(key.name).string)
        } catch  where error.isAboutValue {
            // A damaged row contains nothing worth keeping.
            return .any
        }
        guard let row else {
            return .absent
        }
        let isExpired = row.attributes.hasExpired(at: configuration.now())
        if !isExpired {
            do throws(StoreError) {
                try key.open(row)
            } catch {
                let reason =
                    "the stored value cannot be opened (\(error.reason)); remove it, or pass replacingUnreadable: true"
                throw StoreError(error.code, reason, key: key.name, underlying: error)
            }
        }
        return .version(row.version)
    }

    func write<Value>(of value: Value, for key: SharedKey<Value>) throws(StoreError) -> Write {
        Write(
            key: RowKey(key.name),
            row: try key.row(for: value, now: configuration.now()),
            value: value,
            reader: try key.reader
        )
    }

    /// Returns the write of a value, or the removal for `nil`.
    private func write<Value>(ofOptional value: Value?, for key: SharedKey<Value>) throws(StoreError) -> Write {
        guard let value else {
            return Write(key: RowKey(key.name), reader: try key.reader)
        }
        return try write(of: value, for: key)
    }

    /// Commits steps, updates memory and notifies observers; returns `false` if a condition did not hold.
    func commit(_ steps: [RowStep], _ writes: [Write]) throws(StoreError) -> Bool {
        let commit = try withBacking { backing throws(StoreError) in
            try backing.commitNow(steps, in: .shared) { [self] commit in committed(commit, writes) }
        }
        delivery.deliver()
        if case .conflict = commit { return false }
        return true
    }

    /// Applies a commit to memory and queues the notifications.
    ///
    /// Called in the order of commits.
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
                guard removal.usage.version > state.loaded[key]?.version ?? 0 else {
                    continue
                }
                state.loaded[key] = Loaded(version: removal.usage.version, content: .absent, isFromHere: true)
                notify(key, .known(nil), version: removal.usage.version, origin: .thisProcess, &state)
            }
        }
    }
}

extension SharedData.Write {
    /// Returns the step that performs this write.
    func step(_ condition: RowCondition) -> RowStep {
        guard let row else {
            return .remove(key: key.string, condition: condition)
        }
        return .put(key: key.string, value: row.value, attributes: row.attributes, condition: condition)
    }
}
