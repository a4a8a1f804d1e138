// SPDX-License-Identifier: MIT

package import RestEssentials
import Synchronization

/// Leases, by which one of several processes that miss an entry fetches it.
extension ExpiringCache {
    /// A Boolean value that tells whether other processes may store entries here too.
    package var isShared: Bool { state.withLock { $0.backing.isShared } }

    /// Acquires the exclusive right to fetch an entry, for a while.
    ///
    /// Each lease has an owner of its own, so leases exclude each other within a process too.
    ///
    /// - Parameters:
    ///   - name: The name of the lease, such as an entry's key.
    ///   - duration: The time after which the lease expires, should its holder die.
    ///   - now: The present time.
    /// - Returns: The lease, to be given back with ``dropLease(_:now:)``; `nil` if it has another holder.
    /// - Throws: ``StoreError`` if the file cannot be written.
    package func acquireLease(_ name: String, for duration: Duration, now: Date) async throws(StoreError) -> Lease? {
        let owner = String(UInt64.random(in: .min ... .max), radix: 36)
        return try await withBacking { backing throws(StoreError) in
            try await backing.acquireLease(name, owner: owner, duration: duration, now: now)
        }
    }

    /// Releases a lease, after everything that was stored before.
    ///
    /// Returns without waiting.
    package func dropLease(_ lease: Lease, now: Date) {
        state.withLock { $0.backing }.dropLeaseLater(lease, now: now)
    }
}
