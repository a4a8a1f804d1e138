// SPDX-License-Identifier: MIT

import HTTPTypes
import SharedStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Answers from the cache where the policy says so, and prepares what is to be stored.
///
/// What it prepares is written by the call's runner, once the status is accepted and the model has decoded.
struct CacheStage: Interceptor {
    let cache: ResponseCache
    let hub: EventHub
    let clock: ClientClock
    let now: @Sendable () -> Date

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let policy = request.call.policy.cache
        guard policy.mode != .networkOnly else {
            return try await next(request)
        }
        let key = try await CacheKey.of(request, clock: clock)
        let (found, stored) = await lookUp(key, request, policy)
        switch CacheDecision.lookup(found, mode: policy.mode) {
        case .use:
            guard let stored else {
                return try await fetch(request, key, next)
            }
            let age = age(of: stored.entry)
            hub.emit(.cacheHit(age: age), request.call)
            return Self.response(stored, source: .cache(age: age))
        case .revalidate:
            guard let stored else {
                return try await fetch(request, key, next)
            }
            tell(.stale, of: stored, request.call)
            return try await revalidate(stored, request, key, next)
        case .fetch(let reason):
            tell(reason, of: stored, request.call)
            return try await fetch(request, key, next)
        case .refuse(let reason):
            tell(reason, of: stored, request.call)
            throw RestClientError(
                .notCached,
                "the policy allows only the cache, whose answer is \(reason); use .elseNetwork to ask the server then"
            )
        }
    }

    /// Tells why the cache does not answer.
    private func tell(_ reason: CacheMissReason, of stored: ResponseCache.Stored?, _ call: CallContext) {
        if reason == .stale, let stored {
            hub.emit(.cacheStale(age: age(of: stored.entry)), call)
        } else {
            hub.emit(.cacheMiss(reason), call)
        }
    }

    private func lookUp(
        _ key: CacheKey,
        _ request: OutgoingRequest,
        _ policy: CachePolicy
    ) async -> (CacheDecision.Found, ResponseCache.Stored?) {
        guard policy.mode != .reload else {
            return (.nothing, nil)
        }
        guard !request.ignoresStored else {
            return (.unreadable, nil)
        }
        do {
            switch try await cache.read(key, maxAge: policy.maxAge, now: now()) {
            case .fresh(let stored):
                return (.fresh, stored)
            case .stale(let stored):
                // A condition of the caller's own asks about the caller's copy, not about ours.
                let isConditional = Self.conditionFields.contains { request.headers.contains($0) }
                let hasValidator = !isConditional && !CacheDecision.conditions(validating: stored.head.headers).isEmpty
                return (.stale(hasValidator: hasValidator), stored)
            case .nothing:
                return (.nothing, nil)
            case .unreadable:
                return (.unreadable, nil)
            }
        } catch {
            hub.emit(.cacheFailed(error), request.call)
            return (.unreadable, nil)
        }
    }

    private func fetch(_ request: OutgoingRequest, _ key: CacheKey, _ next: Next) async throws -> RawResponse {
        var response = try await next(request)
        response.pendingWrite = pendingStore(of: response, for: request, key)
        return response
    }

    private func revalidate(
        _ stored: ResponseCache.Stored,
        _ request: OutgoingRequest,
        _ key: CacheKey,
        _ next: Next
    ) async throws -> RawResponse {
        var conditional = request
        conditional.headers.override(with: CacheDecision.conditions(validating: stored.head.headers))
        var response = try await next(conditional)
        guard response.status == .notModified else {
            response.pendingWrite = pendingStore(of: response, for: request, key)
            return response
        }
        hub.emit(.notModified, request.call)
        var refreshed = stored
        refreshed.head.headers = CacheDecision.refreshed(stored.head.headers, by: response.headers)
        refreshed.entry.metadata = refreshed.head.encoded()
        stamp(&refreshed.entry, request.call.policy.cache)
        var confirmed = Self.response(refreshed, source: .revalidatedCache)
        confirmed.pendingWrite = PendingCacheWrite(cache: cache, key: key, change: .refresh(refreshed.entry))
        return confirmed
    }

    private func pendingStore(
        of response: RawResponse,
        for request: OutgoingRequest,
        _ key: CacheKey
    ) -> PendingCacheWrite? {
        let isStorable = CacheDecision.isStorable(
            status: response.status,
            requestHeaders: request.headers,
            responseHeaders: response.headers
        )
        guard isStorable else {
            return nil
        }
        let head = StoredResponse(status: response.status, url: response.url, headers: response.headers)
        var entry = CacheEntry(
            body: response.body,
            metadata: head.encoded(),
            storedAt: now(),
            tags: request.call.policy.cacheTags
        )
        stamp(&entry, request.call.policy.cache)
        return PendingCacheWrite(cache: cache, key: key, change: .store(entry))
    }

    private func stamp(_ entry: inout CacheEntry, _ policy: CachePolicy) {
        entry.storedAt = now()
        entry.expiresAt = policy.timeToLive.map { entry.storedAt.addingTimeInterval($0 / .seconds(1)) }
    }

    private func age(of entry: CacheEntry) -> Duration {
        .seconds(max(0, now().timeIntervalSince(entry.storedAt)))
    }

    private static func response(_ stored: ResponseCache.Stored, source: ResponseSource) -> RawResponse {
        var response = RawResponse(
            status: stored.head.status,
            headers: stored.head.headers,
            body: stored.entry.body,
            source: source
        )
        response.url = stored.head.url
        return response
    }

    private static let conditionFields: [HTTPField.Name] = [
        .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange,
    ]
}
