// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// The right of this process to be the only one that asks for a response.
///
/// It is given back once what was asked for is stored, or is known never to be. Releasing it twice does nothing, and one that
/// nobody keeps is released. The lease of a process that dies runs out.
final class CacheLease: Sendable {
    private let lease: Mutex<Lease?>
    private let storage: ExpiringCache
    private let now: @Sendable () -> Date

    init(_ lease: Lease, in storage: ExpiringCache, now: @escaping @Sendable () -> Date) {
        self.lease = Mutex(lease)
        self.storage = storage
        self.now = now
    }

    deinit {
        release()
    }

    /// Lets other processes ask; waits for nothing.
    func release() {
        let held = lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
        if let held {
            storage.dropLease(held, now: now())
        }
    }
}

extension ResponseCache {
    /// Whether other processes may store answers here too.
    var isShared: Bool { place.storage.isShared }

    /// Takes the right to be the only process that asks for a response; `nil` when another one has it.
    func lease(
        _ key: CacheKey,
        for duration: Duration,
        now: @escaping @Sendable () -> Date
    ) async throws(StoreError) -> CacheLease? {
        let storage = place.storage
        return try await storage.acquireLease(key.text, for: duration, now: now())
            .map { CacheLease($0, in: storage, now: now) }
    }
}
