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
    /// sources again, and the wait between two attempts holds no worker slot. These failures are retried by default:
    /// network errors, timeouts, the statuses 408, 425, 429, 500, 502, 503 and 504, and errors of your own code that
    /// were not caused by another failure. A wait that the server asks for with `Retry-After` is kept.
    ///
    /// A request with an unsafe method is retried only if it was not sent, because no connection could be made, or if
    /// the server says that it did not handle it (a status from 400 to 499 other than 408, or 503 with `Retry-After`).
    /// One with an ``idempotencyKey(_:field:)``, or that is ``idempotent(_:)``, is retried like a `PUT`;
    /// ``/JobGraphs/RetryPolicy/retriesUnsafeWork`` allows more, at the risk of two effects.
    ///
    /// The rule of a policy (``/JobGraphs/RetryPolicy/isRetryable``) receives a ``RestClientError``, whose response has
    /// the status, the fields and the body. For an API that reports failures with a good status, let an attempt
    /// interceptor throw an error for such a response.
    ///
    /// - Parameter policy: The policy; ``/JobGraphs/RetryPolicy/never`` for one attempt. A literal, as in `retry(3)`,
    ///   is the maximum number of attempts, including the first one.
    /// - Returns: A changed copy.
    public consuming func retry(_ policy: RetryPolicy) -> Self {
        option(.retry, policy)
    }
}

extension CallOptionKey<RetryPolicy> {
    static var retry: Self {
        Self("retry", decidesResponse: true, comparison: .byTerms, needs: .retry) { "at most \($0.attempts) attempts" }
    }
}

extension CallOptionKey<RetryPolicy>.Comparison {
    /// Compares policies by their values; a policy with a closure as its rule equals no other.
    fileprivate static var byTerms: Self {
        Self(
            areEqual: { left, right in
                left.isRetryable == nil && right.isRetryable == nil && left.attempts == right.attempts
                    && left.backoff == right.backoff && left.retriesUnsafeWork == right.retriesUnsafeWork
            },
            hash: { policy, hasher in
                hasher.combine(policy.attempts)
                hasher.combine(policy.backoff)
            }
        )
    }
}
