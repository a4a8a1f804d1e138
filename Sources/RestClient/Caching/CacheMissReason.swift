// SPDX-License-Identifier: MIT

/// Why the cache did not answer.
public enum CacheMissReason: Sendable, Hashable {
    /// Nothing is stored for the request.
    case absent
    /// What is stored is too old for the reader, or past its time to live.
    case stale
    /// What is stored cannot be read or decoded any more.
    case unreadable
    /// The policy does not ask the cache.
    case bypassed
}
