// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

/// A response of the server, and when it was asked for.
struct FetchedAnswer: Sendable {
    var response: RawResponse
    /// The fields of the response, taken from it once.
    let headers: HTTPFields
    let requestTime: Date
    let responseTime: Date
}

extension CacheExchange {
    /// Sends the request, as it is or with further fields.
    func send(adding fields: HTTPFields = [:]) async throws -> FetchedAnswer {
        var request = request
        if !fields.isEmpty {
            request.headers.override(with: fields)
        }
        let requestTime = stage.now()
        let response = try await next(request)
        let headers = response.headers
        return FetchedAnswer(
            response: response,
            headers: headers,
            requestTime: requestTime,
            responseTime: stage.now()
        )
    }

    /// Asks the server, because the cache does not answer.
    ///
    /// A stored response that did not do may stand in when the server fails. The stored whole is that of a GET, when this is a
    /// HEAD, which may bring it up to date.
    func fetch(
        because reason: CacheMissReason,
        instead stored: StoredAnswer?,
        whole: StoredAnswer? = nil
    ) async throws -> RawResponse {
        let fetched: FetchedAnswer
        do {
            fetched = try await send()
        } catch {
            return try standIn(for: error, stored, reason)
        }
        if let response = standIn(for: fetched, stored) {
            return response
        }
        if !isRead {
            await stage.invalidate(request, fetched.response)
        }
        return finished(fetched, because: reason, stored: stored, whole: whole)
    }

    /// Asks the server whether a stored response is still the same.
    func revalidate(
        _ stored: StoredAnswer,
        because reason: CacheMissReason,
        whole: StoredAnswer? = nil
    ) async throws -> RawResponse {
        let fetched: FetchedAnswer
        do {
            fetched = try await send(adding: Preconditions.validating(stored.validators))
        } catch {
            return try standIn(for: error, stored, reason)
        }
        if let response = standIn(for: fetched, stored) {
            return response
        }
        guard fetched.response.status == .notModified else {
            return finished(fetched, because: reason, stored: stored, whole: whole)
        }
        guard isOwnerKnown else {
            // What the server confirms is another user's.
            return try await fetch(because: reason, instead: nil, whole: whole)
        }
        emit(.notModified)
        guard let confirmed = confirmed(stored, by: fetched) else {
            // The server confirms something that is not stored here.
            return try await fetch(because: reason, instead: nil, whole: whole)
        }
        let delivery = CacheEngine.delivery(
            of: confirmed,
            for: facts,
            judgesConditions: false,
            now: fetched.responseTime
        )
        guard let delivery else {
            return try await fetch(because: .partial, instead: nil, whole: whole)
        }
        var explanation = CacheExplanation(.confirmed(reason), storing: .updated)
        explanation.forwardedStatus = fetched.response.status.code
        explanation.age = CacheEngine.age(of: confirmed, now: fetched.responseTime)
        explanation.lifetime = policy.followsHTTP ? CacheEngine.freshness(of: confirmed).lifetime : policy.maxAge
        var response = response(confirmed, delivery, source: .revalidatedCache)
        response.caching = CacheOutcome(explanation, write: write(.refresh(confirmed)))
        return response
    }

    /// Asks the server for what a stored part lacks.
    func complete(_ stored: StoredAnswer?, range: String, validator: String) async throws -> RawResponse {
        guard let stored else {
            return try await fetch(because: .partial, instead: nil)
        }
        let fetched = try await send(adding: [.range: range, .ifRange: validator])
        guard fetched.response.status == .partialContent else {
            return finished(fetched, because: .partial, stored: nil)
        }
        guard isOwnerKnown, let combined = combined(stored, with: fetched), combined.head.status == .ok else {
            return try await fetch(because: .partial, instead: nil)
        }
        var explanation = CacheExplanation(.forwarded(.partial), storing: .stored)
        explanation.forwardedStatus = fetched.response.status.code
        var response = response(combined, .whole, source: .network)
        response.caching = CacheOutcome(explanation, write: write(.store(combined)))
        return response
    }

