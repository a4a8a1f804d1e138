// SPDX-License-Identifier: MIT

/// The decisions of the cache about a call, with their reasons.
///
/// ```swift
/// let response = try await manager.request(.orders).cache().response()
/// print(response.cache)               // stale, confirmed by the server; updated
/// print(response.cache.cacheStatus)   // RestClient; fwd=stale; fwd-status=304; stored
/// ```
public struct CacheExplanation: Sendable, Hashable {
    /// The reason why a stale response was delivered.
    public enum Staleness: Sendable, Hashable {
        /// The request allows it (`max-stale`).
        case allowedByRequest
        /// The server allows it while a fresh one is fetched in the background (`stale-while-revalidate`).
        case whileRevalidating
        /// The server failed and `stale-if-error` allows a stale response, or the server could not be reached and
        /// nothing forbids one.
        case onFailure
    }

    /// The source of the response, with its reason.
    public enum Outcome: Sendable, Hashable {
        /// The cache was not used.
        case notAsked
        /// A stored response was fresh.
        case fresh
        /// A stale response was delivered.
        case stale(Staleness)
        /// A request was sent for this reason, and the server confirmed the stored response with 304.
        case confirmed(CacheMissReason)
        /// A request was sent for this reason, and the server sent a response.
        case forwarded(CacheMissReason)
        /// There was no response: the network was not allowed, or the server could not be reached.
        case refused(CacheMissReason)
    }

    /// The decision about storing the server's response.
    public enum Storing: Sendable, Hashable {
        /// There was no response to store, or the cache was not used.
        case notAsked
        /// It was stored.
        case stored
        /// The stored response was updated.
        case updated
        /// It was not stored.
        case left(CacheRefusal)
    }

    /// The source of the response, with its reason.
    public internal(set) var outcome: Outcome

    /// The decision about storing the server's response.
    public internal(set) var storing: Storing

    /// The age of the delivered stored response; `nil` if none was delivered.
    public internal(set) var age: Duration?

    /// The time for which the delivered stored response is fresh; `nil` if none was delivered or it is not known.
    public internal(set) var lifetime: Duration?

    /// The status of the server's response, when the request was sent to it.
    public internal(set) var forwardedStatus: Int?

    /// True if the response came from the request of an equal call that was under way.
    public internal(set) var isShared = false

    /// True if a stored body was migrated (``CachePolicy/migrating(_:)``).
    public internal(set) var isMigrated = false

    /// True if the response was found in memory only, or is stored there only (``CachePolicy/inMemory()``).
    public internal(set) var isInMemory = false

    static let notAsked = CacheExplanation(.notAsked)

    init(_ outcome: Outcome, storing: Storing = .notAsked) {
        self.outcome = outcome
        self.storing = storing
    }
}

extension CacheExplanation: CustomStringConvertible {
    /// A short description of the decisions.
    public var description: String {
        var words =
            switch outcome {
            case .notAsked: "not asked"
            case .fresh: "fresh"
            case .stale(.allowedByRequest): "stale, allowed by the request"
            case .stale(.whileRevalidating): "stale, refreshed in the background"
            case .stale(.onFailure): "stale, because the server failed"
            case .confirmed(let reason): "\(reason), confirmed by the server"
            case .forwarded(let reason): "\(reason), fetched from the server"
            case .refused(let reason): "\(reason), no response"
            }
        if isMigrated {
            words += ", migrated"
        }
        if isShared {
            return "\(words), shared with an equal call"
        }
        switch storing {
        case .notAsked: return words
        case .stored: return "\(words); stored\(isInMemory ? " in memory" : "")"
        case .updated: return "\(words); updated\(isInMemory ? " in memory" : "")"
        case .left(let refusal): return "\(words); not stored (\(refusal))"
        }
    }
}

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
