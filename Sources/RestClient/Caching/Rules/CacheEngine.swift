// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials

/// The rules of a private HTTP cache (RFC 9111), and those of the application's own modes: pure functions that receive
/// the time as an argument.
enum CacheEngine {
    /// Decides between the stored response that the request selects, if there is one, and the network.
    static func lookup(
        _ stored: StoredResponse?,
        absence: CacheMissReason = .absent,
        request: CacheRequest,
        policy: CachePolicy,
        now: Date
    ) -> CacheLookup {
        if let stored {
            return judge(stored, request, policy, now)
        }
        switch policy.mode {
        case .networkOnly, .reload:
            return .fetch(.bypassed)
        case .cacheOnly:
            return .refuse(absence)
        case .elseNetwork, .thenNetwork, .networkElseCache, .staleWhileRevalidate:
            return .fetch(absence)
        case .http, .revalidate:
            guard !request.control.contains(.noStore) else {
                return .fetch(.bypassed)
            }
            return request.control.contains(.onlyIfCached) ? .refuse(absence) : .fetch(absence)
        }
    }

    static func judge(
        _ stored: StoredResponse,
        _ request: CacheRequest,
        _ policy: CachePolicy,
        _ now: Date
    ) -> CacheLookup {
        switch policy.mode {
        case .networkOnly, .reload:
            .fetch(.bypassed)
        case .cacheOnly, .elseNetwork:
            application(stored, request, policy, now)
        case .thenNetwork, .networkElseCache:
            asking(about: stored, request, because: .requested)
        case .staleWhileRevalidate:
            refreshing(stored, request, policy, now)
        case .http, .revalidate:
            request.control.contains(.noStore) ? .fetch(.bypassed) : standard(stored, request, policy, now)
        }
    }

    // MARK: - The application's modes

    private static func application(
        _ stored: StoredResponse,
        _ request: CacheRequest,
        _ policy: CachePolicy,
        _ now: Date
    ) -> CacheLookup {
        let isFresh = isFreshToApplication(stored, maxAge: policy.maxAge, now: now)
        if isFresh, let use = anyAge(of: stored, for: request, policy, now) {
            return .use(use)
        }
        let reason = isFresh ? CacheMissReason.partial : stored.head.isInvalidated ? .invalidated : .stale
        return policy.mode == .cacheOnly ? .refuse(reason) : asking(about: stored, request, because: reason)
    }

    /// Returns the stored response at once, to be refreshed in the background unless it is young enough.
    private static func refreshing(
        _ stored: StoredResponse,
        _ request: CacheRequest,
        _ policy: CachePolicy,
        _ now: Date
    ) -> CacheLookup {
        guard var use = anyAge(of: stored, for: request, policy, now) else {
            return .fetch(.partial)
        }
        let isFresh = policy.maxAge != nil && isFreshToApplication(stored, maxAge: policy.maxAge, now: now)
        use.staleness = isFresh ? nil : .whileRevalidating
        return .use(use)
    }

    /// Returns the use of a stored response of any age; `nil` if some of the requested bytes are not stored.
    static func anyAge(
        of stored: StoredResponse,
        for request: CacheRequest,
        _ policy: CachePolicy,
        _ now: Date
    ) -> CacheUse? {
        delivery(of: stored, for: request, judgesConditions: false, now: now)
            .map { CacheUse(age: stored.storedAge(now), lifetime: policy.maxAge, staleness: nil, delivery: $0) }
    }

    static func standsIn(
        _ stored: StoredResponse,
        request: CacheRequest,
        policy: CachePolicy,
        now: Date
    ) -> CacheUse? {
        guard policy.maxAge.map({ stored.storedAge(now) <= $0 }) ?? true,
            var use = anyAge(of: stored, for: request, policy, now)
        else {
            return nil
        }
        use.staleness = .onFailure
        return use
    }

    /// Returns true if a response is fresh by the reader's age and the writer's time to live, of which the stricter
    /// applies.
    static func isFreshToApplication(_ stored: StoredResponse, maxAge: Duration?, now: Date) -> Bool {
        !stored.head.isInvalidated && now >= stored.entry.storedAt
            && stored.entry.expiresAt.map { now < $0 } ?? true
            && maxAge.map { stored.storedAge(now) <= $0 } ?? true
    }

    // MARK: - The rules of HTTP

