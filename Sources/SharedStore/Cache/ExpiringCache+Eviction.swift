// SPDX-License-Identifier: MIT

import Synchronization

extension ExpiringCache {
    func isOverLimit(_ usage: RowUsage) -> Bool {
        usage.rows > configuration.countLimit ?? .max || usage.bytes > configuration.byteLimit ?? .max
    }

    func isNearLimit(_ usage: RowUsage) -> Bool {
        usage.rows > (configuration.countLimit ?? .max) / 2 || usage.bytes > (configuration.byteLimit ?? .max) / 2
    }

    /// Evicts the least recently used entries until the limits hold; one caller at a time evicts for all others.
    func evict() async throws(StoreError) {
        let isMine = state.withLock { state in
            state.mustEvictAgain = true
            defer { state.isEvicting = true }
            return !state.isEvicting
        }
        guard isMine else {
            return
        }
        do throws(StoreError) {
            repeat { try await evictOnce() } while isEvictionWanted()
        } catch {
            state.withLock { $0.isEvicting = false }
            throw error
        }
    }

    /// True if a limit was exceeded since the last round; if not, the round was the last.
    private func isEvictionWanted() -> Bool {
        state.withLock { state in
            if !state.mustEvictAgain { state.isEvicting = false }
            return state.mustEvictAgain
        }
    }

    private func evictOnce() async throws(StoreError) {
        state.withLock { $0.mustEvictAgain = false }
        // The engine orders rows correctly only if it knows the latest uses.
        try await flushTouches()
        let usage = try await withEngine { engine throws(StoreError) in try engine.backing?.usageNow(of: .cache) }
        guard let usage, isOverLimit(usage) else {
            return
        }
        let rows = Self.target(configuration.countLimit, usage.rows)
        let bytes = Self.target(configuration.byteLimit, usage.rows)
        let removal = try await withEngine { engine throws(StoreError) in
            try await engine.backing?.evict(in: .cache, toRows: rows, bytes: bytes)
        }
        guard let removal else {
            return
        }
        state.withLock { state in
            state.statistics.evictions += removal.rows
            state.tier.invalidatedAll(upTo: removal.usage.version)
        }
        if removal.rows > 0 {
            configuration.onEvent?(CacheEvent(name: .evicted, entryCount: removal.rows, byteCount: removal.bytes))
        }
    }

    /// A large cache makes some room at once, so that not every store pays for a scan.
    private static func target(_ limit: Int?, _ rows: Int) -> Int {
        guard let limit else {
            return .max
        }
        return rows > 1000 ? limit - limit / 20 : limit
    }

    func flushTouches() async throws(StoreError) {
        let touches = state.withLock { $0.tier.takeTouches() }
        guard !touches.isEmpty else {
            return
        }
        _ = try await withEngine { engine throws(StoreError) in
            try await engine.backing?.touch(touches, in: .cache)
        }
    }
}
