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
}
