// SPDX-License-Identifier: MIT

@testable import RestClient

extension RestClientManager {
    /// Waits until so many calls wait for shared requests, all of them with a cache or all without.
    func waitForSharedCalls(_ count: Int, isCached: Bool = true) async {
        if isCached {
            await core.cache.flights.waitForWaiters(count: count)
        } else {
            await core.flights.waitForWaiters(count: count)
        }
    }
}
