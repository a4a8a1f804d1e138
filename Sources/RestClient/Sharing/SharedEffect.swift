// SPDX-License-Identifier: MIT

/// The effect of a request that several calls share, for the calls that did not send it.
///
/// Without it, they would repeat an unsafe request because they sent none themselves.
final class SharedEffect: Sendable {
    let facts: CallFacts

    private init(_ facts: CallFacts) {
        self.facts = facts
    }

    /// Returns the effect of a call's requests; `nil` if they had none.
    static func of(_ call: CallContext) -> SharedEffect? {
        call.learn { $0.unsafeCount == 0 ? nil : SharedEffect($0) }
    }
}
