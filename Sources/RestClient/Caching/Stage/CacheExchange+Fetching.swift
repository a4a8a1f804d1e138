// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import SharedStore

extension CacheExchange {
    private func send(adding fields: HTTPFields = [:]) async throws -> FetchedResponse {
        var request = request
        if !fields.isEmpty {
            request.headers.override(with: fields)
        }
        let requestTime = cache.now()
        let response = try await stage.stages.send(request)
        return FetchedResponse(response, requestTime: requestTime, responseTime: cache.now())
    }

    /// Sends the request; if the server fails, `stored` may be delivered instead, and with `validates` the server is
    /// asked to confirm it.
    ///
    /// For HEAD, `whole` is the stored response to GET, which the response may refresh.
    func fetch(
        because reason: CacheMissReason,
        instead stored: StoredResponse?,
        whole: StoredResponse? = nil,
        validates: Bool = false
    ) async throws -> CacheReply {
        let old = validates ? stored.flatMap { hasOwnOrigin($0) ? $0 : nil } : nil
        let fetched: FetchedResponse
        do {
            fetched = try await send(adding: old.map { Preconditions.validating($0.validators) } ?? [:])
        } catch {
            return try standIn(for: error, stored, reason)
        }
        let status = fetched.response.status
        if policy.failures.include(status), let stored,
            let reply = try standIn(stored, isDisconnected: false, forwardedStatus: status.code)
        {
            return reply
        }
        if let old, status == .notModified {
            return try await deliver(old, confirmedBy: fetched, because: reason, whole: whole)
        }
        if !isRead {
            await cache.invalidate(request, fetched.response, at: fetched.responseTime)
        }
        return finished(fetched, because: reason, stored: stored, whole: whole)
    }

    /// Delivers a stored response that the server confirmed; sends the request again if it confirmed something else.
    private func deliver(
        _ stored: StoredResponse,
        confirmedBy fetched: FetchedResponse,
        because reason: CacheMissReason,
        whole: StoredResponse?
    ) async throws -> CacheReply {
        guard isOwnerKnown, isFromSource(of: stored, fetched) else {
            // Another user's response was confirmed, or this one by another resource.
            return try await fetch(because: reason, instead: nil, whole: whole)
        }
        emit(.notModified)
        guard let confirmed = confirmed(stored, by: fetched) else {
            // The server confirmed a state that is not stored here.
            return try await fetch(because: reason, instead: nil, whole: whole)
        }
        let now = fetched.responseTime
        guard let delivery = CacheEngine.delivery(of: confirmed, for: facts, judgesConditions: false, now: now) else {
            return try await fetch(because: .partial, instead: nil, whole: whole)
        }
        var explanation = CacheExplanation(.confirmed(reason), storing: .updated)
        explanation.forwardedStatus = fetched.response.status.code
        explanation.age = confirmed.age(now)
        explanation.lifetime = policy.followsHTTP ? confirmed.freshness.lifetime : policy.maxAge
        explanation.isInMemory = confirmed.isInMemory
        let response = confirmed.response(to: request, delivery, source: .revalidatedCache)
        guard var reply = try decoded(response, explanation, confirmed, delivery) else {
            emit(.cacheMiss(.unreadable))
            return try await fetch(because: .unreadable, instead: nil, whole: whole)
        }
        reply.write = write(.refresh(confirmed))
        return reply
    }

    /// Requests the bytes that a stored part lacks.
    func complete(_ stored: StoredResponse?, range: String, validator: String) async throws -> CacheReply {
        guard let stored, hasOwnOrigin(stored) else {
            return try await fetch(because: .partial, instead: nil)
        }
        let fetched = try await send(adding: [.range: range, .ifRange: validator])
        guard fetched.response.status == .partialContent else {
            return finished(fetched, because: .partial, stored: nil)
        }
        guard isOwnerKnown, let combined = combined(stored, with: fetched), combined.head.status == .ok else {
            return try await fetch(because: .partial, instead: nil)
        }
        let response = combined.response(to: request, source: .network)
        return reply(response, to: fetched, because: .partial, storing: combined, under: key)
    }

    // MARK: - When the server fails

    /// Returns the stored response in place of a network error, if the server or the request allows it; 504 if a stored
    /// response must not be used without validation.
    private func standIn(
        for error: any Error,
        _ stored: StoredResponse?,
        _ reason: CacheMissReason
    ) throws -> CacheReply {
        guard policy.failures.include(error), let stored else {
            throw error
        }
        let isDisconnected = (error as? RestClientError)?.failureClass == .network
        if let reply = try standIn(stored, isDisconnected: isDisconnected) {
            return reply
        }
        guard policy.followsHTTP, stored.control.contains(.mustRevalidate) || stored.control.isUnqualified(.noCache)
        else {
            throw error
        }
        return Self.gatewayTimeout(because: reason, failure: error)
    }

    private func standIn(
        _ stored: StoredResponse,
        isDisconnected: Bool,
        forwardedStatus: Int? = nil
    ) throws -> CacheReply? {
        let now = cache.now()
        let use =
            policy.followsHTTP
            ? CacheEngine.standsInForFailure(stored, request: facts, isDisconnected: isDisconnected, now: now)
            : CacheEngine.standsIn(stored, request: facts, policy: policy, now: now)
        return try use.flatMap { try deliver(stored, $0, forwardedStatus: forwardedStatus) }
    }

    // MARK: - In the background

    /// Refreshes a stored response after it was delivered: a separate call, with its own identifier and events.
    func revalidateInBackground(_ stored: StoredResponse) {
        var policy = request.call.policy
        policy.priority = .low
        policy.passesPool = false
        policy.set(EventRelay?.none)
        let beginning = CallContext.Beginning(id: .next(), start: cache.clock.now())
        let exchange = moved(to: request.call.another(policy: policy, beginning))
        cache.background.start(stored.key) {
            await exchange.refresh(stored)
        }
    }

    private func refresh(_ stored: StoredResponse) async {
        let call = request.call
        let start = cache.clock.now()
        emit(.callStarted)
        let span = cache.tracing.current?.begin(call)
        do {
            let reply =
                if let span {
                    try await span.surround { try await refreshed(stored) }
                } else {
                    try await refreshed(stored)
                }
            let (status, source) = (reply.response.status, reply.response.source)
            span?.end(.success(status, source, attempts: call.attempts))
            emit(.callSucceeded(status: status, source: source, duration: cache.clock.now() - start))
        } catch {
            span?.end(.failure(error, attempts: call.attempts))
            let seen = (error as? RestClientError)?.readable(in: call) ?? error
            emit(error is CancellationError ? .callCancelled : .callFailed(seen))
        }
    }

    private func refreshed(_ stored: StoredResponse) async throws -> CacheReply {
        let validates = !stored.validators.isEmpty && !facts.isConditional
        var reply = try await fetch(because: .stale, instead: validates ? stored : nil, validates: validates)
        let write = reply.write
        defer { write?.release() }
        if reply.model == nil, stored.head.isDecodable, facts.range == .none {
            reply.model = try stage.decoder.decode(&reply, policy)
        }
        try Task.checkCancellation()
        if let write {
            _ = await write.commit(decodedFrom: reply.response.body, hub: cache.hub, call: request.call)
        }
        return reply
    }
}
