// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

/// The words of `explainOptions()` and of errors for an option.
@Suite
struct OptionTextTests {
    @Test(arguments: [
        (RateLimit.perSecond(5), "5 calls in 1.0 seconds"),
        (.count(30, per: .seconds(60), burst: 3), "30 calls in 60.0 seconds, 3 at once"),
        (.count(2, per: .milliseconds(500)).sharedAcrossProcesses(), "2 calls in 0.5 seconds, all processes together"),
        (.window(100, per: .seconds(60)), "100 calls in any 60.0 seconds"),
        (
            .window(2, per: .seconds(1)).sharedAcrossProcesses(),
            "2 calls in any 1.0 seconds, all processes together"
        ),
        (.learned, "as the server says"),
    ])
    func `a rate limit is described by its numbers`(limit: RateLimit, text: String) {
        #expect("\(limit)" == text)
    }

    @Test(arguments: [
        (ConcurrencyLimit.fixed(3), "3 at once"), (4, "4 at once"),
        (ConcurrencyLimit.adaptive(initial: 8, within: 2...50), "2 to 50 at once, as the server bears"),
    ])
    func `a limit of concurrency is described by its numbers`(limit: ConcurrencyLimit, text: String) {
        #expect("\(limit)" == text)
    }

    @Test(arguments: [
        (0.5, "50 %"), (0.29, "29 %"), (1.0, "100 %"), (0.0, "0 %"), (2.5, "250 %"), (-0.5, "-50 %"), (1e30, "1e+32 %"),
        (.infinity, "inf %"), (.nan, "nan %"),
    ])
    func `a breaker is described whatever its ratio is`(ratio: Double, share: String) {
        var breaker = CircuitBreaker.standard
        breaker.failureRatio = ratio

        #expect("\(breaker)".hasPrefix("opens when \(share) of at least \(breaker.minimumCalls) calls in "))
    }

    @Test(arguments: [
        (RedirectPolicy.follow, "follow 10"), (.follow(limit: -1), "follow 0"), (.manual, "manual"),
        (.refuse, "refuse"),
        (.follow(limit: 2).allowingPlainHTTP(), "follow 2, also to plain HTTP"),
    ])
    func `a policy for redirects is described by its mode`(policy: RedirectPolicy, text: String) {
        #expect("\(policy)" == text)
    }

    @Test(arguments: [
        (HeaderLimit(fields: 5, bytes: 80), "5 fields, 80 bytes"), (HeaderLimit(fields: .max, bytes: 80), "80 bytes"),
        (HeaderLimit(fields: 5, bytes: .max), "5 fields"), (HeaderLimit(fields: .max, bytes: .max), "none"),
    ])
    func `a limit of the header is described by what it limits`(limit: HeaderLimit, text: String) {
        #expect(limit.description == text)
    }
}
