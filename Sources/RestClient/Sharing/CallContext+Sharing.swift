// SPDX-License-Identifier: MIT

extension CallContext {
    /// Returns the call for which a shared request runs: a copy of the first caller's, without its deadline, whose
    /// events are passed to the leader.
    func forSharing() -> CallContext {
        var policy = policy
        policy.set(EventRelay())
        return with(policy: policy) { $0.deadline = nil }
    }
}
