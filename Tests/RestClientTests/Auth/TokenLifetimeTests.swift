// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

@testable import RestClient

@Suite
struct TokenLifetimeTests {
    @Test(
        arguments: [
            ([], nil), ([3], nil), ([3, 3], 3), ([3, 4], 3), ([4, 3], 3), ([3, 3600], nil), ([3, 3600, 3500], 3500),
            ([0, 0], nil), ([3, -1, 3], 3),
        ] as [([TimeInterval], TimeInterval?)]
    )
    func `two refusals at a similar age are a lifetime`(ages: [TimeInterval], estimate: TimeInterval?) {
        var lifetime = TokenLifetime()
        for age in ages {
            lifetime.note(refusedAt: age)
        }
        #expect(lifetime.estimate == estimate)
    }

    @Test
    func `an estimate that is too short grows until a token is refused again`() throws {
        var lifetime = TokenLifetime()
        lifetime.note(replacedAhead: 1)
        #expect(lifetime.estimate == nil)
        lifetime.note(refusedAt: 2)
        lifetime.note(refusedAt: 2)
        for _ in 0..<200 {
            lifetime.note(replacedAhead: min(30, try #require(lifetime.estimate) / 2))
        }
        #expect(try #require(lifetime.estimate) > 300)
        lifetime.note(refusedAt: 600)
        lifetime.note(refusedAt: 600)
        #expect(lifetime.estimate == 600)
    }
}