    // MARK: When the server fails

    /// The stored response in the place of an error of the network, where the server or the request allows that; else 504
    /// where a stored response must not be used unasked, and the error where there is none.
    private func standIn(
        for error: any Error,
        _ stored: StoredAnswer?,
        _ reason: CacheMissReason
    ) throws -> RawResponse {
        if policy.failures.include(error), let stored, let response = standIn(stored, isDisconnected: true) {
            return response
        }
        guard policy.followsHTTP, let stored, let failure = error as? RestClientError,
            failure.category == .network || failure.category == .timeout
        else {
            throw error
        }
        if let response = standIn(stored, isDisconnected: failure.category == .network) {
            return response
        }
        guard stored.control.contains(.mustRevalidate) || stored.control.isUnqualified(.noCache) else {
            throw error
        }
        return Self.gatewayTimeout(CacheExplanation(.refused(reason)), failure: failure)
    }

    private func standIn(for fetched: FetchedAnswer, _ stored: StoredAnswer?) -> RawResponse? {
        let status = fetched.response.status
        let isFailure =
            policy.failures.include(status) || (policy.followsHTTP && CacheableStatus.isServerFailure(status))
        guard isFailure, let stored else {
            return nil
        }
        return standIn(stored, isDisconnected: false, forwardedStatus: fetched.response.status.code)
    }

    private func standIn(
        _ stored: StoredAnswer,
        isDisconnected: Bool,
        forwardedStatus: Int? = nil
    ) -> RawResponse? {
        let now = stage.now()
        let use =
            policy.followsHTTP
            ? CacheEngine.standsInForFailure(stored, request: facts, isDisconnected: isDisconnected, now: now)
            : CacheEngine.standsIn(stored, request: facts, policy: policy, now: now)
        guard let use else {
            return nil
        }
        var explanation = CacheExplanation(.stale(.onFailure))
        explanation.age = use.age
        explanation.lifetime = use.lifetime
        explanation.forwardedStatus = forwardedStatus
        var response = response(stored, use.delivery, source: .cache(age: use.age))
        response.headers[.age] = String(use.age.components.seconds)
        response.caching = CacheOutcome(explanation)
        emit(.cacheHit(age: use.age))
        return response
    }

    // MARK: In the background

    /// Refreshes a stored response after it was delivered: a call of its own, with its own identifier and events.
    func revalidateInBackground(_ stored: StoredAnswer) {
        let exchange = inBackground
        stage.background.start(stored.key) {
            await exchange.refresh(stored)
        }
    }

    private var inBackground: CacheExchange {
        let call = request.call.inBackground(startingAt: stage.clock.now())
        let request = OutgoingRequest(
            method: request.method,
            url: request.url,
            headers: request.headers,
            body: request.body,
            call: call,
            caching: ticket
        )
        return CacheExchange(stage: stage, request: request, ticket: ticket, next: next)
    }

    private func refresh(_ stored: StoredAnswer) async {
        let start = stage.clock.now()
        emit(.callStarted)
        do {
            let fields = Preconditions.validating(stored.validators)
            let response =
                try await fields.isEmpty || facts.isConditional
                ? fetch(because: .stale, instead: nil) : revalidate(stored, because: .stale)
            if stored.head.isDecodable, facts.range == .none {
                _ = try ticket.probe.decode(response)
            }
            try Task.checkCancellation()
            if let write = response.caching?.write {
                _ = await write.commit(decodedFrom: response.body, hub: stage.hub, call: request.call)
            }
            let duration = stage.clock.now() - start
            emit(.callSucceeded(status: response.status, source: response.source, duration: duration))
        } catch is CancellationError {
            emit(.callCancelled)
        } catch {
            emit(.callFailed(error))
        }
    }
}
