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
    func `policies with rare settings are compared by these, too`() {
        let policies: [CachePolicy] = [
            .http, .http.keyedByBody(), .http.keyedByBody(ignoring: ["a"]), .http.keyed(ignoringQuery: "a"),
            .http.keyed(adding: "a"), .http.keyed(adding: "a", "b"), .http.keyed(as: "a"), .http.inMemory(),
        ]
        for (index, policy) in policies.enumerated() {
            for (other, otherPolicy) in policies.enumerated() {
                #expect((policy == otherPolicy) == (index == other))
            }
        }
        #expect(CachePolicy.http.keyed(as: "a").keyed(adding: "b") == .http.keyed(adding: "b").keyed(as: "a"))
        #expect(CachePolicy.http.keyed(as: "a").hashValue == CachePolicy.http.keyed(as: "a").hashValue)
        // Closures cannot be compared.
        #expect(CachePolicy.http.storing { _ in true } == .http)
        #expect(CachePolicy.http.storing { _ in true }.hashValue == CachePolicy.http.hashValue)
        #expect(!CachePolicy.http.storing { _ in true }.hasComparableParts)
        #expect(CachePolicy.http.keepingModels().hasComparableParts)
    }

    @Test
    func `a copy of a policy is independent of it`() {
        let original = CachePolicy.http.keyed(adding: "a")
        let copy = original.keyed(adding: "b")
        #expect(original.keyParts == ["a"])
        #expect(copy.keyParts == ["a", "b"])
        #expect(original.ownKey == nil)
    }
}
