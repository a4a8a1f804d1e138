// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite struct HelperRuleTests {
    private static func rule(after short: Int) -> HelperRule {
        var rule = HelperRule()
        for _ in 0..<short {
            rule.note(HelperRule.short - .nanoseconds(1))
        }
        return rule
    }

    @Test(arguments: [
        (short: 0, ready: 0, isWorthwhile: false),
        (short: 0, ready: 1, isWorthwhile: true),
        (short: HelperRule.patience - 1, ready: 1, isWorthwhile: true),
        (short: HelperRule.patience, ready: 1, isWorthwhile: false),
        (short: 1000, ready: HelperRule.backlog - 1, isWorthwhile: false),
        (short: 1000, ready: HelperRule.backlog, isWorthwhile: true),
    ])
    func `few nodes are worth no helper after several short ones`(short: Int, ready: Int, isWorthwhile: Bool) {
        #expect(Self.rule(after: short).isWorthwhile(for: ready) == isWorthwhile)
    }

    @Test
    func `one long node is enough to expect others`() {
        var rule = Self.rule(after: 1000)
        rule.note(HelperRule.short)
        #expect(rule.isWorthwhile(for: 1))
    }
}
