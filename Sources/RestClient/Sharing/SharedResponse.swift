// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

/// The response to a request that several calls share.
struct SharedResponse<Content: Sendable>: Sendable {
    var content: Content

    /// True if every caller may use it, and not only the one that started the request.
    var isForAnyone: Bool

    /// The effect that the request may have had on the server; `nil` for none.
    var effect: SharedEffect?

    /// The action that must run once, for one of the callers; until then, new callers receive the same response.
    var duty: ReleaseOnce?
}

/// The effect of a request that several calls share, so that those that did not send it do not repeat it.
final class SharedEffect: Sendable {
    let facts: CallContext.Facts

    private init(_ facts: CallContext.Facts) {
        self.facts = facts
    }

    /// Returns the effect of a call's requests after a number of unsafe ones; `nil` if they had none.
    static func of(_ call: CallContext, since count: Int) -> SharedEffect? {
        var facts = call.facts
        facts.unsafeCount -= count
        return facts.unsafeCount > 0 ? SharedEffect(facts) : nil
    }
}

/// The failure of a request that several calls share, and that may have had an effect.
struct SharedFailure: Error {
    let error: any Error
    let effect: SharedEffect
}

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
        UnsafeEffects.begin(in: effects)
    }

    /// Adds the effect of an equal call's request that failed, or that this call does not wait for any longer.
    func adoptFailure(_ error: any Error) {
        if error is CancellationError {
            // Nobody knows yet what the request will have done.
            if policy.options.isUnsafe(method) {
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
