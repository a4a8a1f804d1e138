// SPDX-License-Identifier: MIT

import SharedStore

extension ClientCore {
    convenience init(_ configuration: RestClientManager.Configuration, sharing registries: Registries?) {
        let limits = configuration.workerLimits.map { ($0.key.rawValue, $0.value) }
        self.init(
            registries: registries?.shared(options: configuration.options)
                ?? Registries(options: configuration.options),
            workers: (configuration.workerCount, Dictionary(uniqueKeysWithValues: limits)),
            cache: (
                configuration.cacheBackend.map { ExpiringCache(backend: $0, configuration: configuration.cache) }
                    ?? ExpiringCache(configuration: configuration.cache),
                configuration.cacheBackend == nil ? configuration.cacheLease.map(Self.usableLease) : nil
            ),
            transport: configuration.transport ?? DirectTransport.shared,
            clock: ClientClock(configuration.clock),
            now: configuration.now
        )
    }

    /// Returns a lease duration that is long enough for a response and short enough not to block others for long.
    static func usableLease(_ duration: Duration) -> Duration {
        min(max(duration, .milliseconds(100)), .seconds(300))
    }
}
