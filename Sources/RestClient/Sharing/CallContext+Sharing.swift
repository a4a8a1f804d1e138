// SPDX-License-Identifier: MIT

import JobGraphs

extension CallContext {
    /// Returns the branch for which a shared request runs, whose events are passed to the leader.
    func forSharing() -> CallContext {
        var policy = policy
        policy.set(EventRelay())
        return shared(policy: policy)
    }

    /// Adds the effect of an equal call's request, whose result this call received.
    func adopt(_ effect: SharedEffect) {
        learn { $0.adopt(effectOf: effect.facts) }
        if effect.facts.unsafeCount > 0 {
            UnsafeEffects.begin(in: effects)
        }
    }

    /// Adds the effect of an equal call's request that failed, or that this call does not wait for any longer.
    func adoptFailure(_ error: any Error) {
        if error is CancellationError {
            // Nobody knows yet what the request will have done.
            let isUnsafe = policy.options.isUnsafe(method)
            if isUnsafe {
                learn { $0.unsafeCount += 1 }
                UnsafeEffects.begin(in: effects)
            }
            return
        }
        tell("an equal call had sent the request, which failed")
        if let failure = error as? SharedFailure {
            adopt(failure.effect)
        }
    }
}
