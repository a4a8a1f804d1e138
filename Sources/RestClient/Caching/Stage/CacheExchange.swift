// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

/// One request's dealings with the cache.
struct CacheExchange: Sendable {
    let stage: CacheStage
    /// The request with all its header fields.
    let request: OutgoingRequest
    let ticket: CacheTicket
    let next: Next

    let policy: CachePolicy
    let facts: CacheRequest
    /// Under which the response is stored.
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
        let finding = await lookUp()
        switch finding.lookup {
        case .use(let use):
            guard let stored = finding.stored, let response = try deliver(stored, use) else {
                return try await ask(Finding(lookup: decide(nil, .unreadable), whole: finding.whole))
            }
            return response
        case .refuse(let reason):
            tell(reason, of: finding.stored)
            return try refuse(because: reason)
        case .revalidate, .complete, .fetch:
            if policy.mode == .thenNetwork, let stored = finding.stored {
                try await deliverEarly(stored)
            }
            return try await ask(finding)
        }
    }

    /// What a look at the cache brings.
    struct Finding: Sendable {
        var lookup: CacheLookup
        var stored: StoredAnswer?
        /// The stored response to GET, when this is a HEAD.
        var whole: StoredAnswer?
    }

    /// Looks at the cache; past the memory in front of it when another process may just have stored something.
    func lookUp(pastMemory: Bool = false) async -> Finding {
        let (stored, absence) = await find(key, pastMemory)
        var finding = Finding(lookup: decide(stored, absence), stored: stored)
        // What answers a GET answers a HEAD too (RFC 9111, section 4).
        if request.method == .head, policy.mode != .reload {
            finding.whole = await find(CacheKey(.get, request, secret: secret), pastMemory).0
            let other = decide(finding.whole, absence)
            if case .use = other {
                (finding.stored, finding.lookup) = (finding.whole, other)
            }
        }
        return finding
    }

    /// Asks the server, for this call or for all equal ones that are under way.
    private func ask(_ finding: Finding) async throws -> RawResponse {
        switch finding.lookup {
        case .revalidate(let reason), .fetch(let reason): tell(reason, of: finding.stored)
        case .complete, .use: emit(.cacheMiss(.partial))
        case .refuse(let reason):
            tell(reason, of: finding.stored)
            return try refuse(because: reason)
        }
        return sharesFlight ? try await askTogether(finding) : try await forward(finding)
    }

    /// Asks the server what the look at the cache showed to be missing.
    func forward(_ finding: Finding) async throws -> RawResponse {
        switch finding.lookup {
        case .revalidate(let reason):
            guard let stored = finding.stored else {
                return try await fetch(because: reason, instead: nil, whole: finding.whole)
            }
            return try await revalidate(stored, because: reason, whole: finding.whole)
        case .complete(let range, let validator):
            return try await complete(finding.stored, range: range, validator: validator)
        case .fetch(let reason):
            return try await fetch(because: reason, instead: finding.stored, whole: finding.whole)
        case .use, .refuse:
            return try await fetch(because: .unreadable, instead: nil, whole: finding.whole)
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

    private func find(_ key: CacheKey, _ pastMemory: Bool) async -> (StoredAnswer?, CacheMissReason) {
        guard policy.mode != .reload else {
            return (nil, .bypassed)
        }
        guard !request.ignoresStored else {
            return (nil, .unreadable)
        }
        do {
            let found = try await stage.cache.find(
                key,
                selectedBy: request.headers,
                now: stage.now(),
                pastMemory: pastMemory
            )
            switch found {
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

    /// The response of a cache that may not use what it has, and cannot reach the server (RFC 9111, section 5.2.2.2); a call
    /// that does not accept it fails with the error.
    static func gatewayTimeout(_ explanation: CacheExplanation, failure: any Error) -> RawResponse {
        var response = RawResponse(status: .gatewayTimeout, source: .cache(age: .zero))
        response.caching = CacheOutcome(explanation, failure: failure)
        return response
    }

    // MARK: Delivering

    /// The response that a stored one gives.
    ///
    /// - Returns: `nil` when the stored response cannot be decoded any more, or has another status than this call wants.
    func deliver(_ stored: StoredAnswer, _ use: CacheUse) throws -> RawResponse? {
        var explanation = CacheExplanation(use.staleness.map { .stale($0) } ?? .fresh)
        explanation.age = use.age
        explanation.lifetime = use.lifetime
        var response = response(stored, use.delivery, source: .cache(age: use.age))
        response.headers[.age] = String(use.age.components.seconds)
        guard try finish(&response, explanation, stored, use.delivery) else {
            return nil
        }
        emit(.cacheHit(age: use.age))
        if use.staleness == .whileRevalidating || policy.mode == .refreshSilently {
            revalidateInBackground(stored)
        }
        return response
    }

    /// Hands what is stored to a call that waits for the server's response too.
    private func deliverEarly(_ stored: StoredAnswer) async throws {
        guard let take = ticket.takeEarly,
            let use = CacheEngine.anyAge(of: stored, for: facts, policy, stage.now()),
            let response = try deliver(stored, use)
        else {
            return
        }
        await take(response)
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

    /// Says what the cache did about a stored response, and sees that it decodes; when that takes the user's migration, the
    /// body is replaced, here and in the store.
    ///
    /// - Returns: Whether it decodes, as far as can be seen here.
    private func finish(
        _ response: inout RawResponse,
        _ explanation: CacheExplanation,
        _ stored: StoredAnswer,
        _ delivery: CacheDelivery
    ) throws -> Bool {
        let decoded = try probed(response, stored, delivery)
        var explanation = explanation
        var write: PendingCacheWrite?
        if let body = decoded?.body, body != response.body {
            response.body = body
            explanation.isMigrated = true
            write = self.write(.rewrite(stored.migrated(to: body), of: stored.head.bodyID))
        }
        response.caching = CacheOutcome(explanation, write: write, decoded: decoded)
        return decoded != nil || !isVerifiable(stored, delivery)
    }

    /// A stored response in the form asked for.
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
