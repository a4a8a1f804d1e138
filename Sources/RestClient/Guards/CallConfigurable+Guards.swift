// SPDX-License-Identifier: MIT

extension CallConfigurable {
    /// Limits how often calls go to a server; any number of times when no level sets it.
    ///
    /// Set for a manager or a server, all calls to the server share the limit. Set for an API, those of the API do, and
    /// only these. A limit of a call holds besides the one that its API, its server or its manager sets, and cannot
    /// free the call from that. The calls of the API that set the same one share it; others neither wait for it nor
    /// count. A call takes its own turn first, and then the one that it shares.
    ///
    /// - Parameter limit: The limit.
    /// - Returns: A changed copy.
    public consuming func rateLimit(_ limit: RateLimit) -> Self {
        option(.rateLimit, limit)
    }

    /// Limits how many calls to a server are under way at once; as many as there are workers when no level sets it.
    ///
    /// Set for a manager or a server, all calls to the server share the limit. Set for an API or a call, those of the
    /// API do. If their limits differ, each of these calls counts them all, and they still wait in one line: one with a
    /// small limit holds up those behind it, because it might never begin if they overtook it. A request that
    /// is sent from inside another one, by an attempt interceptor or a dummy, does not wait.
    ///
    /// - Parameter limit: The limit, as in `8` or `.adaptive()`.
    /// - Returns: A changed copy.
    public consuming func concurrency(_ limit: ConcurrencyLimit) -> Self {
        option(.concurrency, limit)
    }

    /// Refuses calls to a server that fails, for a while; none are refused when no level sets it.
    ///
    /// Set for a manager or a server, all calls to the server share the breaker. Set for an API or a call, those of the
    /// API do.
    ///
    /// - Parameter breaker: When the breaker opens, and for how long.
    /// - Returns: A changed copy.
    public consuming func circuitBreaker(_ breaker: CircuitBreaker) -> Self {
        option(.circuitBreaker, breaker)
    }

    /// Limits how many retries a server is sent; as many as their policies say when no level sets it.
    ///
    /// - Parameter budget: The budget, shared like ``rateLimit(_:)``.
    /// - Returns: A changed copy.
    public consuming func retryBudget(_ budget: RetryBudget) -> Self {
        option(.retryBudget, budget)
    }
}

extension CallOptionKey<RateLimit> {
    static var rateLimit: Self { Self("rate limit", comparison: .byValue, needs: .admission) { $0.description } }
}

extension CallOptionKey<ConcurrencyLimit> {
    static var concurrency: Self { Self("concurrency", comparison: .byValue, needs: .admission) { $0.description } }
}

extension CallOptionKey<CircuitBreaker> {
    static var circuitBreaker: Self {
        Self("circuit breaker", comparison: .byValue, needs: .circuit) { $0.description }
    }
}

extension CallOptionKey<RetryBudget> {
    static var retryBudget: Self {
        // The calls without a retry count, too.
        Self("retry budget", comparison: .byValue, needs: [.retry, .retryBudget]) { $0.description }
    }
}
