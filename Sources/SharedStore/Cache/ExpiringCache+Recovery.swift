// SPDX-License-Identifier: MIT

import Synchronization

extension ExpiringCache {
    func follow(_ engine: Engine) {
        guard engine.rows.isShared, configuration.memoryByteLimit > 0 else {
            return
        }
        let token = engine.backing?.observeForeignCommits { [weak self] in self?.forgetMemory() }
        state.withLock { state in
            state.token = token
            state.isTierReliable = token != nil
        }
    }

    private func forgetMemory() {
        // Also invalidates our own stores that are older than what others wrote.
        let usage = try? state.withLock({ $0.backing })?.usageNow(of: .cache)
        state.withLock { state in
            state.tier.forgetEntries()
            state.tier.invalidatedAll(upTo: usage?.version ?? 0)
        }
        configuration.onEvent?(CacheEvent(name: .changedByAnotherProcess))
    }

    /// Returns the step that removes an unreadable row, unless it was replaced meanwhile; `nil` to rebuild the file.
    ///
    /// The version is that of a row which could be read but not decoded.
    private func remedy(for error: StoreError, _ version: UInt64?, of load: Load) throws(StoreError) -> RowStep? {
        let key = load.key.string
        if let version {
            // The key may be missing for a while only, or the memory; that says nothing about the entry.
            guard error.isAboutValue else {
                throw error
            }
            return .remove(key: key, condition: .version(version))
        }
        if error.isFileDamage || error.code == .closed, rebuilder != nil { return nil }
        guard error.code == .corrupt, error.key != nil else {
            throw error
        }
        return .remove(key: key, condition: .any)
    }

    /// Handles an error of a read: rebuilds the file, removes the row, or throws.
    func recover(from failure: StoreError, _ version: UInt64?, of load: Load) async throws(StoreError) {
        guard let step = try remedy(for: failure, version, of: load) else {
            return try rebuild(load.engine, because: failure)
        }
        do throws(StoreError) {
            _ = try await load.engine.rows.commit([step], in: .cache)
        } catch {
            // The damage may not be limited to the row.
            return try rebuild(load.engine, because: error)
        }
        configuration.onEvent?(CacheEvent(name: .entryDiscarded, key: step.key, error: failure))
    }

    /// Like ``recover(from:_:of:)``, on the calling thread.
    func recoverNow(from failure: StoreError, _ version: UInt64?, of load: Load) throws(StoreError) {
        guard let step = try remedy(for: failure, version, of: load) else {
            return try rebuild(load.engine, because: failure)
        }
        do throws(StoreError) {
            _ = try load.engine.backing?.commitNow([step], in: .cache) { _ in }
        } catch {
            return try rebuild(load.engine, because: error)
        }
        configuration.onEvent?(CacheEvent(name: .entryDiscarded, key: step.key, error: failure))
    }

    /// Replaces the engine on a damaged file by one on a new file, unless that has been done already.
    ///
    /// An engine stays open as long as other processes use the file's lock, and closed if its file could not be
    /// replaced; a later use replaces it.
    func rebuild(_ damaged: Engine, because error: StoreError) throws(StoreError) {
        guard let rebuilder, error.isFileDamage || error.code == .closed else {
            throw error
        }
        let event = try rebuilder.exclusively { deadline throws(StoreError) -> CacheEvent? in
            guard let damage = try beginRebuild(damaged, because: error) else {
                return nil
            }
            let (backing, event) = try rebuilder.rebuild(because: damage, by: deadline) {
                state.withLock { $0.token = nil }
                damaged.rows.close()
            }
            let isClosed = state.withLock { state in
                state.engine = .builtIn(backing)
                state.tier.reset()
                state.damage = nil
                state.recovery = event
                return state.isClosed
            }
            guard !isClosed else {
                backing.close()
                throw StoreError(.closed, "the store was closed")
            }
            follow(.builtIn(backing))
            return event
        }
        if let event { configuration.onEvent?(event) }
    }

    /// Returns the damage for which an engine must be replaced; `nil` if it has been replaced.
    private func beginRebuild(_ damaged: Engine, because error: StoreError) throws(StoreError) -> StoreError? {
        try state.withLock { state throws(StoreError) -> StoreError? in
            guard (state.engine.backing as? SQLiteBacking) === (damaged.backing as? SQLiteBacking) else {
                return nil
            }
            guard !state.isClosed, let damage = state.damage ?? (error.isFileDamage ? error : nil) else {
                throw error
            }
            state.damage = damage
            state.tier.reset()
            return damage
        }
    }
}
