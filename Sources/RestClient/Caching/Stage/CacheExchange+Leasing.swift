// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import SharedStore

extension CacheExchange {
    /// For how long this process should be the only one that asks; `nil` when it should simply ask.
    ///
    /// Only what another process may be about to store is worth waiting for.
    func lease(for finding: CacheFinding) -> Duration? {
        guard let duration = cache.lease, cache.responses.isShared else {
            return nil
        }
        switch finding.lookup {
        case .fetch(let reason), .revalidate(let reason): return reason.mayBeCuredByOthers ? duration : nil
        case .complete, .use, .refuse: return nil
        }
    }

    /// Asks the server, unless another process is asking it: then waits for that one's response.
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

    /// Waits until it is this process's turn to ask, or another one has stored what was missing.
    ///
    /// - Returns: The last look at the cache; and the lease, when this process got it.
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
            // One that is not handed on is given back when it is let go of.
            try Task.checkCancellation()
            if let lease {
                // Whoever held it before may have stored a response.
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
