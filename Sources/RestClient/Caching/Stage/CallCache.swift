// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import SharedStore
import Synchronization

final class CallCache: Sendable {
    /// The properties that equal requests must also share to share a cached response.
    struct Variant: Hashable, Sendable {
        /// The key under which the response is stored; it separates users.
        let key: CacheKey
        let policy: CachePolicy
    }

    let responses: ResponseCache
    let background: BackgroundRevalidation
    let flights: FlightControl<Variant, CacheReply>
    let hub: EventHub
    let clock: ClientClock

    /// The time for which one process alone may request a response; `nil` if processes do not wait for one another.
    let lease: Duration?

    let tracing: Attachment<any CallTracer>

    init(
        _ responses: ResponseCache,
        _ background: BackgroundRevalidation = BackgroundRevalidation(),
        hub: EventHub,
        clock: ClientClock,
        lease: Duration?,
        tracing: Attachment<any CallTracer>
    ) {
        self.responses = responses
        self.background = background
        flights = FlightControl(hub: hub, clock: clock)
        self.hub = hub
        self.clock = clock
        self.lease = lease
        self.tracing = tracing
    }

    var now: @Sendable () -> Date { responses.now }

    /// Returns the cache of a scope, which is in memory, and empty at first; itself outside of scopes.
    ///
    /// Managers with the same directory share their stored responses in the scope, too.
    func inside(_ isolation: CallIsolation?) -> CallCache {
        guard let states = isolation?.states else {
            return self
        }
        let path = responses.place.directory?.path
        return states.state(of: self, named: path ?? "") {
            let shared = states.state(of: path == nil ? responses : nil, named: path ?? "") {
                responses.makeMemoryOnly()
            }
            return CallCache(shared, background, hub: hub, clock: clock, lease: lease, tracing: tracing)
        }
    }

    /// Invalidates the stored responses that a successful request changed (RFC 9111, section 4.4).
    func invalidate(_ request: OutgoingRequest, _ response: RawResponse, at date: Date? = nil) async {
        guard responses.mayHoldResponses, request.call.policy.cache.bodyKey == nil else {
            return
        }
        var urls = Invalidation.urls(
            method: request.method,
            url: request.url,
            status: response.status,
            headers: response.headers
        )
        guard !urls.isEmpty else {
            return
        }
        // The policy applies here even if the call itself does not use the cache.
        if let keyed = request.call.options[.cachePolicy]?.keyedURL(request.url), keyed != request.url {
            urls.append(keyed)
        }
        let (invalidated, date) = (urls, date ?? now())
        await emit(.cacheInvalidated, because: request.call) { () async throws(StoreError) in
            try await responses.invalidate(invalidated, at: date) > 0
        }
    }

    func invalidate(_ selections: [CacheSelection], because call: CallContext) async {
        await emit(.cacheInvalidated, because: call) { () async throws(StoreError) in
            try await responses.invalidate(selections) > 0
        }
    }

    func discard(_ key: CacheKey, because call: CallContext) async {
        await emit(.cacheRemoved, because: call) { () async throws(StoreError) in try await responses.remove(key) }
    }

    /// Emits an event if a change of the cache found responses; its failure does not fail the call.
    private func emit(
        _ kind: ClientEvent.Kind,
        because call: CallContext,
        after change: () async throws(StoreError) -> Bool
    ) async {
        do throws(StoreError) {
            if try await change() {
                hub.emit(kind, call)
            }
        } catch {
            hub.emit(.cacheFailed(error), call)
        }
    }
}

/// Invalidates the stored responses that a request without a cache changed.
struct InvalidationStage: Interceptor {
    let cache: CallCache

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let response = try await next(request)
        await cache.inside(request.call.policy.isolation).invalidate(request, response)
        return response
    }
}

/// Runs the background refreshes of delivered stored responses: one task for each response, up to a limit.
final class BackgroundRevalidation: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        /// The maximum number of concurrent refreshes; beyond it, a response is refreshed at its next delivery.
        var limit: Int
    }

    private let state: Mutex<State>

    init(limit: Int = 16) {
        state = Mutex(State(limit: limit))
    }

    /// Starts to refresh a response; returns `false` if that is under way already, or if the limit is reached.
    @discardableResult
    func start(_ key: String, _ operation: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard state.tasks[key] == nil, state.tasks.count < state.limit else {
                return false
            }
            // It ends after it is recorded, because that takes the lock.
            state.tasks[key] = Task(priority: .utility) { [weak self] in
                await operation()
                self?.state.withLock { $0.tasks[key] = nil }
            }
            return true
        }
    }

    func finished() async {
        for task in state.withLock({ Array($0.tasks.values) }) {
            await task.value
        }
    }

    /// Cancels all refreshes, and starts no more.
    func close() {
        let tasks = state.withLock { state in
            state.limit = 0
            return Array(state.tasks.values)
        }
        for task in tasks {
            task.cancel()
        }
    }
}
