// SPDX-License-Identifier: MIT

/// The reason why the cache did not serve a stored response.
public enum CacheMissReason: Sendable, Hashable {
    /// Nothing is stored for the request.
    case absent
    /// The stored responses are for other values of the fields that `Vary` names.
    case variant
    /// The stored response is stale, past its time to live, or older than the reader allows.
    case stale
    /// The stored response must be revalidated each time (`no-cache`).
    case noCache
    /// The stored response was invalidated, by a later request or by hand.
    case invalidated
    /// The request requires validation, or a younger response than the stored one.
    case requested
    /// The request has a condition that only the server can evaluate.
    case conditional
    /// Some of the requested bytes are not stored.
    case partial
    /// The stored response cannot be read or decoded.
    case unreadable
    /// The request's method is unsafe.
    case method
    /// The policy or the request bypasses the cache.
    case bypassed
}

extension CacheMissReason {
    /// True if a response stored by another process could be used; false if the request itself requires the server.
    var mayBeCuredByOthers: Bool {
        switch self {
        case .absent, .variant, .stale, .invalidated: true
        case .noCache, .requested, .conditional, .partial, .unreadable, .method, .bypassed: false
        }
    }
}
