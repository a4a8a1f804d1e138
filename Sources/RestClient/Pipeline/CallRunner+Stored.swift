// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

/// What is done with stored responses without a call.
extension CallRunner {
    /// The request that a node describes, with what its header providers give.
    func resolved(_ specification: RequestSpecification) async throws -> (ResolvedRequest, OutgoingRequest) {
        let resolved = try resolve(specification, id: .next(), groupID: nil, start: core.clock.now())
        let policy = resolved.request.call.policy
        var request = resolved.request
        if let scheme = policy.authentication {
            // It says whose the responses are.
            request = try scheme.current(request)
        }
        if !policy.headerProviders.isEmpty {
            let known = request.headers
            request.headers = try await core.clock.limit(to: policy) {
                var headers = known
                try await HeaderProvider.apply(policy.headerProviders, to: &headers)
                return headers
            }
        }
        return (resolved, request)
    }

    /// The stored response that a request selects.
    func find(_ request: OutgoingRequest) async throws -> StoredAnswer? {
        let key = CacheKey(request.method, request, secret: core.cache.place.secret)
        guard case .answer(let stored) = try await core.cache.find(key, selectedBy: request.headers, now: core.now())
        else {
            return nil
        }
        return stored
    }

    /// The stored response of a node, decoded.
    func stored<Model>(_ node: RequestNode<Model>, maxAge: Duration?) async throws -> Response<Model>? {
        let start = core.clock.now()
        let (resolved, request) = try await resolved(node.specification)
        guard let stored = try await find(request) else {
            return nil
        }
        let lookup = CacheEngine.lookup(
            stored,
            request: CacheRequest(method: request.method, headers: request.headers),
            policy: .cacheOnly(maxAge: maxAge),
            now: core.now()
        )
        guard case .use(let use) = lookup, use.delivery == .whole,
            let decoded = try? decode(stored, resolved, node.decoding)
        else {
            return nil
        }
        var raw = Self.raw(stored, age: use.age)
        var explanation = CacheExplanation(.fresh)
        explanation.isMigrated = decoded.body != raw.body
        raw.body = decoded.body
        explanation.age = use.age
        explanation.lifetime = use.lifetime
        raw.caching = CacheOutcome(explanation)
        let answer = Answer(
            raw: raw,
            callID: request.call.id,
            attempts: 0,
            duration: core.clock.now() - start,
            origin: .context(request.call)
        )
        return Response(model: decoded.model, answer: answer)
    }

    /// Decodes a stored response as its call would.
    func decode<Model>(
        _ stored: StoredAnswer,
        _ resolved: ResolvedRequest,
        _ decoding: ResponseDecoding<Model>
    ) throws -> DecodedModel<Model> {
        let raw = Self.raw(stored, age: .zero)
        guard resolved.request.call.policy.acceptedStatuses.contains(raw.status) else {
            throw RestClientError(.unacceptableStatus, "the stored response has the status \(raw.status.description)")
        }
        return try Self.decoded(raw, resolved, decoding)
    }

    /// Stores bytes as the response to a request.
    func store(
        _ bytes: Data,
        _ headers: HTTPFields,
        for request: OutgoingRequest,
        timeToLive: Duration?
    ) async throws {
        let secret = core.cache.place.secret
        let now = core.now()
        let key = CacheKey(request.method, request, secret: secret)
        let head = StoredResponse(
            bodyID: .random(in: .min ... .max),
            status: .ok,
            headers: headers,
            method: request.method,
            requestURL: request.url,
            url: nil,
            requestTime: now,
            responseTime: now,
            selecting: SelectingFields([], of: request.headers, digest: secret.digest),
            requestedRange: nil,
            limit: nil
        )
        let entry = CacheEntry(
            body: bytes,
            storedAt: now,
            expiresAt: timeToLive.map { now.addingTimeInterval($0 / .seconds(1)) },
            tags: CacheTag.all(of: request.call)
        )
        // What is in flight now was asked for before.
        _ = core.cache.beginInvalidatingAll()
        try await core.cache.store(StoredAnswer(key: key.text, head: head, entry: entry), under: key)
    }

    /// Puts other bytes in the place of a stored response's.
    func replace(_ stored: StoredAnswer, with body: EncodedBody, for request: OutgoingRequest) async throws {
        var answer = stored
        answer.head.bodyID = .random(in: .min ... .max)
        answer.head.status = .ok
        answer.head.isDecodable = true
        answer.head.headers[.contentType] = body.contentType ?? stored.head.headers[.contentType]
        // The validators are those of the server's state, which this is not.
        for name in StoredFields.ofTheBytes + [.eTag, .lastModified] {
            answer.head.headers[name] = nil
        }
        answer.entry.body = body.bytes
        _ = core.cache.beginInvalidatingAll()
        let key = CacheKey(request.method, request, secret: core.cache.place.secret)
        try await core.cache.store(answer, under: key)
    }

    private static func raw(_ stored: StoredAnswer, age: Duration) -> RawResponse {
        var raw = RawResponse(
            status: stored.head.status,
            headers: stored.head.headers,
            body: stored.entry.body,
            source: .cache(age: age)
        )
        raw.url = stored.head.url
        return raw
    }
}
