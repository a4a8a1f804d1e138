// SPDX-License-Identifier: MIT

extension CacheExplanation {
    /// Returns the decisions in sentences; ``description`` is shorter.
    ///
    /// ```swift
    /// print(try await manager.request(.orders).cache().response().cache.explain())
    /// // A request was sent because the stored response is stale; the server confirmed the stored response (304).
    /// // The stored response was updated.
    /// ```
    ///
    /// - Returns: The sentences, in one line.
    public func explain() -> String {
        var sentences = [outcomeSentence]
        if isMigrated {
            sentences.append("Its body was migrated from an older format.")
        }
        if isShared {
            sentences.append("The request was shared with an equal call.")
        }
        switch storing {
        case .notAsked: if isInMemory { sentences.append("It is stored in memory only.") }
        case .stored: sentences.append("The response was stored\(isInMemory ? " in memory only" : "").")
        case .updated: sentences.append("The stored response was updated\(isInMemory ? ", in memory only" : "").")
        case .left(let refusal): sentences.append("It was not stored because \(refusal.clause).")
        }
        return sentences.joined(separator: " ")
    }

    private var outcomeSentence: String {
        switch outcome {
        case .notAsked:
            return "The cache was not used: the policy of the call is networkOnly."
        case .fresh:
            return "A stored response was young enough\(figures), and no request was sent."
        case .stale(let staleness):
            return "A stale response was delivered\(figures) because \(clause(staleness))."
        case .confirmed(let reason):
            return "A request was sent because \(reason.clause); the server confirmed the stored response (304)."
        case .forwarded(let reason):
            let status = forwardedStatus.map { " (\($0))" } ?? ""
            return "A request was sent because \(reason.clause); the server responded\(status)."
        case .refused(let reason):
            return "There was no response: \(reason.clause), and the network was not allowed or could not be reached."
        }
    }

    private var figures: String {
        guard let age else {
            return ""
        }
        let limit = lifetime.map { ", fresh for \($0.components.seconds) s" } ?? ""
        return " (\(age.components.seconds) s old\(limit))"
    }

    private func clause(_ staleness: Staleness) -> String {
        switch staleness {
        case .allowedByRequest: "the request allows it (max-stale)"
        case .whileRevalidating: "a fresh one is fetched in the background (stale-while-revalidate)"
        case .onFailure: "the server failed" + (forwardedStatus.map { " (\($0))" } ?? " or could not be reached")
        }
    }
}

extension CacheMissReason {
    fileprivate var clause: String {
        switch self {
        case .absent: "nothing is stored for the request"
        case .variant: "the stored responses are for other header fields (Vary)"
        case .stale: "the stored response is stale"
        case .noCache: "the stored response must be revalidated each time (no-cache)"
        case .invalidated: "the stored response was invalidated"
        case .requested: "the request or its policy requires validation"
        case .conditional: "only the server can evaluate the condition of the request"
        case .partial: "some of the requested bytes are not stored"
        case .unreadable: "the stored response can no longer be read or decoded"
        case .method: "the method of the request is unsafe"
        case .bypassed: "the request or its policy bypasses the cache"
        }
    }
}

extension CacheRefusal {
    fileprivate var clause: String {
        switch self {
        case .requestForbids: "the request forbids it (no-store)"
        case .serverForbids: "the server forbids it (no-store)"
        case .status: "its status is not cacheable, or only with an explicit lifetime"
        case .method: "responses to its method are not cacheable"
        case .variesByAnything: "it varies by more than the request (Vary: *)"
        case .partial: "it is partial, and cannot be combined with the stored bytes"
        case .altered: "an attempt interceptor changed its credentials, so its owner is not known (see cachePartition)"
        case .redirect: "a redirect that led to it must not be reused"
        case .invalidated: "another request changed the resource in the meantime"
        case .superseded: "the response to a later request is stored already"
        case .unwanted: "the policy does not want it"
        case .failed: "the store failed (see the event cacheFailed)"
        }
    }
}
