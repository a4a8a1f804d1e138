// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

extension SharedData {
    /// Makes values in memory durable: moves them to a file, in one transaction, and continues there.
    ///
    /// If a key has a value both in memory and in the file, the one in memory wins. Observers stay registered. Those
    /// whose value came from the file receive it as another process's change. Concurrent calls of `set`
    /// wait and then write to the file. Attaching to the same file again does nothing.
    ///
    /// - Parameter file: The SQLite file. It and its folders are created if they do not exist.
    /// - Throws: ``StoreError`` if the file cannot be used; then all values stay in memory. With
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
        let rows = try memory.freeze(.shared)
        let version: UInt64
        let position: UInt64
        do throws(StoreError) {
            let steps = rows.map { key, row in
                RowStep.put(key: key, value: row.value, attributes: row.attributes, condition: .any)
            }
            let commit = try backing.commitNow(steps, in: .shared) { _ in }
            guard case .committed(let committed, _, _) = commit else {
                throw StoreError(.internalFailure, "an unconditional commit met a conflict", file: path)
            }
            version = committed
            position = try backing.feedNow(of: .shared, after: nil).position
        } catch {
            backing.close()
            memory.thaw()
            throw error
        }
        let keys = Set(rows.map { RowKey($0.key) })
        let others = state.withLock { state -> [RowKey] in
            state.backing = backing
            state.file = path
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
        follow(backing)
    }
}
