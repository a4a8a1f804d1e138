// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// What the cache stage wants stored; it is written once the model has decoded, and dropped otherwise.
struct PendingCacheWrite: Sendable {
    enum Change: Sendable {
        case store(StoredAnswer)
        /// The server confirmed the stored response: only head and age change.
        case refresh(StoredAnswer)
        /// The body was brought into another form: it takes the place of the one that it was made of.
        case rewrite(StoredAnswer, of: UInt64)
    }

    let cache: ResponseCache
    let key: CacheKey
    /// When the request went out.
    let moment: InvalidationLog.Moment
    var change: Change
    /// A stored response to GET that the response to HEAD brought up to date.
    var informed: StoredAnswer?
    /// Keeps newcomers waiting for the write rather than asking the server again.
    var hold: FlightHold?
    /// Keeps other processes waiting for the write rather than asking the server too.
    var lease: CacheLease?

    /// Lets go of all who wait for the write, whether it was done or will never be.
    func release() {
        lease?.release()
        hold?.release()
    }

    /// Carries the write out, and tells of it.
    ///
    /// - Parameters:
    ///   - body: What the model was decoded from; a response whose bytes an interceptor changed on the way is stored as the
    ///     server sent it, and cannot be decoded again without that interceptor.
    ///   - hub: Where to tell of it.
    ///   - call: The call whose answer it is.
    /// - Returns: What was done.
    func commit(decodedFrom body: Data, hub: EventHub, call: CallContext) async -> CacheExplanation.Storing {
        defer { release() }
        do {
            let storing = try await carryOut(decodedFrom: body)
            switch storing {
            case .stored: hub.emit(.cacheStored, call)
            case .updated:
                if case .rewrite = change {
                    hub.emit(.cacheStored, call)
                } else {
                    hub.emit(.cacheRevalidated, call)
                }
            case .notAsked, .left: break
            }
            return storing
        } catch {
            let failure = error as? StoreError
            hub.emit(
                .cacheFailed(
                    failure ?? StoreError(.encodingFailed, "the response cannot be sealed", underlying: error)
                ),
                call
            )
            return .left(.failed)
        }
    }

    private func carryOut(decodedFrom body: Data) async throws -> CacheExplanation.Storing {
        guard cache.allows(key, askedAt: moment) else {
            return .left(.invalidated)
        }
        if let informed {
            try await cache.refresh(informed)
        }
        switch change {
        case .store(var answer):
            answer.head.isDecodable = answer.entry.body == body
            try await cache.store(answer, under: key)
            return .stored
        case .refresh(let answer):
            try await cache.refresh(answer)
            return .updated
        case .rewrite(let answer, let bodyID):
            return try await cache.rewrite(answer, of: bodyID, under: key) ? .updated : .left(.invalidated)
        }
    }
}
