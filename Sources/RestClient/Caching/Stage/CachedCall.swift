// SPDX-License-Identifier: MIT

import JobGraphs
import Synchronization

/// The last stage of a cached call, made for the call: it decodes the model, so a stored response that cannot be
/// decoded is a miss at once, and a response is stored as soon as it has decoded.
///
/// The server's response is decoded by ``finish(_:of:)``, when call interceptors, which may change it, have seen it.
final class CachedCall: Interceptor {
    typealias Early = @Sendable (AnyModel, CacheReply) async -> Void

    /// Adds the token that identifies the user to a request; waits for the first token if the argument is true.
    typealias Identify = @Sendable (OutgoingRequest, Bool) async throws -> OutgoingRequest

    let cache: CallCache
    let stages: StageList
    let decoder: AnyModelDecoder
    /// True if interceptors may change a stored response before it is decoded.
    let hasInterceptors: Bool
    private let identify: Identify
    let early: Early?

    /// The latest reply, because an interceptor may send the request more than once.
    private let latest = Mutex<CacheReply?>(nil)

    init(
        cache: CallCache,
        stages: StageList,
        decoder: AnyModelDecoder,
        hasInterceptors: Bool,
        identify: @escaping Identify,
        early: Early?
    ) {
        self.cache = cache
        self.stages = stages
        self.decoder = decoder
        self.hasInterceptors = hasInterceptors
        self.identify = identify
        self.early = early
    }

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        // An interceptor may send the request of another call.
        guard request.call.policy.usesCache else {
            return try await stages.send(request)
        }
        let reply = try await CacheExchange(self, complete(request)).respond()
        let former = latest.withLock { latest in
            defer { latest = reply }
            return latest
        }
        former?.write?.release()
        return reply.response
    }

    /// Returns the request with the values of its header providers, on which key and selection depend; the first
    /// attempt sends the same values.
    private func complete(_ request: OutgoingRequest) async throws -> OutgoingRequest {
        let identified = try await identify(request, request.call.policy.cache.mode != .cacheOnly)
        guard !request.call.policy.headerProviders.isEmpty else {
            return identified
        }
        let complete = try await request.call.waits { [cache] in
            try await identified.withProvidedHeaders(cache.clock)
        }
        let provided = complete.headers
        request.call.learn { $0.request.provided = provided }
        return complete
    }

    /// Returns the reply to the response that call interceptors made of the latest one, with its model.
    func finish(_ response: RawResponse, of call: CallContext) async throws -> CacheReply {
        let latest = latest.withLock { $0.take() }
        // Equal calls and other processes must not wait for a response that cannot be decoded.
        defer { latest?.write?.release() }
        var reply = latest ?? CacheReply(response: response, explanation: .notAsked)
        if hasInterceptors, reply.response.body != response.body || reply.response.status != response.status {
            reply.model = nil
        }
        reply.response = response
        let received = cache.clock.now()
        if reply.model == nil {
            reply.model = try await decode(&reply, call)
        }
        try call.checkCancellation()
        let decoded = cache.clock.now()
        call.note { $0.decode(from: received, to: decoded) }
        if let write = reply.write {
            reply.explanation.storing = await write.commit(decodedFrom: reply.response.body, hub: cache.hub, call: call)
            reply.write = nil
        }
        return reply
    }

    /// Releases equal calls and processes that wait for this call's response if it is never stored.
    func abandon() {
        latest.withLock { $0.take() }?.write?.release()
    }

    private func decode(_ reply: inout CacheReply, _ call: CallContext) async throws -> AnyModel {
        do {
            return try decoder.decode(&reply, call.policy.cache)
        } catch let error as RestClientError {
            if error.isOfStatus, let failure = reply.failure {
                throw failure
            }
            // Only the interceptors know its format, and their result cannot be decoded, so the entry is useless.
            if error.code == .decodingFailed || error.code == .rejected, reply.response.source.isCache,
                let key = reply.storedKey
            {
                await cache.discard(key, because: call)
            }
            throw error
        }
    }
}
