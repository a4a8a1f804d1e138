// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import SharedStore

extension CacheExchange {
    /// Returns the time for which this process alone sends the request; `nil` without a lease.
    ///
    /// A lease is useful only if another process may be about to store the response, and can find what this one stores.
    func lease(for finding: CacheFinding) -> Duration? {
        guard let duration = cache.lease, cache.responses.isShared, !policy.isInMemory else {
            return nil
        }
        switch finding.lookup {
        case .fetch(let reason), .revalidate(let reason): return reason.mayBeCuredByOthers ? duration : nil
        case .complete, .use, .refuse: return nil
        }
    }

    /// Sends the request, or waits for the response that another process has requested.
    func forward(_ finding: CacheFinding, leasedFor duration: Duration) async throws -> DecodedReply<Model> {
        let (finding, lease) = try await turn(finding, duration)
        do {
            if let reply = try delivered(finding) {
                lease?.release()
                return reply
            }
            var reply = try await forward(finding)
            if let lease {
                reply.reply = reply.reply.holding(lease)
            }
            return reply
        } catch {
            lease?.release()
            throw error
        }
    }

    /// Waits until this process gets the lease, or another one has stored the response.
    ///
    /// - Returns: The last lookup, and the lease if this process got it.
    private func turn(_ first: CacheFinding, _ duration: Duration) async throws -> (CacheFinding, ReleaseOnce?) {
        var finding = first
        var patience = LeasePatience(duration: duration, now: cache.clock.now())
        while true {
            let lease: ReleaseOnce?
            do throws(StoreError) {
                lease = try await cache.responses.lease(key, for: duration, now: cache.now)
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

    /// Creates the pauses of a process that starts to wait now.
    ///
    /// - Parameters:
    ///   - duration: The duration of a lease: a process that holds it longer has died, or is too slow to wait for.
    ///   - now: The current time.
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

extension ResponseCache {
    /// True if other processes may store responses in the same cache.
    fileprivate var isShared: Bool { place.storage.isShared }

    /// Acquires the exclusive right to request a response; `nil` if another process has it.
    ///
    /// It must be released once the response is stored, or will never be. The lease of a process that dies expires.
    fileprivate func lease(
        _ key: CacheKey,
        for duration: Duration,
        now: @escaping @Sendable () -> Date
    ) async throws(StoreError) -> ReleaseOnce? {
        let storage = place.storage
        guard let lease = try await storage.acquireLease(key.text, for: duration, now: now()) else {
            return nil
        }
        return ReleaseOnce { storage.dropLease(lease, now: now()) }
    }
}
