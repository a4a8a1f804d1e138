// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SharedStore

// MARK: - One answer

extension RestClientManager {
    /// Gives what the cache holds for a request, without the network and without a call's events.
    ///
    /// - Parameters:
    ///   - node: The request, described as when it was sent.
    ///   - maxAge: The oldest entry that is good enough, inclusive; zero and `nil` take any age.
    /// - Returns: The stored response; `nil` when there is none that is good enough and can be decoded.
    /// - Throws: ``RestClientError`` when the request cannot be resolved, or `StoreError` when the cache fails.
    @concurrent
    public func cachedResponse<Model>(
        of node: RequestNode<Model>,
        maxAge: Duration? = nil
    ) async throws -> Response<Model>? {
        try await runner.stored(node, maxAge: maxAge)
    }

    /// Stores a model as if the server had answered with it, in place of what is stored.
    ///
    /// - Parameters:
    ///   - model: The model; the request's dogma encodes it.
    ///   - node: The request that it answers. Its own ``RequestNode/decode(_:)`` must understand what the dogma makes.
    ///   - timeToLive: How long it stays fresh; `nil` leaves that to the reader's `maxAge`. By the rules of HTTP
    ///     (``CachePolicy/http``) it is fresh for that time only.
    /// - Throws: ``RestClientError`` when the request cannot be resolved or the model not encoded, or `StoreError` when the
    ///   cache fails.
    @concurrent
    public func storeCached<Model: Encodable>(
        _ model: Model,
        for node: RequestNode<Model>,
        timeToLive: Duration? = nil
    ) async throws {
        let (resolved, request) = try await runner.resolved(node.specification)
        let body = try resolved.dogma.encode(model, for: resolved.dogmaRequest)
        var headers: HTTPFields = [:]
        headers[.contentType] = body.contentType
        try await runner.store(body.bytes, headers, for: request, timeToLive: timeToLive)
        core.hub.emit(.cacheStored, request.call)
    }

    /// Changes the stored model of a request, if there is one.
    ///
    /// What the server said about the stored state no longer holds, so its validators go; its age stays.
    ///
    /// ```swift
    /// try await manager.updateCached(manager.request(.orders)) { $0.append(order) }
    /// ```
    ///
    /// - Parameters:
    ///   - node: The request, described as when it was sent.
    ///   - change: Changes the model; what it throws leaves the stored one as it is.
    /// - Returns: The model as it is stored now; `nil` when none is.
    /// - Throws: ``RestClientError`` when the request cannot be resolved or the model not encoded, `StoreError` when the
    ///   cache fails, or what the closure throws.
    @concurrent
    @discardableResult
    public func updateCached<Model: Encodable>(
        _ node: RequestNode<Model>,
        _ change: @Sendable (inout Model) throws -> Void
    ) async throws -> Model? {
        let (resolved, request) = try await runner.resolved(node.specification)
        guard let stored = try await runner.find(request),
            var model = try? runner.decode(stored, resolved, node.decoding).model
        else {
            return nil
        }
        try change(&model)
        let body = try resolved.dogma.encode(model, for: resolved.dogmaRequest)
        try await runner.replace(stored, with: body, for: request)
        core.hub.emit(.cacheStored, request.call)
        return model
    }

    /// Removes what the cache holds for a request.
    ///
    /// - Parameter node: The request, described as when it was sent.
    /// - Returns: Whether something was removed.
    /// - Throws: ``RestClientError`` when the request cannot be resolved, or `StoreError` when the cache fails.
    @discardableResult
    public func removeCached<Model>(_ node: RequestNode<Model>) async throws -> Bool {
        let (_, request) = try await runner.resolved(node.specification)
        let isRemoved = try await core.cache.remove(CacheKey(request.method, request, secret: core.cache.place.secret))
        if isRemoved {
            core.hub.emit(.cacheRemoved, request.call)
        }
        return isRemoved
    }
}

// MARK: - Many answers

extension RestClientManager {
    /// Marks stored answers as stale: they stay, and are used again once the server has confirmed them.
    ///
    /// - Parameter selections: What to mark.
    /// - Returns: How many there were.
    /// - Throws: `StoreError` when the cache fails.
    @discardableResult
    public func invalidateCached(_ selections: CacheSelection...) async throws -> Int {
        var count = 0
        for selection in selections {
            count += try await core.cache.invalidate(selection)
        }
        if count > 0 {
            core.hub.emit(ClientEvent(.cacheInvalidated))
        }
        return count
    }

    /// Removes stored responses.
    ///
    /// - Parameter selections: What to remove.
    /// - Returns: How many there were.
    /// - Throws: `StoreError` when the cache fails.
    @discardableResult
    public func removeCached(_ selections: CacheSelection...) async throws -> Int {
        var count = 0
        for selection in selections {
            count += try await core.cache.remove(selection)
        }
        if count > 0 {
            core.hub.emit(ClientEvent(.cacheRemoved))
        }
        return count
    }

    /// Lists the stored responses, without their bodies.
    ///
    /// - Returns: The responses, in no particular order.
    /// - Throws: `StoreError` when the cache fails.
    public func cachedAnswers() async throws -> [CachedAnswer] {
        try await core.cache.answers()
    }

    /// The stored answers as a table to read: one line each, newest first.
    ///
    /// - Returns: The table.
    /// - Throws: `StoreError` when the cache fails.
    public func cacheDump() async throws -> String {
        CacheTable.text(try await cachedAnswers(), now: core.now())
    }

    /// How often the cache did what since the manager was made, by the alias of the API operation.
    ///
    /// Calls that name no alias are counted under the empty text. Calls that have nothing to do with the cache are not
    /// counted.
    public var cacheCounters: [String: CacheCounters] { core.cacheTally.counters }

    /// How often the cache did what for the calls of an API operation.
    ///
    /// - Parameter api: The operation's alias.
    /// - Returns: The counters.
    public func cacheCounters<Model>(of api: APIAlias<Model>) -> CacheCounters {
        cacheCounters[api.rawValue] ?? CacheCounters()
    }

    /// Waits until answers that were delivered while a fresh one is fetched are refreshed.
    ///
    /// Call it before a program ends that wants to keep what it asked for last.
    public func finishRevalidations() async {
        await core.background.finish()
    }
}
