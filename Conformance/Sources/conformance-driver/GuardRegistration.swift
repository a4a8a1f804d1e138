// SPDX-License-Identifier: MIT

import RestClient

/// The guards in the registration of a server.
enum GuardRegistration {
    /// The values of `breaker`.
    struct Breaker: Decodable {
        let failures: Int
        let windowMs: Int?
        let openMs: Int?
    }

    /// The values of `retryBudget`.
    struct Budget: Decodable {
        let ratio: Double?
        let minPerSecond: Double?
    }

    static let breakerMembers = Members(["failures", "windowMs", "openMs"])
    static let budgetMembers = Members(["ratio", "minPerSecond"])
}

extension GuardRegistration.Breaker {
    /// The same breaker as the library describes it.
    var breaker: CircuitBreaker {
        let standard = CircuitBreaker.standard
        return .failures(
            failures,
            within: windowMs.map { .milliseconds($0) } ?? standard.window,
            opensFor: openMs.map { .milliseconds($0) } ?? standard.openDuration
        )
    }
}

extension GuardRegistration.Budget {
    /// The same budget as the library describes it.
    var budget: RetryBudget {
        let standard = RetryBudget.standard
        return RetryBudget(
            ratio: ratio ?? standard.ratio,
            minimumPerSecond: minPerSecond ?? standard.minimumPerSecond
        )
    }
}
