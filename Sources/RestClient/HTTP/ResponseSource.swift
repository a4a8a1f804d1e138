// SPDX-License-Identifier: MIT

/// Where a response came from.
public enum ResponseSource: Sendable, Hashable {
    /// From the server, now.
    case network
    /// From the cache, stored so long ago.
    case cache(age: Duration)
    /// From the cache, after the server confirmed with 304 that it is still the same.
    case revalidatedCache
    /// From a dummy responder.
    case dummy
    /// From a result handler that turned a failure into a model; there was no response.
    case resultHandler

    /// Whether the body came from the cache.
    public var isCache: Bool {
        switch self {
        case .cache, .revalidatedCache: true
        case .network, .dummy, .resultHandler: false
        }
    }
}