    private static func standard(
        _ stored: StoredResponse,
        _ request: CacheRequest,
        _ policy: CachePolicy,
        _ now: Date
    ) -> CacheLookup {
        func validate(_ reason: CacheMissReason) -> CacheLookup {
            request.control.contains(.onlyIfCached) ? .refuse(reason) : asking(about: stored, request, because: reason)
        }

        guard !stored.head.isInvalidated else {
            return validate(.invalidated)
        }
        guard let delivery = delivery(of: stored, for: request, judgesConditions: true, now: now) else {
            return request.control.contains(.onlyIfCached) ? .refuse(.partial) : missing(stored, request, now)
        }
        let freshness = stored.freshness
        let age = stored.age(now)
        let control = stored.control
        let isOwn = freshness.basis == .ownTimeToLive
        guard isOwn || !control.isUnqualified(.noCache) else {
            return validate(.noCache)
        }
        // If the clock went back, the age is unknown.
        guard now >= stored.head.responseTime else {
            return validate(.stale)
        }
        let isFresh = freshness.lifetime > age && stored.head.limit.map { now < $0 } ?? true
        guard !request.demandsValidation else {
            return validate(.requested)
        }
        if let reason = refusedByAge(request, policy, age: age, lifetime: freshness.lifetime) {
            // RFC 8246: an immutable response is not revalidated as long as it is fresh.
            guard isFresh, reason == .tooOldForRequest, control.contains(.immutable) else {
                return validate(.requested)
            }
        }
        var use = CacheUse(age: age, lifetime: freshness.lifetime, staleness: nil, delivery: delivery)
        guard !isFresh else {
            return .use(use)
        }
        let staleness = age - freshness.lifetime
        guard !isOwn, !control.contains(.mustRevalidate) else {
            return validate(.stale)
        }
        // Without an argument, any staleness is allowed.
        let maxStale = request.control.seconds(.maxStale)
        if request.control.contains(.maxStale), maxStale.duration.map({ staleness <= $0 }) ?? (maxStale == .absent) {
            use.staleness = .allowedByRequest
            return .use(use)
        }
        if let window = control.seconds(.staleWhileRevalidate).duration, staleness <= window, policy.mode == .http,
            !request.control.contains(.onlyIfCached)
        {
            use.staleness = .whileRevalidating
            return .use(use)
        }
        return validate(.stale)
    }

    private enum AgeRefusal {
        case tooOldForRequest, notFreshForLongEnough
    }

    /// Returns true if the request requires a younger response (RFC 9111, sections 5.2.1.1 and 5.2.1.3).
    private static func refusedByAge(
        _ request: CacheRequest,
        _ policy: CachePolicy,
        age: Duration,
        lifetime: Duration
    ) -> AgeRefusal? {
        switch policy.mode == .revalidate ? .valid(.zero) : request.control.seconds(.maxAge) {
        case .absent: break
        case .valid(let maxAge) where maxAge > .zero && age <= maxAge: break
        case .valid, .invalid: return .tooOldForRequest
        }
        switch request.control.seconds(.minFresh) {
        case .absent: return nil
        case .valid(let minFresh): return lifetime - age >= minFresh ? nil : .notFreshForLongEnough
        case .invalid: return .notFreshForLongEnough
        }
    }

    /// Returns true if a stale response may be served in place of a failure.
    ///
    /// If the response or the request gives a duration (`stale-if-error`, RFC 5861, section 4), it may for that time
    /// and for any failure. Otherwise it may only if the server cannot be reached (RFC 9111, section 4.2.4).
    static func standsInForFailure(
        _ stored: StoredResponse,
        request: CacheRequest,
        isDisconnected: Bool,
        now: Date
    ) -> CacheUse? {
        let control = stored.control
        let windows = [control, request.control].compactMap { $0.seconds(.staleIfError).duration }
        guard !windows.isEmpty || isDisconnected, !stored.head.isInvalidated, now >= stored.head.responseTime,
            !control.contains(.mustRevalidate), !control.isUnqualified(.noCache), !request.demandsValidation,
            let delivery = delivery(of: stored, for: request, judgesConditions: true, now: now)
        else {
            return nil
        }
        let age = stored.age(now)
        let lifetime = stored.freshness.lifetime
        if let window = windows.max(), age - lifetime > window {
            return nil
        }
        return CacheUse(age: age, lifetime: lifetime, staleness: .onFailure, delivery: delivery)
    }

    // MARK: - Common rules

    /// Revalidates if there is a validator, unless the caller sets a condition.
    private static func asking(
        about stored: StoredResponse,
        _ request: CacheRequest,
        because reason: CacheMissReason
    ) -> CacheLookup {
        request.isConditional || stored.validators.isEmpty ? .fetch(reason) : .revalidate(reason)
    }

    /// Requests the bytes that a stored part lacks, if the parts can be combined (RFC 9111, section 3.4).
    private static func missing(_ stored: StoredResponse, _ request: CacheRequest, _ now: Date) -> CacheLookup {
        guard !request.isConditional else {
            return .fetch(.conditional)
        }
        guard stored.head.status == .partialContent, request.range == .none, request.method == .get,
            let range = stored.held?.missing, let validator = stored.validators.strong(now: now)
        else {
            return .fetch(.partial)
        }
        return .complete(range: range, validator: validator)
    }

    /// Returns the form in which a stored response can be delivered; `nil` if some of the requested bytes are not
    /// stored, or only the server can evaluate the caller's condition.
    static func delivery(
        of stored: StoredResponse,
        for request: CacheRequest,
        judgesConditions: Bool,
        now: Date
    ) -> CacheDelivery? {
        if judgesConditions, request.isConditional {
            guard let isKnown = Preconditions.isKnown(stored.validators, to: request.headers, now: now) else {
                return nil
            }
            if isKnown, stored.head.status == .ok {
                return .confirmation
            }
        }
        let isPart = stored.head.status == .partialContent
        switch request.range {
        case .none:
            return isPart && stored.held?.isWhole != true ? nil : .whole
        case .other:
            return nil
        case .one(let range):
            if isPart, stored.head.requestedRange == request.headers[.range] {
                return .whole
            }
            guard isPart || stored.head.status == .ok else {
                return .whole
            }
            // The positions refer to the encoded bytes, but the stored ones are decoded.
            guard !stored.head.headers.contains(.contentEncoding), let held = stored.held else {
                return nil
            }
            guard Preconditions.allowsRange(stored.validators, request.headers, now: now) else {
                return isPart ? nil : .whole
            }
            return held.slice(range).map { .part($0.offsets, contentRange: $0.contentRange) }
        }
    }
}
