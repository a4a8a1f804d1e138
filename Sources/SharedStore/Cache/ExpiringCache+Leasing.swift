// SPDX-License-Identifier: MIT

package import RestEssentials
import Synchronization

/// Who fetches an entry, when several processes miss it.
extension ExpiringCache {
    /// Whether other processes may store entries here too.
    package var isShared: Bool { state.withLock { $0.embedded?.isShared ?? false } }

    /// Takes the right to be the only one who fetches an entry, for a while.
    ///
    /// Each lease has an owner of its own, so two of one process keep each other out like those of two.
    ///
    /// - Parameters:
    ///   - name: What is leased; an entry's key.
    ///   - duration: After which time the lease ends by itself, should its holder die.
    ///   - now: The present moment.
    /// - Returns: The lease, to be given back with ``dropLease(_:now:)``; `nil` when someone else holds it.
    /// - Throws: ``StoreError`` when the file cannot be written.
    package func acquireLease(_ name: String, for duration: Duration, now: Date) async throws(StoreError) -> Lease? {
        let owner = String(UInt64.random(in: .min ... .max), radix: 36)
        return try await withBacking { backing throws(StoreError) in
            try await backing.acquireLease(name, owner: owner, duration: duration, now: now)
        }
    }

    /// Gives a lease back, after everything that was stored before; waits for nothing.
    package func dropLease(_ lease: Lease, now: Date) {
        state.withLock { $0.embedded }?.dropLeaseLater(lease, now: now)
    }
}
