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

    let now: @Sendable () -> Date
    let tracing: Attachment<any CallTracer>

    init(
        _ responses: ResponseCache,
        _ background: BackgroundRevalidation = BackgroundRevalidation(),
        hub: EventHub,
        clock: ClientClock,
        lease: Duration?,
        now: @escaping @Sendable () -> Date,
        tracing: Attachment<any CallTracer> = Attachment()
    ) {
        self.responses = responses
        self.background = background
        flights = FlightControl(hub: hub, clock: clock)
        self.hub = hub
        self.clock = clock
        self.lease = lease
        self.now = now
        self.tracing = tracing
    }

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
            return CallCache(shared, background, hub: hub, clock: clock, lease: lease, now: now, tracing: tracing)
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
        let invalidated = urls
        let date = date ?? now()
        await invalidating(because: request.call) { () async throws(StoreError) in
            try await responses.invalidate(invalidated, at: date)
        }
    }

    func invalidate(_ selections: [CacheSelection], because call: CallContext) async {
        await invalidating(because: call) { () async throws(StoreError) in
            var count = 0
            for selection in selections {
                count += try await responses.invalidate(selection, at: now())
            }
            return count
        }
    }

    func discard(_ key: CacheKey, because call: CallContext) async {
        do throws(StoreError) {
            if try await responses.remove(key) {
                hub.emit(.cacheRemoved, call)
            }
        } catch {
            hub.emit(.cacheFailed(error), call)
        }
    }

    /// Emits an event if something was invalidated; a failure of the cache does not fail the call.
    private func invalidating(because call: CallContext, _ invalidate: () async throws(StoreError) -> Int) async {
        do throws(StoreError) {
            if try await invalidate() > 0 {
                hub.emit(.cacheInvalidated, call)
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
///
/// Its tasks end with the manager.
final class BackgroundRevalidation: Sendable {
    private struct State {
        var tasks: [String: Task<Void, Never>] = [:]
        var isClosed = false
    }

    /// The maximum number of concurrent refreshes; beyond it, a response is refreshed at its next delivery.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 16) {
        self.limit = limit
    }

    /// Starts to refresh a response; returns `false` if that is under way already, or if the limit is reached.
    @discardableResult
    func start(_ key: String, _ operation: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.tasks[key] == nil, state.tasks.count < limit else {
                return false
            }
            // It ends after it is recorded, because that takes the lock.
            state.tasks[key] = Task(priority: .utility) { [weak self] in
                await operation()
                self?.end(key)
            }
            return true
        }
    }

    private func end(_ key: String) {
        state.withLock { $0.tasks[key] = nil }
    }

    func finished() async {
        for task in state.withLock({ Array($0.tasks.values) }) {
            await task.value
        }
    }

    /// Cancels all refreshes, and starts no more.
    func close() {
        let tasks = state.withLock { state in
            state.isClosed = true
            return Array(state.tasks.values)
        }
        for task in tasks {
            task.cancel()
        }
    }
}

extension CallContext {
    /// Returns a call that refreshes the stored response of this one after its delivery, with its own identifier and
    /// time.
    func inBackground(startingAt start: Duration) -> CallContext {
        var policy = policy
        policy.priority = .low
        policy.passesPool = false
        policy.set(EventRelay?.none)
        return another(policy: policy, CallContext.Beginning(id: .next(), start: start))
    }
}
