// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import SharedStore
import Synchronization

extension CacheExchange {
    /// True if the request may be shared with equal ones: it is a read, the call does not forbid it, and it cannot wait
    /// for a call that waits for its worker slot, or for the token that it refreshes.
    var sharesFlight: Bool {
        let isSafe = request.method.isRetrieval || policy.bodyKey != nil
        let policy = request.call.policy
        return isSafe && policy.sharesFlight != false && !policy.passesPool && !WorkerPool.isInSlot
    }

    /// Sends one request for all equal calls in progress, after another lookup, since one may just have ended.
    ///
    /// The leader stores the response, unless it is cancelled while it decodes; until then, new callers receive it too.
    func askTogether(_ finding: CacheFinding) async throws -> CacheReply {
        let key = FlightKey(request, variant: CallCache.Variant(key: key, policy: policy))
        // The model that this call has decoded if its request is the shared one.
        let model = Mutex<AnyModel?>(nil)
        let shared = try await cache.flights.run(key, for: request.call, on: request.call.forSharing()) { call in
            let exchange = moved(to: call)
            var reply = try await exchange.askAgain()
            model.withLock { $0 = reply.model }
            // Followers decode the response themselves, because the models of equal calls may differ.
            reply.model = nil
            return SharedResponse(content: reply, isForAnyone: exchange.isOwnerKnown)
        }
        guard let shared else {
            return try await forward(finding)
        }
        var reply = shared.duty.map(shared.content.holding) ?? shared.content.shared()
        reply.model = model.withLock { $0.take() }
        guard reply.model == nil, reply.response.source.isCache, !hasInterceptors,
            reply.response.status != .notModified, reply.failure == nil
        else {
            return reply
        }
        do {
            reply.model = try stage.decoder.decode(&reply, policy)
            return reply
        } catch {
            // It can be decoded as another call's model, but not as this one's.
            reply.write?.release()
            return try await fetch(because: .unreadable, instead: nil, whole: finding.whole)
        }
    }

    private func askAgain() async throws -> CacheReply {
        let finding = await lookUp()
        if let reply = try delivered(finding) {
            return reply
        }
        guard let duration = lease(for: finding) else {
            return try await forward(finding)
        }
        return try await forward(finding, leasedFor: duration)
    }

    /// True if the response belongs to the user whom the cache's key names: no other user's token was set in the
    /// meantime, and no attempt interceptor added credentials.
    var isOwnerKnown: Bool { request.call.facts.isOwnerKnown(of: sentRequest.headers, request.call.policy) }

    /// The request as it was sent last: its token may have been refreshed since the lookup.
    var sentRequest: OutgoingRequest {
        guard let sent = request.call.facts.request.sent else {
            return request
        }
        var request = request
        request.headers[sent.field] = sent.value
        return request
    }

    // MARK: - Other processes

    /// Returns the time for which this process alone sends the request; `nil` unless another process may be about to
    /// store the response, and can find what this one stores.
    func lease(for finding: CacheFinding) -> Duration? {
        guard let duration = cache.lease, cache.responses.place.storage.isShared, !policy.isInMemory else {
            return nil
        }
        switch finding.lookup {
        case .fetch(let reason), .revalidate(let reason): return reason.mayBeCuredByOthers ? duration : nil
        case .complete, .use, .refuse: return nil
        }
    }

    /// Sends the request, or waits for the response that another process has requested.
    func forward(_ finding: CacheFinding, leasedFor duration: Duration) async throws -> CacheReply {
        let (finding, lease) = try await turn(finding, duration)
        do {
            if let reply = try delivered(finding) {
                lease?.release()
                return reply
            }
            var reply = try await forward(finding)
            if let lease {
                reply = reply.holding(lease)
            }
            return reply
        } catch {
            lease?.release()
            throw error
        }
    }

    /// Waits until this process gets the lease, or another one has stored the response.
    private func turn(_ first: CacheFinding, _ duration: Duration) async throws -> (CacheFinding, ReleaseOnce?) {
        var finding = first
        var patience = LeasePatience(duration: duration, now: cache.clock.now())
        while true {
            let (storage, now) = (cache.responses.place.storage, cache.now)
            let lease: ReleaseOnce?
            do throws(StoreError) {
                // The lease of a process that dies expires.
                lease = try await storage.acquireLease(key.text, for: duration, now: now())
                    .map { lease in
                        ReleaseOnce { storage.dropLease(lease, now: now()) }
                    }
            } catch {
                emit(.cacheFailed(error))
                return (finding, nil)
            }
            // A lease that is not passed on is dropped when it is deallocated.
            try Task.checkCancellation()
            if let lease {
                // The previous holder may have stored a response.
                return (await lookUp(pastMemory: true), lease)
            }
            guard let pause = patience.pause(at: cache.clock.now()) else {
                return (finding, nil)
            }
            try await cache.clock.sleep(for: pause)
            finding = await lookUp(pastMemory: true)
            guard self.lease(for: finding) != nil else {
                return (finding, nil)
            }
        }
    }
}

/// The pauses of a process that waits for a response that another one is fetching.
struct LeasePatience: Sendable {
    static let shortestPause = Duration.milliseconds(2)
    static let longestPause = Duration.milliseconds(100)

    private let end: Duration
    private var step = Self.shortestPause

    /// A process that holds a lease for longer than the duration has died, or is too slow to wait for.
    init(duration: Duration, now: Duration) {
        end = now + duration
    }

    /// Returns the time until the next lookup; `nil` when the wait has ended.
    mutating func pause(at now: Duration) -> Duration? {
        guard now < end else {
            return nil
        }
        defer { step = min(step * 2, Self.longestPause) }
        return min(step, end - now)
    }
}
