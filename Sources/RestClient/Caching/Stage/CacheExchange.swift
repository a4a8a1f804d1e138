// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

/// The exchange of one request with the cache, and with the server where the cache does not respond.
struct CacheExchange<Model: Sendable>: Sendable {
    let cache: CallCache
    /// The request with all its header fields.
    let request: OutgoingRequest
    let next: Next
    let decoder: ModelDecoder<Model>
    /// True if interceptors may have to change a stored response before it is decoded.
    let hasInterceptors: Bool
    let early: CachedCall<Model>.Early?

    let policy: CachePolicy
    let facts: CacheRequest
    /// The key of the stored response.
    let key: CacheKey
    /// The moment before the request is sent.
    let moment: InvalidationLog.Moment
    let secret: CacheSecret

    init(
        cache: CallCache,
        request: OutgoingRequest,
        next: Next,
        decoder: ModelDecoder<Model>,
        hasInterceptors: Bool,
        early: CachedCall<Model>.Early? = nil
    ) {
        self.cache = cache
        self.request = request
        self.next = next
        self.decoder = decoder
        self.hasInterceptors = hasInterceptors
        self.early = early
        policy = request.call.policy.cache
        facts = CacheRequest(method: request.method, headers: request.headers)
        secret = cache.responses.place.secret
        key = CacheKey(request.method, request, secret: secret)
        moment = cache.responses.momentBeforeRequest()
    }

    /// Returns the same exchange for another call.
    func moved(to call: CallContext) -> CacheExchange {
        CacheExchange(
            cache: cache,
            request: request.moved(to: call),
            next: next,
            decoder: decoder,
            hasInterceptors: hasInterceptors
        )
    }

    /// True if the request reads rather than changes something, by its method or by the caller's declaration.
    var isRead: Bool {
        !policy.followsHTTP || policy.bodyKey != nil || request.method.isRetrieval
    }

    // MARK: - Looking up

