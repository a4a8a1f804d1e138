// SPDX-License-Identifier: MIT

import RestEssentials
import Testing

/// The table of all decisions: which single fact stops the work on which occasion.
@Suite
struct RepetitionVerdictTests {
    /// A fact about work that is otherwise free to be done again.
    enum Fact: CaseIterable {
        case none, isUnsafe, isNotIdempotent, hadEffect, hadAllowedEffect, actedBeforeRedirect, hasBody, hasSpentBody,
            isOfOtherUser, isBoundToServer

        var repetition: Repetition {
            var repetition = Repetition(
                isSafe: self != .isUnsafe && self != .isNotIdempotent,
                isIdempotent: self != .isNotIdempotent,
                mayHaveHadEffect: self == .hadEffect || self == .hadAllowedEffect
            )
            repetition.allowsSecondEffect = self == .hadAllowedEffect
            repetition.hasActedBeforeRedirect = self == .actedBeforeRedirect
            repetition.body = self == .hasBody ? .ready : self == .hasSpentBody ? .spent : .none
            repetition.isOfOtherUser = self == .isOfOtherUser
            repetition.isBoundToServer = self == .isBoundToServer
            return repetition
        }
    }

    private static let stops: [Repetition.Occasion: [Fact: Repetition.Reason]] = [
        .retry: [.hadEffect: .mayHaveHadEffect, .hasSpentBody: .bodySpent],
        .refreshedToken: [
            .hadEffect: .mayHaveHadEffect, .hadAllowedEffect: .mayHaveHadEffect,
            .actedBeforeRedirect: .actedBeforeRedirect, .hasSpentBody: .bodySpent,
        ],
        .redirect: [.hasSpentBody: .bodySpent],
        .redirectToGet: [:],
        .hedge: [
            .isUnsafe: .mayHaveHadEffect, .isNotIdempotent: .mayHaveHadEffect, .hadEffect: .mayHaveHadEffect,
            .hadAllowedEffect: .mayHaveHadEffect, .hasBody: .mayHaveHadEffect, .hasSpentBody: .mayHaveHadEffect,
        ],
        .staleConnection: [.isNotIdempotent: .mayHaveHadEffect, .hasSpentBody: .bodySpent],
        .notProcessed: [.hasSpentBody: .bodySpent],
        .fallback: [
            .hadEffect: .mayHaveHadEffect, .hadAllowedEffect: .mayHaveHadEffect, .hasSpentBody: .bodySpent,
            .isBoundToServer: .boundToServer,
        ],
        .nextPart: [.isNotIdempotent: .mayHaveHadEffect, .hasSpentBody: .bodySpent],
        .reconnection: [.hadEffect: .mayHaveHadEffect, .hasSpentBody: .bodySpent],
    ]

    @Test(arguments: Repetition.Occasion.allCases, Fact.allCases)
    func `a fact stops the work for its reason, or lets it go on`(occasion: Repetition.Occasion, fact: Fact) throws {
        let row = try #require(Self.stops[occasion])
        let reason = fact == .isOfOtherUser ? .otherUser : row[fact]
        let rest: Repetition.Verdict = fact == .hasBody && occasion != .redirectToGet ? .send : .sendWithoutBody

        #expect(fact.repetition.verdict(occasion) == reason.map { .stop($0) } ?? rest)
        #expect(fact.repetition.allows(occasion) == (reason == nil))
    }

    @Test
    func `the user counts before the effect, and the effect before the body`() {
        var repetition = Repetition(mayHaveHadEffect: true)
        repetition.body = .spent

        #expect(repetition.verdict(.retry) == .stop(.mayHaveHadEffect))
        repetition.isOfOtherUser = true
        #expect(repetition.verdict(.retry) == .stop(.otherUser))
    }

    @Test
    func `work that is done again together is as harmless as its most harmful part`() {
        for fact in [Fact.isNotIdempotent, .hadEffect] {
            var whole = Repetition()
            whole.add(fact.repetition)
            whole.add(Repetition())

            for occasion in Repetition.Occasion.allCases {
                #expect(whole.verdict(occasion) == fact.repetition.verdict(occasion))
            }
        }
    }

    @Test
    func `each reason has a clause of its own`() {
        #expect(Set(Repetition.Reason.allCases.map(\.clause)).count == Repetition.Reason.allCases.count)
    }
}
