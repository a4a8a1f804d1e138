// SPDX-License-Identifier: MIT

import SharedStore

extension CacheExchange {
    /// For how long this process should be the only one that asks; `nil` when it should simply ask.
    ///
    /// Only what another process may be about to store is worth waiting for.
    func lease(for finding: Finding) -> Duration? {
        guard let duration = stage.lease, stage.cache.isShared else {
            return nil
        }
        switch finding.lookup {
        case .fetch(let reason), .revalidate(let reason): return reason.mayBeCuredByOthers ? duration : nil
        case .complete, .use, .refuse: return nil
        }
    }

    /// Asks the server, unless another process is asking it: then that one's answer is waited for.
    func forward(_ finding: Finding, leasedFor duration: Duration) async throws -> RawResponse {
        let (finding, lease) = try await turn(finding, duration)
        do {
            if let response = try delivered(finding) {
                lease?.release()
                return response
            }
            var response = try await forward(finding)
            if let lease {
                response.caching = response.caching?.leased(by: lease)
            }
            return response
        } catch {
            lease?.release()
            throw error
        }
    }

    /// Waits until it is this process's turn to ask, or another one has stored what was missing.
    ///
    /// - Returns: The last look at the cache; and the lease, when this process got it.
    private func turn(_ first: Finding, _ duration: Duration) async throws -> (Finding, CacheLease?) {
        var finding = first
        var patience = LeasePatience(duration: duration, now: stage.clock.now())
        while true {
            let lease: CacheLease?
            do throws(StoreError) {
                lease = try await stage.cache.lease(key, for: duration, now: stage.now)
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
            guard let pause = patience.pause(at: stage.clock.now()) else {
                return (finding, nil)
            }
            try await stage.clock.sleep(for: pause)
            finding = await lookUp(pastMemory: true)
            guard self.lease(for: finding) != nil else {
                return (finding, nil)
            }
        }
    }
}
