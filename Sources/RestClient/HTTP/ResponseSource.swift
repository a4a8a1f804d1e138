// SPDX-License-Identifier: MIT

/// The origin of a response.
public enum ResponseSource: Sendable, Hashable {
    /// The server, for this call.
    case network
    /// The cache, with the age of the stored response.
    case cache(age: Duration)
    /// The cache, after the server confirmed the stored response with 304.
    case revalidatedCache
    /// A dummy responder.
    case dummy
    /// A result handler that turned a failure into a model; there was no response.
    case resultHandler
    /// A value that replaced a failure; see ``CallConfigurable/fallback(_:when:)``.
    case fallback

    /// True if the body came from the cache.
    public var isCache: Bool {
        switch self {
        case .cache, .revalidatedCache: true
        case .network, .dummy, .resultHandler, .fallback: false
        }
    }
}
