// SPDX-License-Identifier: MIT

extension CallContext {
    /// Returns a call that stands for calls which share one request: the first of them, but for its deadline and its
    /// events.
    func forSharing() -> CallContext {
        var policy = policy
        policy.deadline = nil
        policy.set(EventRelay())
        return with(policy: policy)
    }
}
