// SPDX-License-Identifier: MIT

import JobGraphs

extension CallContext {
    /// Returns a call that refreshes the stored response of this one after its delivery, with its own identifier and
    /// time.
    func inBackground(startingAt start: Duration) -> CallContext {
        var policy = policy
        policy.priority = .low
        policy.passesPool = false
        policy.set(EventRelay?.none)
        return another(policy: policy, CallBeginning(id: .next(), start: start).ending(after: policy.timeout))
    }
}
