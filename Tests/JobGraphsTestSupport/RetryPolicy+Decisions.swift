// SPDX-License-Identifier: MIT

package import JobGraphs
import RestEssentials

extension RetryPolicy {
    /// An error that no policy knows.
    package struct UnknownError: Error {
        package init() {}
    }

    /// A policy whose waits are not random: a second, two, four and so on.
    package static func steady(_ attempts: Int) -> RetryPolicy {
        var policy = RetryPolicy(attempts: attempts)
        policy.backoff.jitter = 0
        policy.backoff.first = .seconds(1)
        return policy
    }

    /// Returns the decision after an attempt that failed at a fixed time of day.
    package func decision(
        after error: any Error = UnknownError(),
        attempt: Int = 1,
        remaining: Duration? = nil,
        seed: UInt64 = 1
    ) -> Decision {
        var generator = SplitMix64(seed: seed)
        return decision(
            after: AttemptFailure(of: error, now: Date(timeIntervalSince1970: 1_800_000_000)),
            attempt: attempt,
            remaining: remaining,
            using: &generator
        )
    }
}
