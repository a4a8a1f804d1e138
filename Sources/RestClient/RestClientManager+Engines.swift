// SPDX-License-Identifier: MIT

import JobGraphs
package import RestEssentials
package import SharedStore

extension RestClientManager {
    /// Stores responses and journals on an engine from now on, for simulations of a disk; the secret has 32 bytes.
    package func persist(on engine: any Backing, secret: Data) {
        let cache = ExpiringCache(backing: engine, configuration: cacheConfiguration)
        core.cache.responses.move(to: ResponseCache.Place(storage: cache, secret: CacheSecret(bytes: secret)))
        core.jobs.persist(on: engine)
    }
}
