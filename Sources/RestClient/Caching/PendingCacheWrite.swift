// SPDX-License-Identifier: MIT

import SharedStore

/// What the cache stage wants stored; it is written once the model has decoded, and dropped otherwise.
struct PendingCacheWrite: Sendable {
    enum Change: Sendable {
        case store(CacheEntry)
        /// The server confirmed the stored answer: only head and age change.
        case refresh(CacheEntry)
    }

    let cache: ResponseCache
    let key: CacheKey
    let change: Change

    /// Whether it only makes what is stored fresh again.
    var isRefresh: Bool {
        if case .refresh = change { true } else { false }
    }
}