    /// Responds to the request, from the cache where the policy allows it.
    func respond() async throws -> DecodedReply<Model> {
        guard isRead else {
            return try await fetch(because: .method, instead: nil)
        }
        let finding = await lookUp()
        switch finding.lookup {
        case .use(let use):
            guard let stored = finding.stored, let reply = try deliver(stored, use) else {
                return try await ask(CacheFinding(lookup: decide(nil, .unreadable), whole: finding.whole))
            }
            return reply
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

    /// Looks the response up; the disk is read if another process may just have stored it.
    func lookUp(pastMemory: Bool = false) async -> CacheFinding {
        let (stored, absence) = await find(key, pastMemory)
        var finding = CacheFinding(lookup: decide(stored, absence), stored: stored)
        // A response to GET satisfies a HEAD too (RFC 9111, section 4).
        if request.method == .head, policy.mode != .reload {
            finding.whole = await find(CacheKey(.get, request, secret: secret), pastMemory).0
            let other = decide(finding.whole, absence)
            if case .use = other {
                (finding.stored, finding.lookup) = (finding.whole, other)
            }
        }
        return finding
    }

    /// Sends the request, for this call or for all equal ones in progress.
    private func ask(_ finding: CacheFinding) async throws -> DecodedReply<Model> {
        switch finding.lookup {
        case .revalidate(let reason), .fetch(let reason): tell(reason, of: finding.stored)
        case .complete, .use: emit(.cacheMiss(.partial))
        case .refuse(let reason):
            tell(reason, of: finding.stored)
            return try refuse(because: reason)
        }
        return sharesFlight ? try await askTogether(finding) : try await forward(finding)
    }

    /// Requests the missing response or part.
    func forward(_ finding: CacheFinding) async throws -> DecodedReply<Model> {
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
        cache.hub.emit(kind(), request.call)
    }

    /// Emits the reason why the cache does not respond.
    private func tell(_ reason: CacheMissReason, of stored: StoredResponse?) {
        guard reason == .stale, let stored else {
            return emit(.cacheMiss(reason))
        }
        let now = cache.now()
        emit(.cacheStale(age: policy.followsHTTP ? stored.age(now) : stored.storedAge(now)))
    }

    private func decide(_ stored: StoredResponse?, _ absence: CacheMissReason) -> CacheLookup {
        CacheEngine.lookup(stored, absence: absence, request: facts, policy: policy, now: cache.now())
    }

    private func find(_ key: CacheKey, _ pastMemory: Bool) async -> (StoredResponse?, CacheMissReason) {
        guard policy.mode != .reload else {
            return (nil, .bypassed)
        }
        do {
            let found = try await cache.responses.find(
                key,
                selectedBy: request,
                now: cache.now(),
                pastMemory: pastMemory
            )
            switch found {
            case .response(let stored): return (stored, .absent)
            case .nothing(let reason): return (nil, reason)
            }
        } catch {
            emit(.cacheFailed(error))
            return (nil, .unreadable)
        }
    }

    /// Fails a call that allows only the cache: with an error, or with the response that HTTP requires instead.
    private func refuse(because reason: CacheMissReason) throws -> DecodedReply<Model> {
        let error = RestClientError(
            .notCached,
            "the policy allows only the cache, which has no usable response (\(reason)); use .elseNetwork to send a request then"
        )
        guard policy.followsHTTP else {
            throw error
        }
        return Self.gatewayTimeout(CacheExplanation(.refused(reason)), failure: error)
    }

    /// Returns 504, for a stored response that must not be used while the server cannot be reached (RFC 9111, section
    /// 5.2.2.2); a call that does not accept the status fails with the error.
    static func gatewayTimeout(
        _ explanation: CacheExplanation,
        failure: any Error
    ) -> DecodedReply<Model> {
        let response = RawResponse(status: .gatewayTimeout, source: .cache(age: .zero))
        return DecodedReply(CacheReply(response: response, explanation: explanation, failure: failure))
    }

    // MARK: - Delivering

    /// Delivers a stored response.
    ///
    /// - Returns: `nil` if the stored response cannot be decoded, or has a status that the call does not accept.
    func deliver(_ stored: StoredResponse, _ use: CacheUse) throws -> DecodedReply<Model>? {
        var response = response(stored, use.delivery, source: .cache(age: use.age))
        response.setAge(use.age)
        guard let reply = try decoded(response, CacheExplanation(use, of: stored), stored, use.delivery) else {
            return nil
        }
        // An interceptor may send another request within the call.
        if !hasInterceptors, use.staleness == nil, use.delivery == .whole {
            cache.remember(stored, for: request, facts)
        }
        emit(.cacheHit(age: use.age))
        if use.staleness == .whileRevalidating {
            revalidateInBackground(stored)
        }
        return reply
    }

    /// Delivers a stored response before the server's.
    private func deliverEarly(_ stored: StoredResponse) async throws {
        guard let early,
            let use = CacheEngine.anyAge(of: stored, for: facts, policy, cache.now()),
            let reply = try deliver(stored, use), let model = reply.model
        else {
            return
        }
        await early(model, reply.reply)
    }

    /// Decodes a stored response; a body that the user's migration converts is replaced, both here and in the store.
    ///
    /// - Returns: The reply, without a model if interceptors have to change the response before it is decoded, or the
    ///   caller's own condition is confirmed; `nil` if it cannot be decoded.
    func decoded(
        _ response: RawResponse,
        _ explanation: CacheExplanation,
        _ stored: StoredResponse,
        _ delivery: CacheDelivery
    ) throws -> DecodedReply<Model>? {
        var reply = CacheReply(response: response, explanation: explanation, storedKey: key)
        let isVerifiable = stored.head.isDecodable || !hasInterceptors
        guard delivery != .confirmation, isVerifiable else {
            return DecodedReply(reply)
        }
        do {
            return DecodedReply(reply, model: try decoder.model(of: response))
        } catch let error as RestClientError {
            guard error.code == .decodingFailed, let body = policy.migration.body(instead: response) else {
                return nil
            }
            reply.response.body = body
            guard let model = try? decoder.model(of: reply.response) else {
                return nil
            }
            reply.explanation.isMigrated = true
            if delivery == .whole, request.method != .head {
                reply.write = write(.rewrite(stored.migrated(to: body), of: stored.head.bodyID))
            }
            return DecodedReply(reply, model: model)
        }
    }

    /// Returns a stored response in the requested form.
    func response(_ stored: StoredResponse, _ delivery: CacheDelivery, source: ResponseSource) -> RawResponse {
        var headers = stored.fields(policy)
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
        let url = stored.url(for: request)
        return RawResponse(
            RawResponse.Parts(status: status, head: .fields(headers), body: body, source: source, url: url)
        )
    }
}
