// SPDX-License-Identifier: MIT

import HTTPTypes
import SharedStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One request's dealings with the cache.
struct CacheExchange: Sendable {
    let stage: CacheStage
    /// The request with all its header fields.
    let request: OutgoingRequest
    let ticket: CacheTicket
    let next: Next

    let policy: CachePolicy
    let facts: CacheRequest
    /// Under which the answer is stored.
    let key: CacheKey
    /// From before the request goes out.
    let moment: InvalidationLog.Moment
    let secret: CacheSecret

    init(stage: CacheStage, request: OutgoingRequest, ticket: CacheTicket, next: Next) {
        self.stage = stage
        self.request = request
        self.ticket = ticket
        self.next = next
        policy = request.call.policy.cache
        facts = CacheRequest(method: request.method, headers: request.headers)
        secret = stage.cache.place.secret
        key = CacheKey(request.method, request, secret: secret)
        moment = stage.cache.moment
    }

    /// Whether the request asks for something, rather than changing it: by its method, or because the caller says so.
    var isRead: Bool {
        !policy.followsHTTP || policy.bodyKey != nil || request.method == .get || request.method == .head
    }

    // MARK: Looking up

    /// Answers the request.
    func answer() async throws -> RawResponse {
        guard isRead else {
            return try await fetch(because: .method, instead: nil)
        }
        var (stored, absence) = await find(key)
        var lookup = decide(stored, absence)
        // What answers a GET answers a HEAD too (RFC 9111, section 4).
        var whole: StoredAnswer?
        if request.method == .head, policy.mode != .reload {
            whole = await find(CacheKey(.get, request, secret: secret)).0
            let other = decide(whole, absence)
            if case .use = other {
                (stored, lookup) = (whole, other)
            }
        }
        if case .use(let use) = lookup, let stored {
            if let response = try deliver(stored, use) {
                return response
            }
            (absence, lookup) = (.unreadable, decide(nil, .unreadable))
        }
        switch lookup {
        case .use:
            return try await fetch(because: absence, instead: nil, whole: whole)
        case .revalidate(let reason):
            tell(reason, of: stored)
            guard let stored else {
                return try await fetch(because: reason, instead: nil, whole: whole)
            }
            return try await revalidate(stored, because: reason, whole: whole)
        case .complete(let range, let validator):
            emit(.cacheMiss(.partial))
            return try await complete(stored, range: range, validator: validator)
        case .fetch(let reason):
            tell(reason, of: stored)
            return try await fetch(because: reason, instead: stored, whole: whole)
        case .refuse(let reason):
            tell(reason, of: stored)
            return try refuse(because: reason)
        }
    }

    func emit(_ kind: @autoclosure () -> ClientEvent.Kind) {
        stage.hub.emit(kind(), request.call)
    }

    /// Tells why the cache does not answer.
    private func tell(_ reason: CacheMissReason, of stored: StoredAnswer?) {
        guard reason == .stale, let stored else {
            return emit(.cacheMiss(reason))
        }
        let now = stage.now()
        emit(.cacheStale(age: policy.followsHTTP ? CacheEngine.age(of: stored, now: now) : stored.storedAge(now)))
    }

    private func decide(_ stored: StoredAnswer?, _ absence: CacheMissReason) -> CacheLookup {
        CacheEngine.lookup(stored, absence: absence, request: facts, policy: policy, now: stage.now())
    }

    private func find(_ key: CacheKey) async -> (StoredAnswer?, CacheMissReason) {
        guard policy.mode != .reload else {
            return (nil, .bypassed)
        }
        guard !request.ignoresStored else {
            return (nil, .unreadable)
        }
        do {
            switch try await stage.cache.find(key, selectedBy: request.headers, now: stage.now()) {
            case .answer(let stored): return (stored, .absent)
            case .nothing(let reason): return (nil, reason)
            }
        } catch {
            emit(.cacheFailed(error))
            return (nil, .unreadable)
        }
    }

    /// What a call gets that allows only the cache: an error, or what the rules of HTTP say in its place.
    private func refuse(because reason: CacheMissReason) throws -> RawResponse {
        let error = RestClientError(
            .notCached,
            "only the cache may answer, whose answer is \(reason); use .elseNetwork to ask the server then"
        )
        guard policy.followsHTTP else {
            throw error
        }
        return Self.gatewayTimeout(CacheExplanation(.refused(reason)), failure: error)
    }

    /// The answer of a cache that may not use what it has, and cannot reach the server (RFC 9111, section 5.2.2.2); a call
    /// that does not accept it fails with the error.
    static func gatewayTimeout(_ explanation: CacheExplanation, failure: any Error) -> RawResponse {
        var response = RawResponse(status: .gatewayTimeout, source: .cache(age: .zero))
        response.caching = CacheOutcome(explanation, failure: failure)
        return response
    }

    // MARK: Delivering

    /// The answer that a stored one gives.
    ///
    /// - Returns: `nil` when the stored answer cannot be decoded any more, or has another status than this call wants.
    private func deliver(_ stored: StoredAnswer, _ use: CacheUse) throws -> RawResponse? {
        var explanation = CacheExplanation(use.staleness.map { .stale($0) } ?? .fresh)
        explanation.age = use.age
        explanation.lifetime = use.lifetime
        var response = response(stored, use.delivery, source: .cache(age: use.age))
        response.headers[.age] = String(use.age.components.seconds)
        let decoded = try probed(response, stored, use.delivery)
        if decoded == nil, isVerifiable(stored, use.delivery) {
            return nil
        }
        response.caching = CacheOutcome(explanation, decoded: decoded)
        emit(.cacheHit(age: use.age))
        if use.staleness == .whileRevalidating {
            revalidateInBackground(stored)
        }
        return response
    }

    private func isVerifiable(_ stored: StoredAnswer, _ delivery: CacheDelivery) -> Bool {
        stored.head.isDecodable && delivery == .whole && request.method != .head
    }

    private func probed(
        _ response: RawResponse,
        _ stored: StoredAnswer,
        _ delivery: CacheDelivery
    ) throws -> (any DecodedAnswer)? {
        guard isVerifiable(stored, delivery) else {
            return nil
        }
        do {
            return try ticket.probe.decode(response)
        } catch let error as CancellationError {
            throw error
        } catch {
            return nil
        }
    }

    /// A stored answer in the form asked for.
    func response(_ stored: StoredAnswer, _ delivery: CacheDelivery, source: ResponseSource) -> RawResponse {
        var headers = stored.head.headers
        var status = stored.head.status
        var body = stored.entry.body
        switch delivery {
        case .whole:
            break
        case .part(let offsets, let contentRange):
            status = .partialContent
            headers[.contentRange] = contentRange
            headers[.contentLength] = String(offsets.count)
            body = Data(body.dropFirst(offsets.lowerBound).prefix(offsets.count))
        case .confirmation:
            status = .notModified
            body = Data()
        }
        if request.method == .head {
            body = Data()
        }
        if !policy.followsHTTP {
            // A session that the server opened for one answer must not come back with another.
            headers[.setCookie] = nil
        }
        var response = RawResponse(status: status, headers: headers, body: body, source: source)
        response.url = stored.head.url
        return response
    }
}
