// SPDX-License-Identifier: MIT

import HTTPWire
import Testing

@testable import RestClient

@Suite
struct PaceRuleTests {
    private static let second: UInt64 = 1_000_000_000
    private let both = PaceRule(firstByte: .seconds(2), nextByte: .seconds(5))

    @Test
    func `the time for the first byte counts from the end of the request`() {
        #expect(both.decision(.sending, at: 100 * Self.second) == .look(at: 102 * Self.second))
        #expect(both.decision(.waiting(since: 10 * Self.second), at: 11 * Self.second) == .look(at: 12 * Self.second))
        #expect(
            both.decision(.waiting(since: 10 * Self.second), at: 12 * Self.second) == .expire(.firstByte(.seconds(2)))
        )
    }

    @Test
    func `the time between two bytes counts from the latest of them`() {
        let receiving = PaceRule.Progress.receiving(since: 10 * Self.second)
        #expect(both.decision(receiving, at: 14 * Self.second) == .look(at: 15 * Self.second))
        #expect(both.decision(receiving, at: 15 * Self.second) == .expire(.nextByte(.seconds(5))))
    }

    @Test
    func `without a limit for the first byte nothing expires before it`() {
        let rule = PaceRule(nextByte: .seconds(5))
        #expect(rule.decision(.waiting(since: 0), at: 100 * Self.second) == .look(at: 105 * Self.second))
    }

    @Test
    func `without a limit between bytes nothing expires after the first one`() {
        let rule = PaceRule(firstByte: .seconds(2))
        #expect(rule.decision(.receiving(since: 0), at: 100 * Self.second) == .none)
    }

    @Test
    func `an exchange that has ended is left alone`() {
        #expect(both.decision(.ended, at: .max) == .none)
        #expect(PaceRule().isEmpty)
        #expect(!both.isEmpty)
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .seconds(Int64.max)])
    func `no limit makes a trap or an endless loop`(limit: Duration) {
        let rule = PaceRule(firstByte: limit, nextByte: limit)
        for now: UInt64 in [0, Self.second, UInt64.max - 1] {
            guard case .look(let next) = rule.decision(.sending, at: now) else {
                Issue.record("nothing is watched")
                continue
            }
            #expect(next > now)
        }
    }
}
