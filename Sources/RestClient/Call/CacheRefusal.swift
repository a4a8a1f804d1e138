// SPDX-License-Identifier: MIT

/// The reason why a response was not stored.
public enum CacheRefusal: Sendable, Hashable {
    /// The request says `no-store`.
    case requestForbids
    /// The response says `no-store`.
    case serverForbids
    /// Responses with this status are not cacheable, or only with an explicit lifetime.
    case status
    /// Responses to this method are not cacheable.
    case method
    /// The response varies by more than its request (`Vary: *`).
    case variesByAnything
    /// The response is partial, and its range is not known or it cannot be combined with the stored bytes.
    case partial
    /// An attempt interceptor added credentials or changed a field that `Vary` names, so the owner of the response is
    /// unknown. Name the user with ``CallConfigurable/cachePartition(_:)``.
    case altered
    /// A redirect that led to the response must not be reused.
    case redirect
    /// Another request changed the resource in the meantime.
    case invalidated
    /// The response to a later request is stored already.
    case superseded
    /// The closure of ``CachePolicy/storing(where:)`` does not allow it.
    case unwanted
    /// The store failed; the event `cacheFailed` contains the error.
    case failed
}
