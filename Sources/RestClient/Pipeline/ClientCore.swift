// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// The parts of a manager, in one place for everything that runs requests.
final class ClientCore: Sendable {
    let registries: Registries
    let dummies = DummyRegistry()
    let workers: WorkerPool
    let hub: EventHub
    let taps = ExchangeTaps()
    let cache: ResponseCache
    let background = BackgroundRevalidation()
    let cacheTally = CacheTally()
    let clock: ClientClock
    /// Tells the time of day.
    let now: @Sendable () -> Date
    /// The keys of which one node of a graph at a time may hold each.
    let mutexKeys = MutexKeys()
    let journals = JournalStore()
    let flights: FlightControl
    let transport: any Transport

    init(configuration: RestClientManager.Configuration) {
        registries = Registries(options: configuration.options)
        cache = ResponseCache(storage: ExpiringCache(configuration: configuration.cache))
        clock = ClientClock(configuration.clock)
        let limits = configuration.workerLimits.map { ($0.key.rawValue, $0.value) }
        workers = WorkerPool(
            size: configuration.workerCount,
            limits: Dictionary(uniqueKeysWithValues: limits),
            clock: clock
        )
        now = configuration.now
        hub = EventHub(clock: clock)
        flights = FlightControl(hub: hub, clock: clock)
        transport = configuration.transport ?? AsyncHTTPClientTransport.shared
    }
}

extension ClientCore {
    /// Marks what a successful call changed; a failure of the cache fails no call.
    func invalidate(_ selections: [CacheSelection], because call: CallContext) async {
        do throws(StoreError) {
            var count = 0
            for selection in selections {
                count += try await cache.invalidate(selection)
            }
            if count > 0 {
                hub.emit(.cacheInvalidated, call)
            }
        } catch {
            hub.emit(.cacheFailed(error), call)
        }
    }
}
