// SPDX-License-Identifier: MIT

import RestEssentials

/// What the cache stage says of a response, besides the response itself.
///
/// It is kept by reference, so that a response the cache had nothing to do with carries one empty word.
final class CacheOutcome: Sendable {
    let explanation: CacheExplanation
    /// What is to be stored once the model has decoded.
    let write: PendingCacheWrite?
    /// The model, when a stored response was decoded to see whether it still can be.
    let decoded: (any DecodedAnswer)?
    /// Why there is no response of the server, when the cache made one up that says so.
    let failure: (any Error)?

    init(
        _ explanation: CacheExplanation,
        write: PendingCacheWrite? = nil,
        decoded: (any DecodedAnswer)? = nil,
        failure: (any Error)? = nil
    ) {
        self.explanation = explanation
        self.write = write
        self.decoded = decoded
        self.failure = failure
    }

    /// The same, with the duty to let an equal call go once the write is done.
    func held(by hold: FlightHold) -> CacheOutcome {
        guard var write else {
            hold.release()
            return self
        }
        write.hold = hold
        return CacheOutcome(explanation, write: write, decoded: decoded, failure: failure)
    }

    /// The same, with the duty to let other processes ask once the write is done.
    func leased(by lease: CacheLease) -> CacheOutcome {
        guard var write else {
            lease.release()
            return self
        }
        write.lease = lease
        return CacheOutcome(explanation, write: write, decoded: decoded, failure: failure)
    }

    /// The same for a stored body that was brought into another form.
    func migrated() -> CacheOutcome {
        var explanation = explanation
        explanation.isMigrated = true
        return CacheOutcome(explanation, write: write, failure: failure)
    }

    /// The same for a call that was answered together with an equal one, which does the writing.
    func shared() -> CacheOutcome {
        var explanation = explanation
        explanation.isShared = true
        return CacheOutcome(explanation, decoded: decoded, failure: failure)
    }

    /// The same, with what became of the write.
    func settled(_ storing: CacheExplanation.Storing) -> CacheOutcome {
        var explanation = explanation
        explanation.storing = storing
        return CacheOutcome(explanation)
    }
}

/// A model with the body that it was decoded from.
protocol DecodedAnswer: Sendable {
    var body: Data { get }
}

/// A model of a known type.
struct DecodedModel<Model: Sendable>: DecodedAnswer {
    let model: Model
    let body: Data
}

/// Checks the status of a response and decodes it, as its call will.
///
/// With it the cache sees by itself that a stored response is of no use, and verifies what it fetched in the background.
struct AnswerProbe: Sendable {
    let decode: @Sendable (RawResponse) throws -> any DecodedAnswer

    /// For requests that no cache deals with.
    static let unused = AnswerProbe { _ in throw CancellationError() }
}
