// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension ResponseCache {
    /// True if other processes may store responses here too.
    var isShared: Bool { place.storage.isShared }

    /// Takes the right to be the only process that asks for a response; `nil` when another one has it.
    ///
    /// It is to be released once the response is stored, or is known never to be. The lease of a process that dies runs
    /// out.
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
