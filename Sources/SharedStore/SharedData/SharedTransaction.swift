// SPDX-License-Identifier: MIT

import RestEssentials

/// The reads and writes of a ``SharedData/transaction(_:)``.
///
/// Reads see the transaction's own writes. Nothing is written before the closure has returned.
public struct SharedTransaction {
    private let data: SharedData
    /// True if memory may show which values can be overwritten.
    private let trustsMemory: Bool
    private var conditions: [RowKey: RowCondition] = [:]
    private var order: [RowKey] = []
    private var writes: [RowKey: SharedData.Write] = [:]

    init(_ data: SharedData, trustsMemory: Bool) {
        self.data = data
        self.trustsMemory = trustsMemory
    }

    /// Returns the value of a key as this transaction sees it.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value, or the key's default if there is none.
    /// - Throws: ``StoreError`` if the stored value cannot be read.
    public mutating func value<Value>(for key: SharedKey<Value>) throws(StoreError) -> Value? {
        let rowKey = RowKey(key.name)
        if let write = writes[rowKey] { return write.value as? Value ?? key.defaultValue }
        let (value, condition) = try data.current(key)
        note(rowKey)
        // The first read counts: if the row changes between two reads, the commit must fail.
        if conditions[rowKey] == nil { conditions[rowKey] = condition }
        return value ?? key.defaultValue
    }

    /// Sets the value of a key when the transaction ends.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key.
    ///   - replacingUnreadable: Pass `true` to overwrite a stored value that the key's codecs cannot open; `false` by
    ///     default.
    /// - Throws: ``StoreError`` if the value cannot be encoded, or if the stored value cannot be opened.
    public mutating func set<Value>(
        _ value: Value,
        for key: SharedKey<Value>,
        replacingUnreadable: Bool = false
    ) throws(StoreError) {
        let rowKey = RowKey(key.name)
        let former = writes[rowKey]
        // Before the write, so that the number of the change follows that of the value which it replaces.
        var condition: RowCondition?
        if former == nil, conditions[rowKey] == nil {
            condition = try data.overwriting(key, replacingUnreadable, trustsMemory: trustsMemory)
        }
        let mayReplaceAny = former.map { $0.row != nil && $0.opener == nil } ?? false
        let write = try data.write(
            of: value,
            for: key,
            replacingUnreadable: replacingUnreadable || mayReplaceAny
        )
        if let condition {
            note(rowKey)
            conditions[rowKey] = condition
        }
        writes[rowKey] = write
    }

    /// Removes the value of a key when the transaction ends.
    ///
    /// - Parameter key: The key.
    /// - Throws: ``StoreError`` if the key's codec lacks its key material.
    public mutating func remove<Value>(_ key: SharedKey<Value>) throws(StoreError) {
        let rowKey = RowKey(key.name)
        var row: Row?
        if key.rollbackGuard != nil {
            let stored = try data.stored(key.name)
            row = stored.row
            // The removal ends the change that was found, and no later one.
            if conditions[rowKey] == nil, writes[rowKey] == nil {
                note(rowKey)
                conditions[rowKey] = stored.condition
            }
        }
        let write = try data.removal(of: key, from: row)
        note(rowKey)
        writes[rowKey] = write
    }

    private mutating func note(_ key: RowKey) {
        if conditions[key] == nil, writes[key] == nil { order.append(key) }
    }

    /// Returns the steps and the writes among them, in the order of first mention.
    func finish() -> (steps: [RowStep], writes: [SharedData.Write]) {
        let steps = order.map { key in
            let condition = conditions[key] ?? .any
            return writes[key]?.step(condition) ?? .check(key: key.string, condition: condition)
        }
        return (steps, order.compactMap { writes[$0] })
    }
}

extension SharedData {
    /// Reads and writes several values atomically: all writes are made, or none.
    ///
    /// ```swift
    /// try data.transaction { transaction in
    ///     let amount = try transaction.value(for: .pending) ?? 0
    ///     try transaction.set(0, for: .pending)
    ///     try transaction.set((transaction.value(for: .total) ?? 0) + amount, for: .total)
    /// }
    /// ```
    ///
    /// - Parameter body: Reads and writes through the transaction. It is called again if others change a value that it
    ///   reads or sets before its writes are made, so it must have no side effects. If it throws, nothing is written.
    /// - Returns: The result of the closure.
    /// - Throws: Errors of the closure, and ``StoreError`` if the values cannot be written; with `busy` if others kept
    ///   changing them for the `busyTimeout`.
    @discardableResult
    public func transaction<Result>(_ body: (inout SharedTransaction) throws -> Result) throws -> Result {
        var isFirst = true
        return try repeatedAny {
            var transaction = SharedTransaction(self, trustsMemory: isFirst)
            isFirst = false
            let result = try body(&transaction)
            let (steps, writes) = transaction.finish()
            return try steps.isEmpty || commit(steps, writes) ? result : nil
        }
    }
}
