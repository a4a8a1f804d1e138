// SPDX-License-Identifier: MIT

import SharedStore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Stores answers by request: what lies between the pipeline and the expiring cache beneath.
final class ResponseCache: Sendable {
    /// A stored answer.
    struct Stored: Sendable {
        var entry: CacheEntry
        var head: StoredResponse
    }

    /// What a read found.
    enum Lookup: Sendable {
        case fresh(Stored)
        case stale(Stored)
        case nothing
        case unreadable
    }

    private let storage: Mutex<ExpiringCache>

    init(storage: ExpiringCache) {
        self.storage = Mutex(storage)
    }

    /// The cache beneath; it is another one after the manager was given a directory.
    var underlying: ExpiringCache {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    /// Reads what is stored under a key.
    func read(_ key: CacheKey, maxAge: Duration?, now: Date) async throws(StoreError) -> Lookup {
        switch try await underlying.read(key.text, maxAge: maxAge, now: now) {
        case .miss: .nothing
        case .fresh(let entry): Self.stored(entry).map(Lookup.fresh) ?? .unreadable
        case .stale(let entry): Self.stored(entry).map(Lookup.stale) ?? .unreadable
        }
    }

    /// Removes what is stored under a key; `false` when nothing was.
    func remove(_ key: CacheKey) async throws(StoreError) -> Bool {
        try await underlying.remove(key.text)
    }

    private static func stored(_ entry: CacheEntry) -> Stored? {
        StoredResponse(decoding: entry.metadata).map { Stored(entry: entry, head: $0) }
    }
}

extension PendingCacheWrite {
    /// Carries the write out.
    func commit() async throws(StoreError) {
        switch change {
        case .store(let entry):
            try await cache.underlying.store(entry, for: key.text)
        case .refresh(let entry):
            let isRefreshed = try await cache.underlying.update(
                key.text,
                metadata: entry.metadata,
                storedAt: entry.storedAt,
                expiresAt: entry.expiresAt
            )
            if !isRefreshed {
                // Someone removed the row meanwhile; the answer just confirmed is still worth keeping.
                try await cache.underlying.store(entry, for: key.text)
            }
        }
    }
}
