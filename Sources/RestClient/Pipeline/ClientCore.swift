// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import SharedStore

/// The parts of a manager, in one place for everything that runs requests.
final class ClientCore: Sendable {
    let registries: Registries
    let dummies = DummyRegistry()
    let workers: WorkerPool
    let hub: EventHub
    let taps = ExchangeTaps()
    let cache: CallCache
    let clock: ClientClock
    /// Tells the time of day.
    let now: @Sendable () -> Date
    /// Runs jobs, groups and graphs.
    let jobs: JobRuntime
    let flights: FlightControl<SharingStage.Variant, RawResponse>
    let transport: any Transport

    init(configuration: RestClientManager.Configuration) {
        registries = Registries(options: configuration.options)
        clock = ClientClock(configuration.clock)
        let limits = configuration.workerLimits.map { ($0.key.rawValue, $0.value) }
        workers = WorkerPool(
            size: configuration.workerCount,
            limits: Dictionary(uniqueKeysWithValues: limits),
            clock: clock
        )
        now = configuration.now
        // Whatever observers start is not part of the token refresh that they may be told of.
        hub = EventHub(clock: clock) { deliver in TokenRefreshScope.leave(deliver) }
        jobs = JobRuntime(
            workers: workers,
            clock: clock,
            now: now,
            observer: JobEventMapping(hub: hub),
            words: { Redaction.error($0) },
            passesPool: { TokenRefreshScope.isOpen }
        )
        flights = FlightControl(hub: hub, clock: clock)
        cache = CallCache(
            storage: ExpiringCache(configuration: configuration.cache),
            hub: hub,
            clock: clock,
            lease: configuration.cacheLease.map(RestClientManager.Configuration.usableLease),
            now: now
        )
        transport = configuration.transport ?? AsyncHTTPClientTransport.shared
    }

    /// The tables that a call of this task would be resolved with.
    var snapshot: RegistrySnapshot {
        registries.snapshot(in: EnvironmentScope.innermost(for: registries))
    }

    /// The number of requests that calls share at this moment, and of calls that wait for them.
    var sharing: (flights: Int, waiting: Int) {
        let (cached, uncached) = (cache.flights.counts, flights.counts)
        return (cached.flights + uncached.flights, cached.waiting + uncached.waiting)
    }
}
