// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
public import SharedStore

extension RestClientManager {
    /// The stored responses, and the methods that read and change them without a call.
    ///
    /// Within a scope of dummies or of a recording, these are the stored responses of the scope, which are in memory.
    public var cache: Cache { Cache(manager: self) }

    /// The stored responses of a manager.
    ///
    /// A single response is identified by its request, described as when it was sent; several are chosen by a
    /// ``CacheSelection``.
    ///
    /// ```swift
    /// let orders = try await manager.cache.read(manager.request(.orders))
    /// try await manager.cache.invalidate(.api(.orders), .tag("user 7"))
    /// ```
    public struct Cache: Sendable {
        let manager: RestClientManager

        private var calls: CallCache { manager.core.cache.inside(manager.core.isolation) }

        /// The underlying store: its entries are sealed rows, its statistics and limits are those of all responses
        /// except those in memory only (``CachePolicy/inMemory()``).
        public var storage: ExpiringCache { calls.responses.place.storage }
    }
}

// MARK: - One response

extension RestClientManager.Cache {
    /// Reads the stored response to a request, without the network and without a call's events.
    ///
    /// - Parameters:
    ///   - node: The request.
    ///   - maxAge: The maximum age of an entry, inclusive; zero and `nil` accept any age.
    /// - Returns: The stored response; `nil` if none is young enough and decodes.
    /// - Throws: ``RestClientError`` when the request cannot be resolved, or `StoreError` when the cache fails.
    @concurrent
    public func read<Model>(_ node: RequestNode<Model>, maxAge: Duration? = nil) async throws -> Response<Model>? {
        let start = manager.core.clock.now()
        let (stored, _) = try await manager.runner.storedModel(node)
        guard let (model, reply) = try await stored.read(maxAge: maxAge) else {
            return nil
        }
        let call = stored.request.call
        let details = ResponseDetails(
            raw: reply.response,
            callID: call.id,
            attempts: 0,
            duration: manager.core.clock.now() - start,
            startedAt: manager.core.date(of: start),
            origin: .context(call),
            cache: reply.explanation
        )
        return Response(model: model, details: details)
    }

    /// Prefetches a response into the cache, at low priority; failures are reported only to observers of events.
    ///
    /// Unless the node has a policy, a request is sent only if the stored response is stale by the rules of HTTP. The
    /// handlers of the node (`onSuccess` and others) are not called.
    ///
    /// - Parameter node: The request.
    /// - Returns: The call, which can be cancelled or awaited.
    @discardableResult
    public func prefetch<Model>(_ node: RequestNode<Model>) -> RequestCall {
        var node = node
        node.handlers.callbacks = RequestCallbacks()
        node.options[.priority] = node.options[.priority] ?? .low
        if node.options[.cachePolicy] == nil {
            node.options[.usesCacheUnlessDenied] = true
        }
        let (sent, manager) = (node, manager)
        return manager.start(sent, priority: .background) { call in
            _ = try? await manager.perform(sent, announced: call, early: nil)
        }
    }

    /// Stores a model as if the server had sent it, and replaces the stored response.
    ///
    /// - Parameters:
    ///   - model: The model; ``Dogma/encodeResponse(_:for:)`` of the request's dogma encodes it.
    ///   - node: The request. Nothing is stored unless it can decode the model again.
    ///   - timeToLive: The time for which it stays fresh; `nil` leaves that to the reader's `maxAge`. By the rules of
    ///     HTTP (``CachePolicy/http``) it is fresh for that time only.
    /// - Throws: ``RestClientError`` when the request cannot be resolved or the model cannot be encoded, or
    ///   `StoreError` when the cache fails.
    @concurrent
    public func store<Model: Encodable>(
        _ model: Model,
        for node: RequestNode<Model>,
        timeToLive: Duration? = nil
    ) async throws {
        let (stored, context) = try await manager.runner.storedModel(node)
        try await stored.store(model, as: try context.prepared.coding.encodeResponse(model), timeToLive: timeToLive)
    }

    /// Changes the stored model of a request, if there is one.
    ///
    /// The server's validators do not apply to the changed state and are removed; the age stays the same.
    ///
    /// ```swift
    /// try await manager.cache.update(manager.request(.orders)) { $0.append(order) }
    /// ```
    ///
    /// No concurrent change is lost, of other tasks or of other processes with the same directory.
    ///
    /// - Parameters:
    ///   - node: The request.
    ///   - change: Changes the model; if it throws, the stored one is unchanged. It is called again if others have
    ///     changed the stored model meanwhile, so it must have no side effects.
    /// - Returns: The model as it is now stored; `nil` if nothing is stored.
    /// - Throws: ``RestClientError`` when the request cannot be resolved or the model cannot be encoded, `StoreError`
    ///   when the cache fails, or an error of the closure.
    @concurrent
    @discardableResult
    public func update<Model: Encodable>(
        _ node: RequestNode<Model>,
        _ change: @Sendable (inout Model) throws -> Void
    ) async throws -> Model? {
        let (stored, context) = try await manager.runner.storedModel(node)
        return try await stored.update(change, context.prepared.coding.encodeResponse)
    }

    /// Removes the stored response to a request.
    ///
    /// - Parameter node: The request.
    /// - Returns: `true` if something was removed.
    /// - Throws: ``RestClientError`` when the request cannot be resolved, or `StoreError` when the cache fails.
    @discardableResult
    public func remove<Model>(_ node: RequestNode<Model>) async throws -> Bool {
        try await manager.runner.storedModel(node).0.remove()
    }
}

// MARK: - Many responses

extension RestClientManager.Cache {
    /// Invalidates stored responses: they are kept, and used again once the server has confirmed them.
    ///
    /// - Parameter selections: The responses to invalidate.
    /// - Returns: The number of responses that were valid before.
    /// - Throws: `StoreError` when the cache fails.
    @discardableResult
    public func invalidate(_ selections: CacheSelection...) async throws -> Int {
        let count = try await calls.responses.invalidate(selections)
        if count > 0 {
            manager.core.hub.emit(ClientEvent(.cacheInvalidated))
        }
        return count
    }

    /// Removes stored responses.
    ///
    /// - Parameter selections: The responses to remove.
    /// - Returns: The number of responses that were removed.
    /// - Throws: `StoreError` when the cache fails.
    @discardableResult
    public func remove(_ selections: CacheSelection...) async throws -> Int {
        var count = 0
        for selection in selections {
            count += try await calls.responses.remove(selection)
        }
        if count > 0 {
            manager.core.hub.emit(ClientEvent(.cacheRemoved))
        }
        return count
    }

    /// Lists the stored responses, without their bodies.
    ///
    /// - Returns: The responses, in no particular order.
    /// - Throws: `StoreError` when the cache fails.
    public func entries() async throws -> [CachedResponse] {
        try await calls.responses.list()
    }

    /// Waits until all background refreshes of delivered stored responses have ended.
    ///
    /// Call it before the end of a program that must not lose its latest refreshes.
    public func revalidationsFinished() async {
        await calls.background.finished()
    }
}
