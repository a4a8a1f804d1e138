// SPDX-License-Identifier: MIT

public import JobGraphs

extension CallConfigurable {
    /// Retries failed attempts; without a policy at any level, no attempt is retried.
    ///
    /// ```swift
    /// manager.options = manager.options.retry(.standard)
    /// manager.apis[.pay] = API(.post, "/pay").retry(.never)
    /// ```
    ///
    /// All attempts together are limited by the call's ``timeout(_:)``. Each one calls header providers and token
    /// sources again, and the wait between two attempts holds no worker slot. A request that may already have had an
    /// effect is not retried; see ``/JobGraphs/RetryPolicy``.
    ///
    /// The rule of a policy (``/JobGraphs/RetryPolicy/isRetryable``) receives a ``RestClientError``, whose response has
    /// the status, the fields and the body. For an API that reports failures with a good status, let an attempt
    /// interceptor throw an error for such a response.
    ///
    /// - Parameter policy: The policy; ``/JobGraphs/RetryPolicy/never`` for one attempt.
    /// - Returns: A changed copy.
    public consuming func retry(_ policy: RetryPolicy) -> Self {
        options[.retry] = policy
        return self
    }

    /// Retries failed attempts, with the waits of ``/JobGraphs/RetryPolicy/standard``.
    ///
    /// - Parameter attempts: The maximum number of attempts, including the first one.
    /// - Returns: A changed copy.
    public consuming func retry(_ attempts: Int) -> Self {
        retry(RetryPolicy(attempts: attempts))
    }
}

extension CallOptionKey<RetryPolicy> {
    static var retry: Self {
        Self("retry", decidesResponse: true, comparison: .byTerms, needs: .retry) { "at most \($0.attempts) attempts" }
    }
}

extension CallOptionComparison<RetryPolicy> {
    /// Compares policies without a rule of their own, which is a closure.
    fileprivate static var byTerms: Self {
        Self(
            areEqual: { left, right in
                left.isRetryable == nil && right.isRetryable == nil && left.attempts == right.attempts
                    && left.baseDelay == right.baseDelay && left.multiplier == right.multiplier
                    && left.maxDelay == right.maxDelay && left.usesJitter == right.usesJitter
                    && left.retriesUnsafeRequests == right.retriesUnsafeRequests
            },
            hash: { policy, hasher in
                hasher.combine(policy.attempts)
                hasher.combine(policy.baseDelay)
                hasher.combine(policy.maxDelay)
            }
        )
    }
}
