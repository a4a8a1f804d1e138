// SPDX-License-Identifier: MIT

import JobGraphs

extension CallContext {
    /// Returns a call that refreshes the stored response of this one after it was delivered, with its own identifier
    /// and time.
    func inBackground(startingAt start: Duration) -> CallContext {
        var identity = identity
        identity.id = .next()
        identity.groupID = nil
        var policy = policy
        policy.deadline = policy.timeout.map { start + $0 }
        policy.priority = .low
        policy.passesPool = false
        policy.set(EventRelay?.none)
        return with(identity: identity, start: start, policy: policy)
    }
}
