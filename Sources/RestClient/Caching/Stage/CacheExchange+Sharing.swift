// SPDX-License-Identifier: MIT

import HTTPTypes

extension CacheExchange {
    /// Whether the request may be asked together with equal ones: one that only reads, unless the call says no.
    ///
    /// Work inside a worker's slot asks alone: it must not wait for someone who may be waiting for that slot. Nor must what
    /// refreshes a token, for which holders of slots may wait.
    var sharesFlight: Bool {
        let isSafe = request.method == .get || request.method == .head || policy.bodyKey != nil
        let policy = request.call.policy
        return isSafe && policy.sharesFlight != false && !policy.passesPool && !request.ignoresStored
            && !WorkerPool.isInSlot
    }

    /// Asks the server together with all equal calls that are under way.
    ///
    /// Whoever runs the request looks at the cache once more: an equal request may have ended since the first look. It is
    /// stored once, by one of the calls, and newcomers are given the response until that is done: so nothing is fetched twice
    /// within its lifetime.
    func askTogether(_ finding: Finding) async throws -> RawResponse {
        let call = request.call.forSharing()
        let flightKey = FlightKey(request, cacheKey: key.text)
        let shared = try await stage.flights.fly(flightKey, for: request.call, on: call) { call in
            let exchange = aboard(call)
            return FlightAnswer(
                response: try await exchange.answerAgain(),
                isForAnyone: exchange.isOwnerKnown
            )
        }
        guard let shared else {
            return try await forward(finding)
        }
        var response = shared.value.response
        guard let caching = response.caching else {
            return response
        }
        response.caching = shared.hold.map(caching.held) ?? caching.shared()
        return response
    }

    /// The same dealings under the call that stands for all.
    private func aboard(_ call: CallContext) -> CacheExchange {
        CacheExchange(stage: stage, request: request.moved(to: call), ticket: ticket, next: next)
    }

    /// Looks once more, and asks the server unless there is a response now.
    private func answerAgain() async throws -> RawResponse {
        let finding = await lookUp()
        if let response = try delivered(finding) {
            return response
        }
        if let duration = lease(for: finding) {
            return try await forward(finding, leasedFor: duration)
        }
        return try await forward(finding)
    }

    /// The stored response that a look at the cache found to be good enough.
    func delivered(_ finding: Finding) throws -> RawResponse? {
        guard case .use(let use) = finding.lookup, let stored = finding.stored else {
            return nil
        }
        return try deliver(stored, use)
    }

    /// Whether the response is for whoever the cache's key names, as far as is known: not when another user's token was set
    /// meanwhile, or an attempt interceptor added credentials of its own.
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
