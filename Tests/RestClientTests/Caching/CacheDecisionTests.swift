// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct CacheDecisionTests {
    @Test(
        arguments: [
            (.networkOnly, .fresh, .fetch(.bypassed)),
            (.reload, .fresh, .fetch(.bypassed)),
            (.reload, .nothing, .fetch(.bypassed)),
            (.elseNetwork, .fresh, .use),
            (.elseNetwork, .stale(hasValidator: true), .revalidate),
            (.elseNetwork, .stale(hasValidator: false), .fetch(.stale)),
            (.elseNetwork, .nothing, .fetch(.absent)),
            (.elseNetwork, .unreadable, .fetch(.unreadable)),
            (.cacheOnly, .fresh, .use),
            (.cacheOnly, .stale(hasValidator: true), .refuse(.stale)),
            (.cacheOnly, .stale(hasValidator: false), .refuse(.stale)),
            (.cacheOnly, .nothing, .refuse(.absent)),
            (.cacheOnly, .unreadable, .refuse(.unreadable)),
        ] as [(CachePolicy.Mode, CacheDecision.Found, CacheDecision.Lookup)]
    )
    func `what is found and the policy decide between cache and network`(
        mode: CachePolicy.Mode,
        found: CacheDecision.Found,
        decision: CacheDecision.Lookup
    ) {
        #expect(CacheDecision.lookup(found, mode: mode) == decision)
    }

    @Test(
        arguments: [
            (200, [:], [:], true),
            (201, [:], [:], true),
            (204, [:], [:], true),
            (206, [:], [:], false),
            (301, [:], [:], false),
            (304, [:], [:], false),
            (404, [:], [:], false),
            (500, [:], [:], false),
            (200, [.cacheControl: "no-store"], [:], false),
            (200, [:], [.cacheControl: "no-store"], false),
            (200, [:], [.cacheControl: "private, No-Store"], false),
            (200, [:], [.cacheControl: "max-age=5,no-store=x"], false),
            (200, [:], [.cacheControl: "max-age=5, no-cache, private"], true),
            (200, [:], [.cacheControl: "not-no-store"], true),
            (200, [:], [.vary: "*"], false),
            (200, [:], [.vary: "Accept"], true),
        ] as [(Int, HTTPFields, HTTPFields, Bool)]
    )
    func `only complete successes that neither side forbids are stored`(
        code: Int,
        request: HTTPFields,
        response: HTTPFields,
        isStorable: Bool
    ) {
        let decision = CacheDecision.isStorable(
            status: .init(code: code),
            requestHeaders: request,
            responseHeaders: response
        )
        #expect(decision == isStorable)
    }

    @Test
    func `a validator is asked for in its own field`() {
        let stored: HTTPFields = [.eTag: #"W/"1""#, .lastModified: "Wed, 21 Oct 2015 07:28:00 GMT"]
        let conditions = CacheDecision.conditions(validating: stored)
        #expect(conditions == [.ifNoneMatch: #"W/"1""#, .ifModifiedSince: "Wed, 21 Oct 2015 07:28:00 GMT"])
        #expect(CacheDecision.conditions(validating: [.date: "x"]).isEmpty)
    }

    @Test
    func `a 304 brings stored fields up to date, except those that belong to the body`() {
        let stored: HTTPFields = [.eTag: "1", .contentType: "a/b", .contentLength: "5", .contentEncoding: "gzip"]
        let update: HTTPFields = [.eTag: "2", .date: "today", .contentLength: "0", .contentEncoding: "br"]
        let merged = CacheDecision.refreshed(stored, by: update)
        #expect(merged[.eTag] == "2")
        #expect(merged[.date] == "today")
        #expect(merged[.contentType] == "a/b")
        #expect(merged[.contentLength] == "5")
        #expect(merged[.contentEncoding] == "gzip")
    }
}
