// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// The cache's reply to a request.
struct CacheReply: Sendable {
    var response: RawResponse
    var explanation: CacheExplanation
    var write: CacheWrite?

    /// The model, if the decision required decoding it.
    var model: AnyModel?

    /// The key of the delivered stored response; `nil` if the response is the server's.
    var storedKey: CacheKey?

    /// The error for a call that does not accept the response that the cache generated.
    var failure: (any Error)?

    /// Returns the reply with an action that runs after the write.
    func holding(_ duty: ReleaseOnce) -> CacheReply {
        guard write != nil else {
            duty.release()
            return self
        }
        var reply = self
        reply.write?.duties.append(duty)
        return reply
    }

    /// Returns the reply for an equal call that shared the request, without the write.
    func shared() -> CacheReply {
        var reply = self
        reply.explanation.isShared = true
        reply.write = nil
        return reply
    }
}

/// A decoded model, for code that does not know its type: a ``DecodedModel``.
typealias AnyModel = any AnyObject & Sendable

final class DecodedModel<Model: Sendable>: Sendable {
    let value: Model

    init(_ value: Model) {
        self.value = value
    }
}

/// The decoding of a call's model, for code that does not know its type: generic code would look it up at each step.
struct AnyModelDecoder: Sendable {
    private let type: Any.Type
    let isUniform: Bool
    /// Decodes a reply as ``ModelDecoder/model(of:_:)`` does.
    let decode: @Sendable (inout CacheReply, CachePolicy) throws -> AnyModel

    init<Model>(_ decoder: ModelDecoder<Model>) {
        type = DecodedModel<Model>.self
        isUniform = decoder.decoding.isUniform
        decode = { reply, policy in DecodedModel(try decoder.model(of: &reply, policy)) }
    }

    /// Returns true if a model has the type of those that it decodes: never one that could be converted to it.
    func makes(_ model: AnyModel) -> Bool {
        Swift.type(of: model) == type
    }
}

extension ModelDecoder {
    /// Returns the model of a reply; a stored body of an older format is replaced by its migrated form.
    func model(of reply: inout CacheReply, _ policy: CachePolicy) throws -> Model {
        do {
            return try model(of: reply.response)
        } catch let error as RestClientError where error.code == .decodingFailed || error.code == .rejected {
            guard let body = policy.migratedBody(of: reply.response) else {
                throw error
            }
            var response = reply.response
            response.body = body
            guard let model = try? model(of: response) else {
                throw error
            }
            reply.response = response
            reply.explanation.isMigrated = true
            return model
        }
    }
}

/// A change of the cache; it is performed once the model has been decoded, and dropped otherwise.
struct CacheWrite: Sendable {
    enum Change: Sendable {
        case store(StoredResponse)
        /// The server confirmed the stored response: only the head and the age change.
        case refresh(StoredResponse)
        /// The body was migrated: it replaces the original body.
        case rewrite(StoredResponse, of: UInt64)
    }

    let cache: ResponseCache
    let key: CacheKey
    let moment: InvalidationLog.Moment
    var change: Change
    /// A stored response to GET that the response to HEAD refreshed.
    var informed: StoredResponse?
    /// The actions that release equal calls and other processes waiting for the write.
    var duties: [ReleaseOnce] = []

    /// Releases equal calls and processes that wait for the write, whether or not it was performed.
    func release() {
        for duty in duties.reversed() {
            duty.release()
        }
    }

    /// Performs the write, and emits an event for it; a response is stored as the server sent it, although the model
    /// was decoded from a body that an interceptor has changed.
    func commit(decodedFrom body: Data, hub: EventHub, call: CallContext) async -> CacheExplanation.Storing {
        defer { release() }
        do {
            let storing = try await cache.write(key, askedAt: moment) { () -> CacheExplanation.Storing in
                if let informed {
                    _ = try await cache.refresh(informed)
                }
                switch change {
                case .store(let response):
                    let response = response.marked(isDecodable: response.entry.body == body)
                    return try await cache.store(response, under: key) ? .stored : .left(.superseded)
                case .refresh(let response):
                    return try await cache.refresh(response) ? .updated : .left(.superseded)
                case .rewrite(let response, let bodyID):
                    return try await cache.rewrite(response, of: bodyID, under: key) ? .updated : .left(.invalidated)
                }
            }
            switch (storing, change) {
            case (.updated, .refresh): hub.emit(.cacheRevalidated, call)
            case (.stored, _), (.updated, _): hub.emit(.cacheStored, call)
            case (.notAsked, _), (.left, _), (nil, _): break
            }
            return storing ?? .left(.invalidated)
        } catch {
            let failure =
                error as? StoreError
                ?? StoreError(.encodingFailed, "the response cannot be sealed", underlying: error)
            hub.emit(.cacheFailed(failure), call)
            return .left(.failed)
        }
    }
}
