// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

extension ExpiringCache {
    /// Removes the entries with a tag.
    ///
    /// - Parameter tag: The tag.
    /// - Returns: The number of removed entries.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func removeAll(tag: String) async throws(StoreError) -> Int {
        try await remove(.tag(tag)).rows
    }

    /// Removes all entries, or those whose key begins with a prefix.
    ///
    /// - Parameter prefix: The prefix, compared by its bytes. Defaults to any.
    /// - Returns: The number of removed entries.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func removeAll(prefix: String = "") async throws(StoreError) -> Int {
        try await remove(prefix.isEmpty ? .all : .prefix(prefix)).rows
    }

    /// Removes the entries for which a closure returns `true`.
    ///
    /// An entry that is replaced while the closure examines it stays.
    ///
    /// - Parameter shouldRemove: Returns true if an entry must be removed.
    /// - Returns: The number of removed entries.
    /// - Throws: ``StoreError`` if the file cannot be read or written.
    @discardableResult
    public func removeAll(where shouldRemove: (CacheEntryInfo) -> Bool) async throws(StoreError) -> Int {
        try await forEach { summary in
            shouldRemove(coder.info(summary))
                ? [.remove(key: summary.key, condition: .version(summary.version))] : nil
        }
    }

    /// Removes expired entries.
    ///
    /// Until they are removed, expired entries can be used while offline.
    ///
    /// - Parameters:
    ///   - now: The current time. Defaults to the system's clock.
    ///   - grace: The time for which an expired entry is retained. Defaults to zero.
    /// - Returns: The number of removed entries.
    /// - Throws: ``StoreError`` if the file cannot be written.
    @discardableResult
    public func sweep(now: Date = Date(), grace: Duration = .zero) async throws(StoreError) -> Int {
        let removal = try await remove(.expired(by: now.addingTimeInterval(-grace.timeInterval)))
        if removal.rows > 0 {
            configuration.onEvent?(CacheEvent(name: .swept, entryCount: removal.rows, byteCount: removal.bytes))
        }
        return removal.rows
    }

    private func remove(_ selection: RowSelection) async throws(StoreError) -> RowRemoval {
        let removal = try await withEngine { engine throws(StoreError) in
            try await engine.rows.remove(selection, in: .cache)
        }
        state.withLock { $0.tier.invalidatedAll(upTo: removal.usage.version) }
        return removal
    }
}
