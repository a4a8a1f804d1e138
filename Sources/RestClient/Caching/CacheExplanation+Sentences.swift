// SPDX-License-Identifier: MIT

extension Response {
    /// Returns an account of what the cache did about the call, and why, in sentences; ``cache`` has it as values.
    ///
    /// ```swift
    /// print(try await manager.request(.orders).cache().response().explain())
    /// // The server was asked, as what is stored is no longer fresh, and confirmed the stored response (304).
    /// // The stored response was brought up to date.
    /// ```
    ///
    /// - Returns: The sentences, in one line.
    public func explain() -> String { cache.explain() }
}

extension CacheExplanation {
    /// Returns the account in sentences; ``description`` has it in a few words.
    ///
    /// - Returns: The sentences, in one line.
    public func explain() -> String {
        var sentences = [outcomeSentence]
        if isMigrated {
            sentences.append("Its body was of an older form, and was migrated.")
        }
        if isShared {
            sentences.append("An equal call was under way, and both shared its request.")
        }
        switch storing {
        case .notAsked: break
        case .stored: sentences.append("The response was stored.")
        case .updated: sentences.append("The stored response was brought up to date.")
        case .left(let refusal): sentences.append("It was not stored, as \(refusal.clause).")
        }
        return sentences.joined(separator: " ")
    }

    private var outcomeSentence: String {
        switch outcome {
        case .notAsked:
            return "The cache was not asked, as neither the call nor its operation nor the manager wants it."
        case .fresh:
            return "A stored response was good enough\(figures); the server was not asked."
        case .stale(let staleness):
            return "A stored response was delivered though it is no longer fresh\(figures), as \(clause(staleness))."
        case .confirmed(let reason):
            return "The server was asked, as \(reason.clause), and confirmed the stored response (304)."
        case .forwarded(let reason):
            let status = forwardedStatus.map { " (\($0))" } ?? ""
            return "The cache had no response to give, as \(reason.clause); the server responded\(status)."
        case .refused(let reason):
            return
                "There is no response: the cache had no response to give, as \(reason.clause), and the server was not to be "
                + "asked, or could not be reached."
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
        case .allowedByRequest: "the request accepts that (max-stale)"
        case .whileRevalidating: "a fresh one is fetched in the background (stale-while-revalidate)"
        case .onFailure: "the server failed" + (forwardedStatus.map { " (\($0))" } ?? ", or could not be reached")
        }
    }
}

extension CacheMissReason {
    /// The reason as the end of a sentence.
    fileprivate var clause: String {
        switch self {
        case .absent: "nothing is stored for the request"
        case .variant: "what is stored belongs to requests with other header fields (Vary)"
        case .stale: "what is stored is no longer fresh"
        case .noCache: "the server wants to be asked each time (no-cache)"
        case .invalidated: "a later request changed the resource, or it was marked as stale"
        case .requested: "the request or its policy wants the server's word"
        case .conditional: "only the server can judge the request's condition"
        case .partial: "some of the bytes asked for are not stored"
        case .unreadable: "what is stored cannot be read or decoded any more"
        case .method: "the request changes something"
        case .bypassed: "the request or its policy does not ask the cache"
        }
    }
}

extension CacheRefusal {
    /// The reason as the end of a sentence.
    fileprivate var clause: String {
        switch self {
        case .requestForbids: "the request forbids it (no-store)"
        case .serverForbids: "the server forbids it (no-store)"
        case .status: "responses with this status are not stored, or not without an explicit lifetime"
        case .method: "responses to this method are not stored"
        case .variesByAnything: "the response varies by more than its request (Vary: *)"
        case .partial: "the response is a part that does not say which, or cannot be put together with others"
        case .altered: "an attempt interceptor added credentials, so nobody knows whose it is (see cachePartition)"
        case .redirect: "a redirect on the way to it must not be reused"
        case .invalidated: "another request changed the resource meanwhile"
        case .failed: "the store failed; an event says how"
        }
    }
}
