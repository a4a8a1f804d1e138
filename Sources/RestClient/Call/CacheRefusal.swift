// SPDX-License-Identifier: MIT

/// The reason why a response was not stored.
public enum CacheRefusal: Sendable, Hashable {
    /// The request says `no-store`.
    case requestForbids
    /// The response says `no-store`.
    case serverForbids
    /// Responses with this status are not stored, or not without an explicit lifetime.
    case status
    /// Responses to this method are not stored.
    case method
    /// The response varies by more than its request (`Vary: *`).
    case variesByAnything
    /// The response is a part that does not say which, or cannot be put together with others.
    case partial
    /// An attempt interceptor added credentials, or changed a field by which the server chooses: the cache cannot tell
    /// whose the response is. Name the user with ``CallConfigurable/cachePartition(_:)``.
    case altered
    /// A redirect on the way to the response must not be reused.
    case redirect
    /// While the response was under way, another request changed the resource.
    case invalidated
    /// The store failed; an event says how.
    case failed
}
