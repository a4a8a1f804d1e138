// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

extension CacheExchange {
    /// True if the request may be shared with equal ones: one that only reads, unless the call says no.
    ///
    /// Work inside a worker's slot asks alone: it must not wait for someone who may be waiting for that slot. Nor must
    /// what refreshes a token, for which holders of slots may wait.
    var sharesFlight: Bool {
        let isSafe = request.method.isRetrieval || policy.bodyKey != nil
        let policy = request.call.policy
        return isSafe && policy.sharesFlight != false && !policy.passesPool && !WorkerPool.isInSlot
    }

    /// Asks the server once for all equal calls that are under way.
    ///
    /// The leader looks at the cache once more: an equal request may have ended since the first look. The response is
    /// stored once, by the leader, and newcomers get it until that is done: so nothing is fetched twice within its
    /// lifetime.
    func askTogether(_ finding: CacheFinding) async throws -> DecodedReply<Model> {
        let key = FlightKey(request, variant: CacheVariant(key: key, policy: policy))
        let leaderModel = LeaderModel<Model>()
        let shared = try await cache.flights.run(key, for: request.call, on: request.call.forSharing()) { call in
            let exchange = moved(to: call)
            let decoded = try await exchange.askAgain()
            leaderModel.keep(decoded.model)
            // Followers decode the response themselves: the models of equal calls may differ.
            return SharedResponse(content: decoded.reply, isForAnyone: exchange.isOwnerKnown)
        }
        guard let shared else {
            return try await forward(finding)
        }
        let reply = shared.duty.map(shared.content.holding) ?? shared.content.shared()
        if let model = leaderModel.take() {
            return DecodedReply(reply, model: model)
        }
        guard reply.response.source.isCache, !hasInterceptors, reply.response.status != .notModified,
            reply.failure == nil
        else {
            return DecodedReply(reply)
        }
        if let model = try? decoder.model(of: reply.response) {
            return DecodedReply(reply, model: model)
        }
        // Another call's model was made of it, and this one's cannot be.
        reply.write?.release()
        return try await fetch(because: .unreadable, instead: nil, whole: finding.whole)
    }

    /// Looks once more, and asks the server unless there is a response now.
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

    /// Delivers the stored response that a look at the cache found to be good enough.
    func delivered(_ finding: CacheFinding) throws -> DecodedReply<Model>? {
        guard case .use(let use) = finding.lookup, let stored = finding.stored else {
            return nil
        }
        return try deliver(stored, use)
    }

    /// True if the response is for the user whom the cache's key names, as far as is known: not when another user's
    /// token was set meanwhile, or an attempt interceptor added credentials of its own.
    var isOwnerKnown: Bool { request.call.facts.isOwnerKnown(of: sentRequest.headers, request.call.policy) }

    /// The request as it went out last: its token may have been refreshed after the cache was looked at.
    var sentRequest: OutgoingRequest {
        guard let sent = request.call.facts.sent else {
            return request
        }
        var request = request
        request.headers[sent.field] = sent.value
        return request
    }
}
