// SPDX-License-Identifier: MIT

import RestEssentials

/// Estimates the lifetime of tokens without an expiry, from the ages at which servers reject them.
///
/// One rejection may be a sign-out or a restart of the server; two at similar ages indicate a lifetime. The estimate
/// grows slightly with each token that is replaced early, so an estimate that is too short recovers, at the price of an
/// occasional rejection.
struct TokenLifetime: Equatable {
    private(set) var estimate: TimeInterval?

    private var lastAge: TimeInterval?

    /// Records that a token was rejected after it had been accepted.
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

    /// Records that a token was replaced before its estimated end.
    mutating func note(replacedAhead margin: TimeInterval) {
        estimate? += margin / 8
    }
}
