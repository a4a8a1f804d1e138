// SPDX-License-Identifier: MIT
import Synchronization

extension ExpiringCache {
    /// Listens for other processes' commits, which make the memory tier untrue.
    func follow(_ backing: any Backing) {
        guard backing.isShared, configuration.memoryByteLimit > 0 else { return }
        let token = backing.observeForeignCommits { [weak self] in self?.forgetMemory() }
        state.withLock { state in
            state.token = token
            state.isTierReliable = token != nil
        }
    }

    private func forgetMemory() {
        // Also a store of ours that is older than what others wrote must not come in any more.
        let usage = try? state.withLock({ $0.embedded })?.usageNow(of: .cache)
        state.withLock { state in
            state.tier.forgetEntries()
            state.tier.invalidatedAll(upTo: usage?.version ?? 0)
        }
        configuration.onEvent?(CacheEvent(.changedByAnotherProcess))
    }

    /// Deals with an error of a read: rebuilds the file, removes the row, or throws.
    func handle(_ error: StoreError, of key: String, from backing: any Backing) async throws(StoreError) {
        if error.isFileDamage, rebuilder != nil {
            try rebuild(backing, because: error)
        } else if error.code == .corrupt, error.key != nil {
            try await discard(key, version: nil, because: error, from: backing)
        } else {
            throw error
        }
    }

    /// Removes a row that is of no use, unless it was written anew meanwhile.
    func discard(
        _ key: String,
        version: UInt64?,
        because error: StoreError,
        from backing: any Backing
    ) async throws(StoreError) {
        let condition = version.map(RowCondition.version) ?? .any
        do throws(StoreError) {
            _ = try await backing.commit([.remove(key: key, condition: condition)], in: .cache)
        } catch  where error.isFileDamage && rebuilder != nil {
            // More than the row is damaged.
            return try rebuild(backing, because: error)
        }
        configuration.onEvent?(CacheEvent(.entryDiscarded, key: key, error: error))
    }

    /// Replaces the engine on a damaged file by one on a new file; nothing when someone else did so already.
    func rebuild(_ damaged: any Backing, because error: StoreError) throws(StoreError) {
        guard let rebuilder else { throw error }
        let event = try rebuilder.exclusively { () throws(StoreError) -> CacheEvent? in
            let isCurrent = state.withLock { state in
                (state.backing as? SQLiteBacking) === (damaged as? SQLiteBacking)
            }
            guard isCurrent else { return nil }
            damaged.close()
            let (backing, event) = try rebuilder.rebuild(because: error)
            state.withLock { state in
                state.backing = backing
                state.embedded = backing
                state.tier.reset()
                state.token = nil
                state.recovery = event
            }
            follow(backing)
            return event
        }
        if let event { configuration.onEvent?(event) }
    }
}
