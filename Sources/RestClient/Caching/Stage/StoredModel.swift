// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

/// The stored response to one request, read and changed without a call.
struct StoredModel<Model: Sendable>: Sendable {
    let cache: CallCache
    /// The request with all its header fields.
    let request: OutgoingRequest
    let decoder: ModelDecoder<Model>

    private var key: CacheKey { CacheKey(request.method, request, secret: cache.responses.place.secret) }

    func find(pastMemory: Bool = false) async throws(StoreError) -> StoredResponse? {
        try await cache.responses.find(key, selectedBy: request, now: cache.now(), pastMemory: pastMemory).stored
    }

    func read(maxAge: Duration?) async throws(StoreError) -> (model: Model, reply: CacheReply)? {
        let facts = CacheRequest(method: request.method, headers: request.headers)
        guard let stored = try await find(),
            case .use(let use) = CacheEngine.judge(stored, facts, .cacheOnly(maxAge: maxAge), cache.now()),
            use.delivery == .whole
        else {
            return nil
        }
        return decode(stored, CacheExplanation(use, of: stored))
    }

    /// The number of times that a change is repeated; whenever it is, one of the others has finished.
    private static var changeLimit: Int { 1_000 }

    /// Changes the stored model without losing concurrent changes; `change` is called again if others have changed it
    /// meanwhile.
    func update(
        _ change: @Sendable (inout Model) throws -> Void,
        _ encode: (Model) throws -> EncodedBody
    ) async throws -> Model? {
        for attempt in 0..<Self.changeLimit {
            // Memory may be a few milliseconds behind another process.
            guard let stored = try await find(pastMemory: attempt > 0), var (model, _) = decode(stored) else {
                return nil
            }
            try change(&model)
            let body = try encode(model)
            try check(body)
            try Task.checkCancellation()
            if try await replace(stored, with: body) {
                cache.hub.emit(.cacheStored, request.call, value: model, oldValue: { decode(stored)?.model })
                return model
            }
        }
        throw StoreError(.busy, "others kept changing the stored response while it was being changed")
    }

    func store(_ model: Model, as body: EncodedBody, timeToLive: Duration?) async throws {
        let headers = try check(body)
        let now = cache.now()
        let old = await oldValue()
        let head = StoredHead(
            bodyID: .random(in: .min ... .max),
            status: .ok,
            headers: headers,
            method: request.method,
            requestURL: request.url,
            requestTime: now,
            responseTime: now,
            selecting: SelectingFields([])
        )
        // Responses in flight were requested before the change.
        _ = await cache.responses.beginInvalidating(key.urlPrefix)
        let stored = StoredResponse(
            key: key.text,
            head: head,
            entry: CacheEntry(body.bytes, of: request.call, at: now, timeToLive: timeToLive),
            isInMemory: request.call.policy.cache.isInMemory
        )
        _ = try await cache.responses.store(stored, under: key) { _ in true }
        cache.hub.emit(.cacheStored, request.call, value: model, oldValue: old)
    }

    func remove() async throws(StoreError) -> Bool {
        let old = await oldValue()
        _ = await cache.responses.beginInvalidating(key.urlPrefix)
        let isRemoved = try await cache.responses.remove(key)
        if isRemoved {
            cache.hub.emit(.cacheRemoved, request.call, oldValue: old)
        }
        return isRemoved
    }

    // MARK: - Parts

    /// Reads what a change replaces, for its event; `nil` without an observer.
    private func oldValue() async -> ClientEvent.OldValue? {
        guard cache.hub.isObserved, let stored = try? await find() else {
            return nil
        }
        return { decode(stored)?.model }
    }

    /// Checks that the call's own decoder can decode a body; returns the header fields of its response.
    @discardableResult
    private func check(_ body: EncodedBody) throws(RestClientError) -> HTTPFields {
        var headers: HTTPFields = [:]
        headers[.contentType] = body.contentType
        do {
            _ = try decoder.model(of: RawResponse(headers: headers, body: body.bytes, source: .cache(age: .zero)))
        } catch {
            throw RestClientError(
                .encodingFailed,
                "the body that \(type(of: decoder.terms.dogma)) makes of \(Model.self) does not decode to it again; "
                    + "implement encodeResponse(_:for:), or decode(_:) of the request",
                underlying: error
            )
        }
        return headers
    }

    private func decode(
        _ stored: StoredResponse,
        _ explanation: CacheExplanation = CacheExplanation(.fresh)
    ) -> (model: Model, reply: CacheReply)? {
        let response = stored.response(to: request, source: .cache(age: explanation.age ?? .zero))
        var reply = CacheReply(response: response, explanation: explanation)
        guard let model = try? decoder.model(of: &reply, request.call.policy.cache) else {
            return nil
        }
        return (model, reply)
    }

    /// Replaces the body of a stored response; returns false if it is not the stored one any more.
    private func replace(_ stored: StoredResponse, with body: EncodedBody) async throws -> Bool {
        let changed = stored.rewritten(as: body.bytes) { head in
            head.status = .ok
            head.isDecodable = true
            head.changedAt = cache.now()
            head.headers[.contentType] = body.contentType ?? head.headers[.contentType]
            // The validators belong to the server's state, which differs from this one.
            head.headers[.eTag] = nil
            head.headers[.lastModified] = nil
        }
        _ = await cache.responses.beginInvalidating(key.urlPrefix)
        return try await cache.responses.store(changed, under: key) { $0 == stored.head }
    }
}
