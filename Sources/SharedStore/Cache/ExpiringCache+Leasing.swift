// SPDX-License-Identifier: MIT

package import RestEssentials
import Synchronization

/// Leases, with which one of several processes that miss an entry fetches it.
extension ExpiringCache {
    package var isShared: Bool { state.withLock { $0.engine.rows.isShared } }

    /// Acquires the temporary exclusive right to fetch an entry; returns `nil` if it has another holder.
    ///
    /// Each lease has its own owner, so leases also exclude each other within a process. It expires after the duration
    /// if its holder dies. With an engine of the user's own it excludes nobody: each process fetches for itself.
    package func acquireLease(_ name: String, for duration: Duration, now: Date) async throws(StoreError) -> Lease? {
        let owner = String(UInt64.random(in: .min ... .max), radix: 36)
        return try await withEngine { engine throws(StoreError) -> Lease? in
            guard let backing = engine.backing else {
                return Lease(name: name, owner: owner, expiresAt: now.addingTimeInterval(duration.timeInterval))
            }
            return try await backing.acquireLease(name, owner: owner, duration: duration, now: now)
        }
    }

    /// Releases a lease later, after everything that was stored before.
    package func dropLease(_ lease: Lease, now: Date) {
        state.withLock { $0.backing }?.dropLeaseLater(lease, now: now)
    }
}
