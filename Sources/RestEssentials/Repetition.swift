// SPDX-License-Identifier: MIT

/// Decides, without I/O, whether work is done again; everything that would do it again asks here.
///
/// The work is a request, or the work of a node or of an element of a loop, which may have sent several.
package struct Repetition: Sendable, Hashable {
    package enum Occasion: Sendable, Hashable, CaseIterable {
        case retry
        /// The server rejected the token, and there is another one.
        case refreshedToken
        /// The server redirects to another URL, with the same method.
        case redirect
        /// The server redirects to another URL, for which the method becomes GET.
        case redirectToGet
        /// The work takes long, and is done a second time beside it.
        case hedge
        /// A kept connection ended before any part of the response arrived.
        case staleConnection
        /// The server says that it has not processed the request.
        case notProcessed
        /// Another server is asked.
        case fallback
        /// A part of a file follows the parts before it.
        case nextPart
        /// A stream of events was interrupted.
        case reconnection
    }

    package enum Body: Sendable, Hashable, CaseIterable {
        case none
        /// It can be sent, again or for the first time.
        case ready
        /// It is a stream that was read, and cannot be opened again.
        case spent
    }

    package enum Verdict: Sendable, Hashable {
        case send
        /// The request is sent without a body, and without the fields that describe one.
        case sendWithoutBody
        case stop(Reason)
    }

    package enum Reason: String, Sendable, Hashable, CaseIterable {
        case attemptsExhausted
        /// Another attempt would fail in the same way.
        case notTemporary
        /// The work may already have had its effect.
        case mayHaveHadEffect
        /// The server had acted on the request when it redirected to the result.
        case actedBeforeRedirect
        /// The body is a stream that was read.
        case bodySpent
        /// The work began as one user, and would go on as another one.
        case otherUser
        /// The request belongs to the server that named its URL.
        case boundToServer
        case deadline
        /// The work asks for a longer wait than the policy allows.
        case requestedDelayTooLong
        /// There were too many retries of other work already.
        case budget
    }

    package var isSafe: Bool

    /// A Boolean value that is true if doing the work twice has the same effect as doing it once.
    package var isIdempotent: Bool

    /// A Boolean value that is true if the work had an effect that doing it again would have twice, or may have had it.
    package var mayHaveHadEffect: Bool

    /// A Boolean value that is true if the server acted on the request, and redirected to the result.
    package var hasActedBeforeRedirect = false
    package var allowsSecondEffect = false
    package var body = Body.none
    package var isOfOtherUser = false
    package var isBoundToServer = false

    /// Creates the facts about work; work of an unknown kind can be done again.
    package init(isSafe: Bool = true, isIdempotent: Bool = true, mayHaveHadEffect: Bool = false) {
        self.isSafe = isSafe
        self.isIdempotent = isIdempotent
        self.mayHaveHadEffect = mayHaveHadEffect
    }

    /// The first reason to stop counts, in the order user, effect, body.
    package func verdict(_ occasion: Occasion) -> Verdict {
        if isOfOtherUser {
            return .stop(.otherUser)
        }
        if occasion == .refreshedToken, hasActedBeforeRedirect {
            return .stop(.actedBeforeRedirect)
        }
        if occasion == .fallback, isBoundToServer {
            return .stop(.boundToServer)
        }
        if wouldHaveEffectTwice(occasion) {
            return .stop(.mayHaveHadEffect)
        }
        switch body {
        case _ where occasion == .redirectToGet: return .sendWithoutBody
        case .none: return .sendWithoutBody
        case .ready: return .send
        case .spent: return .stop(.bodySpent)
        }
    }

    package func allows(_ occasion: Occasion) -> Bool {
        if case .stop = verdict(occasion) { false } else { true }
    }

    private func wouldHaveEffectTwice(_ occasion: Occasion) -> Bool {
        switch occasion {
        case .redirect, .redirectToGet, .notProcessed: false
        case .retry, .reconnection: mayHaveHadEffect && !allowsSecondEffect
        case .refreshedToken, .fallback: mayHaveHadEffect
        // A request that is under way counts as one that has had its effect.
        case .staleConnection, .nextPart: !isIdempotent
        case .hedge: !isSafe || mayHaveHadEffect || body != .none
        }
    }

    package mutating func add(_ other: Repetition) {
        isSafe = isSafe && other.isSafe
        isIdempotent = isIdempotent && other.isIdempotent
        mayHaveHadEffect = mayHaveHadEffect || other.mayHaveHadEffect
    }
}

extension Repetition.Reason {
    package var clause: String {
        switch self {
        case .attemptsExhausted: "it was the last attempt"
        case .notTemporary: "the failure is not temporary"
        case .mayHaveHadEffect: "the request may have changed data"
        case .actedBeforeRedirect: "the server had acted on the request when it redirected the call"
        case .bodySpent:
            "the body is a stream that has been read; pass a closure that opens the stream, a file or bytes instead"
        case .otherUser: "the source now has the token of another user"
        case .boundToServer: "the request is for a page whose URL the first server gave"
        case .deadline: "the call would time out first"
        case .requestedDelayTooLong: "the server asks for a longer wait than the policy allows"
        case .budget: "the retries of the server have used up their budget"
        }
    }
}
