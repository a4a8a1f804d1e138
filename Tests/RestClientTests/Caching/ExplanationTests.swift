// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

/// The explanations of the cache, in words.
@Suite
struct ExplanationTests {
    private static func explanation(
        _ outcome: CacheExplanation.Outcome,
        _ storing: CacheExplanation.Storing = .notAsked,
        age: Int? = nil,
        lifetime: Int? = nil,
        status: Int? = nil,
        isShared: Bool = false,
        isMigrated: Bool = false
    ) -> CacheExplanation {
        var explanation = CacheExplanation(outcome, storing: storing)
        explanation.age = age.map { .seconds($0) }
        explanation.lifetime = lifetime.map { .seconds($0) }
        explanation.forwardedStatus = status
        explanation.isShared = isShared
        explanation.isMigrated = isMigrated
        return explanation
    }

    @Test(
        arguments: [
            (explanation(.notAsked), "The cache was not used: the policy of the call is networkOnly."),
            (
                explanation(.fresh, age: 12, lifetime: 60),
                "A stored response was young enough (12 s old, fresh for 60 s), and no request was sent."
            ),
            (
                explanation(.fresh, .updated, age: 12, isMigrated: true),
                """
                A stored response was young enough (12 s old), and no request was sent. Its body was migrated from an older \
                format. The stored response was updated.
                """
            ),
            (
                explanation(.stale(.allowedByRequest), age: 70, lifetime: 60),
                "A stale response was delivered (70 s old, fresh for 60 s) because the request allows it (max-stale)."
            ),
            (
                explanation(.stale(.onFailure), status: 503),
                "A stale response was delivered because the server failed (503)."
            ),
            (
                explanation(.stale(.onFailure)),
                "A stale response was delivered because the server failed or could not be reached."
            ),
            (
                explanation(.confirmed(.stale), .updated, status: 304),
                """
                A request was sent because the stored response is stale; the server confirmed the stored response (304). The \
                stored response was updated.
                """
            ),
            (
                explanation(.forwarded(.absent), .stored, status: 200),
                """
                A request was sent because nothing is stored for the request; the server responded (200). The response was \
                stored.
                """
            ),
            (
                explanation(.forwarded(.absent), .left(.serverForbids), status: 200),
                """
                A request was sent because nothing is stored for the request; the server responded (200). It was not stored \
                because the server forbids it (no-store).
                """
            ),
            (
                explanation(.forwarded(.variant), isShared: true),
                """
                A request was sent because the stored responses are for other header fields (Vary); the server responded. The \
                request was shared with an equal call.
                """
            ),
            (
                explanation(.refused(.stale)),
                """
                There was no response: the stored response is stale, and the network was not allowed or could not be reached.
                """
            ),
        ] as [(CacheExplanation, String)]
    )
    func `an explanation is made of sentences`(explanation: CacheExplanation, text: String) {
        #expect(explanation.explain() == text)
    }

    @Test(
        arguments: [
            (explanation(.notAsked), "fwd=bypass"),
            (explanation(.fresh, age: 12, lifetime: 60), "hit; ttl=48"),
            (explanation(.fresh, .updated, age: 12, lifetime: 60), "hit; ttl=48"),
            (explanation(.fresh, age: 12), "hit"),
            (explanation(.stale(.allowedByRequest), age: 70, lifetime: 60), "hit; ttl=-10"),
            (
                explanation(.stale(.onFailure), age: 70, lifetime: 60, status: 503),
                "fwd=stale; fwd-status=503; detail=stale-on-failure; ttl=-10"
            ),
            (explanation(.stale(.onFailure)), "fwd=stale; detail=stale-on-failure"),
            (
                explanation(.confirmed(.invalidated), .updated, age: 0, lifetime: 60),
                "fwd=stale; fwd-status=304; ttl=60; stored"
            ),
            (explanation(.forwarded(.variant), .stored, status: 200), "fwd=vary-miss; fwd-status=200; stored"),
            (explanation(.forwarded(.absent), isShared: true), "fwd=uri-miss; collapsed"),
            (
                explanation(.forwarded(.method), .left(.method), status: 204),
                "fwd=method; fwd-status=204; detail=method"
            ),
            (explanation(.forwarded(.partial), .left(.failed)), "fwd=partial; detail=failed"),
            (explanation(.refused(.absent)), "detail=not-cached-uri-miss"),
        ] as [(CacheExplanation, String)]
    )
    func `RFC 9211, 2: the field says whether it was a hit, or why the request went on`(
        explanation: CacheExplanation,
        parameters: String
    ) {
        #expect(explanation.cacheStatus == "RestClient; \(parameters)")
    }

    @Test
    func `every reason has words of its own`() {
        let reasons: [CacheMissReason] = [
            .absent, .variant, .stale, .noCache, .invalidated, .requested, .conditional, .partial, .unreadable, .method,
            .bypassed,
        ]
        let refusals: [CacheRefusal] = [
            .requestForbids, .serverForbids, .status, .method, .variesByAnything, .partial, .altered, .redirect,
            .invalidated, .superseded,
            .failed,
        ]
        #expect(Set(reasons.map { CacheExplanation(.forwarded($0)).explain() }).count == reasons.count)
        #expect(Set(refusals.map { CacheExplanation(.fresh, storing: .left($0)).explain() }).count == refusals.count)
    }

    @Test
    func `a response explains itself`() async throws {
        let cached = CachedClient(headers: [.cacheControl: "max-age=60"])
        let unused = try await cached.call().response()
        #expect(unused.cache.explain() == "The cache was not used: the policy of the call is networkOnly.")
        _ = try await cached.call(.http).response()
        cached.wall.advance(by: 12)

        #expect(
            try await cached.call(.http).response().cache.explain()
                == "A stored response was young enough (12 s old, fresh for 60 s), and no request was sent."
        )
    }
}
