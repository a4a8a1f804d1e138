// SPDX-License-Identifier: MIT

/// The reason why the cache did not respond by itself.
public enum CacheMissReason: Sendable, Hashable {
    /// Nothing is stored for the request.
    case absent
    /// Responses are stored, but to requests with other values of the fields by which the server chooses.
    case variant
    /// The stored response is too old for the reader, past its time to live, or no longer fresh.
    case stale
    /// The server wants to be asked each time (`no-cache`).
    case noCache
    /// A later request changed the resource, or the entry was marked as stale.
    case invalidated
    /// The request wants a younger response than the stored one, or one that was just confirmed.
    case requested
    /// The request has a condition that only the server can judge.
    case conditional
    /// Some of the bytes asked for are not stored.
    case partial
    /// The stored response cannot be read or decoded any more.
    case unreadable
    /// The request changes something.
    case method
    /// The policy or the request does not ask the cache.
    case bypassed
}

extension CacheMissReason {
    /// True if another process that asks for the same may store a response that will do; not when this very request wants the
    /// server's word.
    var mayBeCuredByOthers: Bool {
        switch self {
        case .absent, .variant, .stale, .invalidated: true
        case .noCache, .requested, .conditional, .partial, .unreadable, .method, .bypassed: false
        }
    }
}
