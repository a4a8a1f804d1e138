// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

/// The exchange of one request with the cache, and with the server where the cache does not respond.
struct CacheExchange: Sendable {
    let stage: CachedCall
    /// The request with all its header fields.
    private(set) var request: OutgoingRequest
    let policy: CachePolicy
    let facts: CacheRequest
    let key: CacheKey
    /// The moment before the request is sent.
    private(set) var moment: InvalidationLog.Moment
    private let place: ResponseCache.Place
    /// The row that an equal call found last.
    private let row: RecalledRow?

    init(_ stage: CachedCall, _ request: OutgoingRequest) {
        self.stage = stage
        self.request = request
        place = stage.cache.responses.place
        let terms = request.call.policy.part(CacheTerms.self)
        policy = terms?.policy ?? .networkOnly
        // An interceptor may send another request within the call.
        row = stage.hasInterceptors ? nil : terms?.row(in: place)
        facts = row?.facts ?? CacheRequest(method: request.method, headers: request.headers)
        key = row?.key ?? CacheKey(request.method, request, secret: place.secret)
        moment = stage.cache.responses.momentBeforeRequest()
    }

    var cache: CallCache { stage.cache }

    var hasInterceptors: Bool { stage.hasInterceptors }

    var secret: CacheSecret { place.secret }

    func moved(to call: CallContext) -> CacheExchange {
        var exchange = self
        exchange.request = request.moved(to: call)
        exchange.moment = cache.responses.momentBeforeRequest()
        return exchange
    }

    /// True if the request reads rather than changes something, by its method or by the caller's declaration.
    var isRead: Bool {
        !policy.followsHTTP || policy.bodyKey != nil || request.method.isRetrieval
    }

    // MARK: - Looking up

    func respond() async throws -> CacheReply {
        guard isRead else {
            return try await fetch(because: .method, instead: nil)
        }
        if let reply = try await recalled() {
            return reply
        }
        // Storage, shared requests and leases heed only their task.
        return try await request.call.waits { try await found() }
    }

