// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import Synchronization

extension CacheExchange {
    /// True if the request may be shared with equal ones: it is a read, and the call does not forbid it.
    ///
    /// Work that holds a worker slot is not shared, because it must not wait for a call that may be waiting for that
    /// slot. Nor is the refresh of a token, for which holders of slots may wait.
    var sharesFlight: Bool {
        let isSafe = request.method.isRetrieval || policy.bodyKey != nil
        let policy = request.call.policy
        return isSafe && policy.sharesFlight != false && !policy.passesPool && !WorkerPool.isInSlot
    }

    /// Sends one request for all equal calls in progress.
    ///
    /// The leader looks the response up again, because an equal request may have ended since the first lookup. The
    /// leader stores the response; until that is done, new callers receive it too, so that nothing is fetched twice
    /// within its lifetime. Only a leader that is cancelled while it decodes stores nothing.
    func askTogether(_ finding: CacheFinding) async throws -> DecodedReply<Model> {
        let key = FlightKey(request, variant: CallCache.Variant(key: key, policy: policy))
        // The model that this call has decoded if its request is the shared one.
        let model = Mutex<Model?>(nil)
        let shared = try await cache.flights.run(key, for: request.call, on: request.call.forSharing()) { call in
            let exchange = moved(to: call)
            let decoded = try await exchange.askAgain()
            model.withLock { $0 = decoded.model }
            // Followers decode the response themselves, because the models of equal calls may differ.
            return SharedResponse(content: decoded.reply, isForAnyone: exchange.isOwnerKnown)
        }
        guard let shared else {
            return try await forward(finding)
        }
        let reply = shared.duty.map(shared.content.holding) ?? shared.content.shared()
        if let model = model.withLock({ $0.take() }) {
            return DecodedReply(reply: reply, model: model)
        }
        guard reply.response.source.isCache, !hasInterceptors, reply.response.status != .notModified,
            reply.failure == nil
        else {
            return DecodedReply(reply: reply)
        }
        if let model = try? decoder.model(of: reply.response) {
            return DecodedReply(reply: reply, model: model)
        }
        // It can be decoded as another call's model, but not as this one's.
        reply.write?.release()
        return try await fetch(because: .unreadable, instead: nil, whole: finding.whole)
    }

    /// Looks the response up again, and sends the request if there is still none.
    private func askAgain() async throws -> DecodedReply<Model> {
        let finding = await lookUp()
        if let reply = try delivered(finding) {
            return reply
        }
        if let duration = lease(for: finding) {
            return try await forward(finding, leasedFor: duration)
        }
        return try await forward(finding)
    }

    /// True if the response belongs to the user whom the cache's key names: no other user's token was set in the
    /// meantime, and no attempt interceptor added credentials.
    var isOwnerKnown: Bool { request.call.facts.isOwnerKnown(of: sentRequest.headers, request.call.policy) }

    /// The request as it was sent last: its token may have been refreshed since the lookup.
    var sentRequest: OutgoingRequest {
        guard let sent = request.call.facts.request.sent else {
            return request
        }
        var request = request
        request.headers[sent.field] = sent.value
        return request
    }
}
