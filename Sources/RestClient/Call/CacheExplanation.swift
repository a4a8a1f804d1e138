// SPDX-License-Identifier: MIT

/// An account of what the cache did about a call, and why.
///
/// ```swift
/// let response = try await manager.request(.orders).cache().response()
/// print(response.cache)               // stale, confirmed by the server; updated
/// print(response.cache.cacheStatus)   // RestClient; fwd=stale; fwd-status=304; stored
/// ```
public struct CacheExplanation: Sendable, Hashable {
    /// Why a stored response that is not fresh was delivered all the same.
    public enum Staleness: Sendable, Hashable {
        /// The request accepts it (`max-stale`).
        case allowedByRequest
        /// The server allows it while a fresh one is fetched in the background (`stale-while-revalidate`).
        case whileRevalidating
        /// The server failed, and the stored response may stand in: `stale-if-error` allows it, or the server could not
        /// be reached and nothing forbids it.
        case onFailure
    }

    /// Where the response came from, and why.
    public enum Outcome: Sendable, Hashable {
        /// The cache was not asked.
        case notAsked
        /// A stored response was fresh.
        case fresh
        /// A stored response was good enough though it was not fresh.
        case stale(Staleness)
        /// The stored response did for that reason not do by itself, and the server confirmed it with 304.
        case confirmed(CacheMissReason)
        /// The server responded, because the cache could not.
        case forwarded(CacheMissReason)
        /// There is no response: the network was not to be asked, or could not be reached.
        case refused(CacheMissReason)
    }

    /// The decision about storing the server's response.
    public enum Storing: Sendable, Hashable {
        /// Nothing: there was none, or the cache was not asked.
        case notAsked
        /// It was stored.
        case stored
        /// The stored response was brought up to date.
        case updated
        /// It was not stored.
        case left(CacheRefusal)
    }

    /// Where the response came from, and why.
    public internal(set) var outcome: Outcome

    /// The decision about storing the server's response.
    public internal(set) var storing: Storing

    /// The age of a delivered stored response; `nil` when none was.
    public internal(set) var age: Duration?

    /// The time for which a delivered stored response is fresh; `nil` when none was delivered or nobody says.
    public internal(set) var lifetime: Duration?

    /// The status of the server's response, when the request was sent to it.
    public internal(set) var forwardedStatus: Int?

    /// True if the response is that of an equal call which was under way.
    public internal(set) var isShared = false

    /// True if a stored body was migrated (``CachePolicy/migrating(_:)``).
    public internal(set) var isMigrated = false

    /// The cache was not asked.
    static let notAsked = CacheExplanation(.notAsked)

    init(_ outcome: Outcome, storing: Storing = .notAsked) {
        self.outcome = outcome
        self.storing = storing
    }
}

extension CacheExplanation: CustomStringConvertible {
    /// The account in a few words.
    public var description: String {
        var words =
            switch outcome {
            case .notAsked: "not asked"
            case .fresh: "fresh"
            case .stale(.allowedByRequest): "stale, as the request accepts"
            case .stale(.whileRevalidating): "stale, while a fresh response is fetched"
            case .stale(.onFailure): "stale, as the server failed"
            case .confirmed(let reason): "\(reason), confirmed by the server"
            case .forwarded(let reason): "\(reason), answered by the server"
            case .refused(let reason): "\(reason), not answered"
            }
        if isMigrated {
            words += ", migrated"
        }
        if isShared {
            return "\(words), together with an equal call"
        }
        switch storing {
        case .notAsked: return words
        case .stored: return "\(words); stored"
        case .updated: return "\(words); updated"
        case .left(let refusal): return "\(words); not stored (\(refusal))"
        }
    }
}
