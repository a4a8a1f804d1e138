// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension ResponseCache {
    /// True if other processes may store responses in the same cache.
    var isShared: Bool { place.storage.isShared }

    /// Acquires the exclusive right to request a response; `nil` if another process has it.
    ///
    /// It must be released once the response is stored, or will never be. The lease of a process that dies expires.
    func lease(
        _ key: CacheKey,
        for duration: Duration,
        now: @escaping @Sendable () -> Date
    ) async throws(StoreError) -> ReleaseOnce? {
        let storage = place.storage
        guard let lease = try await storage.acquireLease(key.text, for: duration, now: now()) else {
            return nil
        }
        return ReleaseOnce { storage.dropLease(lease, now: now()) }
    }
}
