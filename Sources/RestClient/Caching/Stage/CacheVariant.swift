// SPDX-License-Identifier: MIT

/// The parts that equal requests must also have in common to share a response of the cache.
struct CacheVariant: Hashable, Sendable {
    /// The key under which the response is stored; it keeps users apart.
    let key: CacheKey
    let policy: CachePolicy
}
