// SPDX-License-Identifier: MIT

import RestEssentials

/// The response to a request that several calls share.
struct SharedResponse<Content: Sendable>: Sendable {
    var content: Content

    /// True if every caller may use it, and not only the one that started the request.
    var isForAnyone: Bool

    /// The effect that the request may have had on the server; `nil` for none.
    var effect: SharedEffect?

    /// The action that must run once, for one of the callers.
    ///
    /// Until it runs, new callers receive the same response.
    var duty: ReleaseOnce?
}

/// The effect of a request that several calls share, for the calls that did not send it.
///
/// Without it, they would repeat an unsafe request because they sent none themselves.
final class SharedEffect: Sendable {
    let facts: CallFacts

    private init(_ facts: CallFacts) {
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
