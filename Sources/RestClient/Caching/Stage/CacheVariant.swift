// SPDX-License-Identifier: MIT

/// The properties that equal requests must also share to share a cached response.
struct CacheVariant: Hashable, Sendable {
    /// The key under which the response is stored; it separates users.
    let key: CacheKey
    let policy: CachePolicy
}
