// SPDX-License-Identifier: MIT

import RestEssentials

/// The cache's reply to a request: a response, its explanation, and the write to perform once its model has been
/// decoded.
struct CacheReply: Sendable {
    var response: RawResponse
    var explanation: CacheExplanation
    var write: CacheWrite?

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

/// A reply of the cache, with its model if the decision required decoding it.
struct DecodedReply<Model: Sendable>: Sendable {
    var reply: CacheReply
    var model: Model?
}

extension ModelDecoder {
    /// Returns the model of a reply; a stored body of an older format is replaced by its migrated form.
    func model(of reply: inout CacheReply, _ policy: CachePolicy) throws -> Model {
        do {
            return try model(of: reply.response)
        } catch let error as RestClientError where error.code == .decodingFailed || error.code == .rejected {
            guard let body = policy.migration.body(instead: reply.response) else {
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
