// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import SharedStore

/// The components of a manager, for all code that runs requests.
final class ClientCore: Sendable {
    let registries: Registries
    let dummies = DummyRegistry()
    let workers: WorkerPool
    let hub: EventHub
    let taps: ExchangeTaps
    let tracing = Attachment<any CallTracer>()
    let calls: CallTable
    let guards: ServerGuards
    let hedges = HedgeMemories()
    let probes: ReachabilityProbes
    let cache: CallCache
    let clock: ClientClock
    let now: @Sendable () -> Date
    /// The time of day at which the clock began.
    let epoch: Date
    let jobs: JobRuntime
    let flights: FlightControl<SharingStage.Variant, RawResponse>
    let transport: any Transport

    init(
        registries: Registries,
        workers: (count: Int, limits: [String: Int]),
        cache: (storage: ExpiringCache, lease: Duration?),
        transport: any Transport,
        clock: ClientClock,
        now: @escaping @Sendable () -> Date
    ) {
        self.registries = registries
        self.clock = clock
        self.now = now
        epoch = now().addingTimeInterval(-(clock.now() / .seconds(1)))
        self.transport = transport
        taps = ExchangeTaps(of: dummies)
        calls = CallTable { [dummies] in CallIsolation.innermost(for: dummies) }
        self.workers = WorkerPool(size: workers.count, limits: workers.limits, clock: clock)
        // Work that observers start is not part of the token refresh whose events they receive.
        hub = EventHub(clock: clock) { deliver in TokenRefreshScope.leave(deliver) }
        guards = ServerGuards(clock: clock, hub: hub, now: now)
        let means = ReachabilityProbe.Means(transport: transport, clock: clock, hub: hub) { [registries] server in
            var target = RequestTarget()
            target.setServer(server)
            let snapshot = registries.snapshot(in: EnvironmentScope.innermost(for: registries))
            let resolved = try TargetResolver.resolve(target, in: snapshot)
            var request = TransportRequest(method: .head, url: resolved.prefix, responseLimit: 65_536)
            let options = snapshot.options(for: resolved)
            let userAgent = options[.headers]?.fields[.userAgent] ?? TransportRequest.userAgent
            request.headers[.userAgent] = userAgent.isEmpty ? nil : userAgent
            request.pinKeys(by: options[.pinnedKeys], ownURL: request.url)
            request.setWay(by: options, hasOwnOrigin: true, asksEnvironment: true)
            return request
        }
        probes = ReachabilityProbes(means)
        jobs = JobRuntime(
            workers: self.workers,
            clock: clock,
            now: now,
            observer: JobEventMapping(hub: hub),
            words: { Redaction.error($0) },
            isSecret: { Credentials.areHeld(byMember: $0) },
            passesPool: { TokenRefreshScope.isOpen },
            scope: { [dummies] in CallIsolation.innermost(for: dummies)?.states },
            origin: { [dummies, registries] in
                if let isolation = CallIsolation.innermost(for: dummies) {
                    return isolation.name
                }
                let tables = registries.snapshot(in: EnvironmentScope.innermost(for: registries))
                let surroundings = DummySurroundings.current(dummies)
                let mode = surroundings.scopeMode ?? tables.options[.dummies] ?? surroundings.mode
                return mode == .off ? nil : CallPolicy.dummies
            }
        )
        flights = FlightControl(hub: hub, clock: clock)
        self.cache = CallCache(
            ResponseCache(storage: cache.storage, now: now),
            hub: hub,
            clock: clock,
            lease: cache.lease,
            tracing: tracing
        )
    }

    /// The scope of dummies or of a recording in which the current task is; `nil` outside of such scopes.
    var isolation: CallIsolation? { CallIsolation.innermost(for: dummies) }

    func date(of instant: Duration) -> Date {
        epoch.addingTimeInterval(instant.timeInterval)
    }

    /// The tables with which a call of this task would be resolved.
    var snapshot: RegistrySnapshot {
        registries.snapshot(in: EnvironmentScope.innermost(for: registries))
    }

    /// The number of requests that calls currently share, and of calls that wait for them.
    var sharing: (flights: Int, waiting: Int) {
        let (cached, uncached) = (cache.flights.counts, flights.counts)
        return (cached.flights + uncached.flights, cached.waiting + uncached.waiting)
    }
}

extension RegistrySnapshot: DummyDirectory {
    func prefix(of server: ServerAlias) -> String? {
        guard case .success(let base)? = servers[server]?.value.base else {
            return nil
        }
        return base.prefix
    }

    func endpoint(of name: String) -> DummyEndpoint? {
        guard let api = apis[name]?.value else {
            return nil
        }
        let server = api.server ?? defaultServer
        let serverOptions = server.flatMap { servers[$0]?.value.options }
        func option<Value>(_ key: CallOptionKey<Value>) -> Value? {
            api.options[key] ?? serverOptions?[key] ?? options[key]
        }
        return DummyEndpoint(
            method: api.method,
            template: api.path,
            server: server,
            dogma: option(.dogma) ?? defaultDogma,
            keyStrategy: option(.keyStrategy),
            dateStrategy: option(.dateStrategy)
        )
    }

    func dogma(_ alias: DogmaAlias) -> (any Dogma)? {
        dogmas[alias]?.value
    }
}
