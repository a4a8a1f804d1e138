// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials

/// One of several processes that share a rate limit, and send more calls than it allows.
struct RateCaller {
    let directory: String
    let server: String
    /// How many calls may begin in an hour, all at once.
    let count: String

    /// Sends twice as many calls as all processes together may, none of which waits.
    func call() async throws {
        let count = Int(count) ?? 0
        var limit = RateLimit.count(1, per: .seconds(36_000), burst: count).sharedAcrossProcesses()
        limit.maximumWait = .zero
        let manager = RestClientManager()
        try manager.persist(in: URL(filePath: directory))
        manager.servers["limited"] = Server(server).rateLimit(limit)
        manager.defaultServer = "limited"
        for _ in 0..<(2 * count) {
            do {
                _ = try await manager.run(manager.request(Void.self).endpoint("/limited"))
            } catch let error as RestClientError where error.code == .rateLimitExceeded {
                continue
            }
        }
    }
}
