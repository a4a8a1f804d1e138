// SPDX-License-Identifier: MIT

import RestEssentials

/// The cache's reply to a request: a response, its explanation, and the write to carry out once its model has decoded.
struct CacheReply: Sendable {
    var response: RawResponse
    var explanation: CacheExplanation
    var write: CacheWrite?

    /// The key of the stored response that is delivered; `nil` when it is the server's.
    var storedKey: CacheKey?

    /// The error for a call that does not accept the response that the cache generated.
    var failure: (any Error)?

    /// Returns the reply with a duty that ends with the write.
    func holding(_ duty: ReleaseOnce) -> CacheReply {
        guard write != nil else {
            duty.release()
            return self
        }
        var reply = self
        reply.write?.duties.append(duty)
        return reply
    }

    /// Returns the reply to an equal call that shared the request, and leaves the write to the other.
    func shared() -> CacheReply {
        var reply = self
        reply.explanation.isShared = true
        reply.write = nil
        return reply
    }
}
