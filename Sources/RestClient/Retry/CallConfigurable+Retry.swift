// SPDX-License-Identifier: MIT

public import JobGraphs

extension CallConfigurable {
    /// Repeats attempts that failed; no attempt is repeated when no level sets a policy.
    ///
    /// ```swift
    /// manager.options = manager.options.retry(.standard)
    /// manager.apis[.pay] = API(.post, "/pay").retry(.never)
    /// ```
    ///
    /// All attempts together keep the call's ``timeout(_:)``. Each asks header providers and token sources again, and a
    /// wait between two of them holds no worker slot. A request that may have had its effect is not repeated; see
    /// ``/JobGraphs/RetryPolicy``.
    ///
    /// - Parameter policy: The policy; ``/JobGraphs/RetryPolicy/never`` for one attempt.
    /// - Returns: A changed copy.
    public consuming func retry(_ policy: RetryPolicy) -> Self {
        options[.retry] = policy
        return self
    }

    /// Repeats attempts that failed, with the waits of ``/JobGraphs/RetryPolicy/standard``.
    ///
    /// - Parameter attempts: How many attempts there are at most, the first one included.
    /// - Returns: A changed copy.
    public consuming func retry(_ attempts: Int) -> Self {
        retry(RetryPolicy(attempts: attempts))
    }
}

extension CallOptionKey<RetryPolicy> {
    static var retry: Self { Self("retry", decidesResponse: true) { "at most \($0.attempts) attempts" } }
}
