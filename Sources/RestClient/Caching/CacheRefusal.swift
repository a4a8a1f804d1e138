// SPDX-License-Identifier: MIT

/// Why an answer was not stored.
public enum CacheRefusal: Sendable, Hashable {
    /// The request says `no-store`.
    case requestForbids
    /// The answer says `no-store`.
    case serverForbids
    /// Answers of this status are not stored, or not without a word of how long.
    case status
    /// Answers to this method are not stored.
    case method
    /// The answer varies by more than its request (`Vary: *`).
    case variesByAnything
    /// The answer is a part that does not say which, or cannot be put together with others.
    case partial
    /// An attempt interceptor added credentials, or changed a field by which the server chooses: the cache cannot tell whose
    /// the answer is. Name the user with ``RequestNode/cachePartition(_:)``.
    case altered
    /// A redirect on the way to the answer must not be reused.
    case redirect
    /// While the answer was under way, another request changed the resource.
    case invalidated
    /// The store failed; an event says how.
    case failed
}
