// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

/// The explanations of the cache, in words.
@Suite
struct ExplanationTests {
    private static func explanation(
        _ answer: CacheExplanation.Outcome,
        _ storing: CacheExplanation.Storing = .notAsked,
        age: Int? = nil,
        lifetime: Int? = nil,
        status: Int? = nil,
        isShared: Bool = false,
        isMigrated: Bool = false
    ) -> CacheExplanation {
        var explanation = CacheExplanation(answer, storing: storing)
        explanation.age = age.map { .seconds($0) }
        explanation.lifetime = lifetime.map { .seconds($0) }
        explanation.forwardedStatus = status
        explanation.isShared = isShared
        explanation.isMigrated = isMigrated
        return explanation
    }

    @Test(
        arguments: [
            (
                explanation(.fresh, age: 12, lifetime: 60),
                "A stored response was good enough (12 s old, fresh for 60 s); the server was not asked."
            ),
            (
                explanation(.fresh, .updated, age: 12, isMigrated: true),
                """
                A stored response was good enough (12 s old); the server was not asked. Its body was of an older form, and was \
                migrated. The stored response was brought up to date.
                """
            ),
            (
                explanation(.stale(.allowedByRequest), age: 70, lifetime: 60),
                """
                A stored response was delivered though it is no longer fresh (70 s old, fresh for 60 s), as the request accepts \
                that (max-stale).
                """
            ),
            (
                explanation(.stale(.onFailure), status: 503),
                "A stored response was delivered though it is no longer fresh, as the server failed (503)."
            ),
            (
                explanation(.confirmed(.stale), .updated, status: 304),
                """
                The server was asked, as what is stored is no longer fresh, and confirmed the stored response (304). The \
                stored response was brought up to date.
                """
            ),
            (
                explanation(.forwarded(.absent), .stored, status: 200),
                """
                The cache had no response to give, as nothing is stored for the request; the server responded (200). The response \
                was stored.
                """
            ),
            (
                explanation(.forwarded(.absent), .left(.serverForbids), status: 200),
                """
                The cache had no response to give, as nothing is stored for the request; the server responded (200). It was not \
                stored, as the server forbids it (no-store).
                """
            ),
            (
                explanation(.forwarded(.variant), isShared: true),
                """
                The cache had no response to give, as what is stored belongs to requests with other header fields (Vary); the \
                server responded. An equal call was under way, and both shared its request.
                """
            ),
            (
                explanation(.refused(.stale)),
                """
                There is no response: the cache had no response to give, as what is stored is no longer fresh, and the server was \
                not to be asked, or could not be reached.
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
            .invalidated,
            .failed,
        ]
        #expect(Set(reasons.map { CacheExplanation(.forwarded($0)).explain() }).count == reasons.count)
        #expect(Set(refusals.map { CacheExplanation(.fresh, storing: .left($0)).explain() }).count == refusals.count)
    }

    @Test
    func `a response explains itself`() async throws {
        let cached = CachedClient(headers: [.cacheControl: "max-age=60"])
        let unasked = try await cached.call().response()
        #expect(
            unasked.explain()
                == "The cache was not asked, as neither the call nor its operation nor the manager wants it."
        )
        _ = try await cached.call(.http).response()
        cached.wall.advance(by: 12)

        #expect(
            try await cached.call(.http).response().explain()
                == "A stored response was good enough (12 s old, fresh for 60 s); the server was not asked."
        )
    }
}
