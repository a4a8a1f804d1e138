// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials

/// One of several processes that want the same response at the same time, and share a cache.
struct CacheCaller {
    let directory: String
    let server: String
    /// How long the processes wait for one another, in milliseconds; nothing when they do not.
    let lease: String

    /// Announces itself to the server, and sends the same request as the others.
    func call() async throws {
        var configuration = RestClientManager.Configuration()
        configuration.cacheLease = Int(lease).map(Duration.milliseconds)
        let manager = RestClientManager(configuration: configuration)
        try manager.persist(in: URL(filePath: directory))
        try await manager.run(manager.request(Void.self).serverAddress(server).endpoint("/ready"))
        let answer = manager.request(String.self).serverAddress(server).endpoint("/answer")
        _ = try await manager.run(answer.cache())
    }
}