    private func found() async throws -> CacheReply {
        var finding = await lookUp()
        if let reply = try delivered(finding) {
            return reply
        }
        if case .use = finding.lookup {
            finding = CacheFinding(lookup: decide(nil, .unreadable), whole: finding.whole)
        } else if policy.mode == .thenNetwork, let stored = finding.stored {
            try await deliverEarly(stored)
        }
        switch finding.lookup {
        case .revalidate(let reason), .fetch(let reason): tell(reason, of: finding.stored)
        case .complete, .use: emit(.cacheMiss(.partial))
        case .refuse(let reason):
            tell(reason, of: finding.stored)
            return try refuse(because: reason)
        }
        return sharesFlight ? try await askTogether(finding) : try await forward(finding)
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

    func forward(_ finding: CacheFinding) async throws -> CacheReply {
        switch finding.lookup {
        case .revalidate(let reason):
            return try await fetch(because: reason, instead: finding.stored, whole: finding.whole, validates: true)
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

    private func find(_ key: CacheKey, _ pastMemory: Bool) async -> ResponseCache.Found {
        guard policy.mode != .reload else {
            return (nil, .bypassed)
        }
        do {
            return try await cache.responses.find(key, selectedBy: request, now: cache.now(), pastMemory: pastMemory)
        } catch {
            emit(.cacheFailed(error))
            return (nil, .unreadable)
        }
    }

    /// Fails a call that allows only the cache: with an error, or with the response that HTTP requires instead.
    private func refuse(because reason: CacheMissReason) throws -> CacheReply {
        let error = RestClientError(
            .notCached,
            "the policy allows only the cache, which has no usable response (\(reason)); use .elseNetwork to send a request then"
        )
        guard policy.followsHTTP else {
            throw error
        }
        return Self.gatewayTimeout(because: reason, failure: error)
    }

    /// Returns 504, for a stored response that must not be used while the server cannot be reached (RFC 9111, section
    /// 5.2.2.2); a call that does not accept the status fails with the error.
    static func gatewayTimeout(because reason: CacheMissReason, failure: any Error) -> CacheReply {
        let response = RawResponse(status: .gatewayTimeout, source: .cache(age: .zero))
        let explanation = CacheExplanation(.refused(reason))
        return CacheReply(response: response, explanation: explanation, failure: failure)
    }

    // MARK: - Delivering

    /// Delivers the response that an equal call found last, if it is stored unchanged and can be used unchanged: a hit
    /// without the computation of its key and the decoding of its row.
    private func recalled() async throws -> CacheReply? {
        guard let row, let (stored, use, companion) = await row.find(policy, now: cache.now()) else {
            return nil
        }
        let keepsModel = policy.keepsModels && stage.decoder.isUniform
        if keepsModel, let kept = companion as? KeptModel, kept.stored === row.stored, stage.decoder.makes(kept.model) {
            return try deliver(stored, use, model: kept.model)
        }
        let reply = try deliver(stored, use)
        if keepsModel, let reply, let model = reply.model, !reply.explanation.isMigrated {
            row.keep(KeptModel(model, of: row.stored), cost: stored.entry.body.count)
        }
        return reply
    }

    /// Delivers the stored response that a lookup found, and keeps its row for equal calls.
    func delivered(_ finding: CacheFinding) throws -> CacheReply? {
        guard case .use(let use) = finding.lookup, let stored = finding.stored,
            let reply = try deliver(stored, use)
        else {
            return nil
        }
        let policy = request.call.policy
        // The request must depend only on its node and the registries.
        if !hasInterceptors, use.staleness == nil, use.delivery == .whole, request.method == .get,
            request.body == nil, policy.headerProviders.isEmpty, policy.tokenField == nil,
            let row = RecalledRow(stored, in: place, key, facts)
        {
            policy.part(CacheTerms.self)?.keep(row)
        }
        return reply
    }

    /// Delivers a stored response, in place of the server's with `forwardedStatus` if that is given; `nil` if it cannot
    /// be decoded, or has a status that the call does not accept.
    func deliver(
        _ stored: StoredResponse,
        _ use: CacheUse,
        model: AnyModel? = nil,
        forwardedStatus: Int? = nil
    ) throws -> CacheReply? {
        var explanation = CacheExplanation(use, of: stored)
        explanation.forwardedStatus = forwardedStatus
        let response = stored.response(to: request, use.delivery, source: .cache(age: use.age))
        guard let reply = try decoded(response, explanation, stored, use.delivery, model) else {
            return nil
        }
        emit(.cacheHit(age: use.age))
        if use.staleness == .whileRevalidating {
            revalidateInBackground(stored)
        }
        return reply
    }

    private func deliverEarly(_ stored: StoredResponse) async throws {
        guard let early = stage.early,
            let use = CacheEngine.anyAge(of: stored, for: facts, policy, cache.now()),
            let reply = try deliver(stored, use), let model = reply.model
        else {
            return
        }
        await early(model, reply)
    }

    /// Decodes a stored response; a body that the user's migration converts is replaced, both here and in the store.
    ///
    /// The reply has no model if interceptors have to change the response before it is decoded, or the caller's own
    /// condition is confirmed; there is none if it cannot be decoded.
    func decoded(
        _ response: RawResponse,
        _ explanation: CacheExplanation,
        _ stored: StoredResponse,
        _ delivery: CacheDelivery,
        _ known: AnyModel? = nil
    ) throws -> CacheReply? {
        var reply = CacheReply(response: response, explanation: explanation, storedKey: key)
        let isVerifiable = stored.head.isDecodable || !hasInterceptors
        guard delivery != .confirmation, isVerifiable else {
            return reply
        }
        do {
            reply.model = try known ?? stage.decoder.decode(&reply, policy)
            if reply.explanation.isMigrated, delivery == .whole, request.method != .head {
                let migrated = stored.migrated(to: reply.response.body)
                reply.write = write(.rewrite(migrated, of: stored.head.bodyID))
            }
            return reply
        } catch is RestClientError {
            return nil
        }
    }
}

struct CacheFinding: Sendable {
    var lookup: CacheLookup
    var stored: StoredResponse?

    /// The stored response to GET, if the request is a HEAD.
    var whole: StoredResponse?
}
