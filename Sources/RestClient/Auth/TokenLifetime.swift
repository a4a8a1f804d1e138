// SPDX-License-Identifier: MIT

import RestEssentials

/// Estimates how long tokens live that do not say when they expire, from the ages at which servers refuse them.
///
/// One refusal may be a sign-out or a server's restart; two of similar age are a lifetime. The estimate grows a little
/// with each token that was replaced ahead of its end, so that one that was too short recovers, at the price of a
/// refusal now and then.
struct TokenLifetime: Equatable {
    /// The lifetime; `nil` as long as it is not known.
    private(set) var estimate: TimeInterval?

    private var lastAge: TimeInterval?

    /// Notes that a token was refused which had been accepted before.
    ///
    /// - Parameter age: How long ago the token was issued.
    mutating func note(refusedAt age: TimeInterval) {
        guard age > 0 else {
            return
        }
        if let lastAge, (lastAge / 2...lastAge * 2).contains(age) {
            estimate = min(age, lastAge)
        } else {
            estimate = nil
        }
        lastAge = age
    }

    /// Notes that a token was replaced ahead of the estimated end.
    ///
    /// - Parameter margin: How long before that end.
    mutating func note(replacedAhead margin: TimeInterval) {
        estimate? += margin / 8
    }
}
