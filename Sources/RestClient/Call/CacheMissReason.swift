// SPDX-License-Identifier: MIT

/// The reason why the cache did not serve a response by itself.
public enum CacheMissReason: Sendable, Hashable {
    /// Nothing is stored for the request.
    case absent
    /// Responses are stored, but to requests with other values of the fields by which the server chooses.
    case variant
    /// The stored response is too old for the reader, past its time to live, or no longer fresh.
    case stale
    /// The server wants to be asked each time (`no-cache`).
    case noCache
    /// A later request changed the resource, or the entry was invalidated.
    case invalidated
    /// The request wants a younger response than the stored one, or only one that was just validated.
    case requested
    /// The request has a condition that only the server can judge.
    case conditional
    /// Some of the requested bytes are not stored.
    case partial
    /// The stored response can no longer be read or decoded.
    case unreadable
    /// The request's method is unsafe.
    case method
    /// The policy or the request does not ask the cache.
    case bypassed
}

extension CacheMissReason {
    /// A Boolean value that tells whether another process that asks for the same may store a response that does: not if
    /// this very request wants the server's word.
    var mayBeCuredByOthers: Bool {
        switch self {
        case .absent, .variant, .stale, .invalidated: true
        case .noCache, .requested, .conditional, .partial, .unreadable, .method, .bypassed: false
        }
    }
}
