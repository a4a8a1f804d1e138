// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct CachePolicyTests {
    @Test
    func `zero and nil are the same age`() {
        #expect(CachePolicy.elseNetwork(maxAge: .zero) == .elseNetwork())
        #expect(CachePolicy.cacheOnly(maxAge: .zero) == .cacheOnly())
        #expect(CachePolicy.elseNetwork(maxAge: .seconds(1)) != .elseNetwork())
        #expect(CachePolicy.elseNetwork() != .cacheOnly())
        #expect(CachePolicy.reload.storing(for: .seconds(1)) != .reload)
    }

    @Test
    func `minutes, hours and days are what they say, up to the longest`() {
        #expect(Duration.minutes(2) == .seconds(120))
        #expect(Duration.hours(1) == .seconds(3_600))
        #expect(Duration.days(1) == .hours(24))
        #expect(Duration.days(Int64.max) == .seconds(Int64.max))
        #expect(Duration.hours(UInt64.max) == .seconds(Int64.max))
        #expect(Duration.minutes(Int64.min) == .seconds(Int64.min))
    }
}
