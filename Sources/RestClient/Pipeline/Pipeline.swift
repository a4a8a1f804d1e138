// SPDX-License-Identifier: MIT

/// The stages that a call passes, in their order.
final class Pipeline: Sendable {
    let stages: [any Interceptor]

    /// Puts the stages in order.
    ///
    /// What happens once for each call comes first, what happens for each try second. The worker slot is taken after the
    /// cache, so that a cached answer takes none, and before the attempt interceptors, so that what they add is fresh when
    /// it leaves. Dummies sit where the socket would be.
    init(core: ClientCore, configuration: RestClientManager.Configuration) {
        var stages: [any Interceptor] = []

        // Once for each call.
        if !configuration.callInterceptors.isEmpty || !configuration.attemptInterceptors.isEmpty {
            stages.append(DeadlineStage(clock: core.clock))
        }
        stages += configuration.callInterceptors
        stages.append(CacheStage(cache: core.cache, hub: core.hub, clock: core.clock, now: configuration.now))

        // Once for each try.
        stages.append(HeaderProviderStage(clock: core.clock))
        stages.append(
            WorkerSlotStage(
                pool: core.workers,
                clock: core.clock,
                dummies: core.dummies,
                hasInterceptors: !configuration.attemptInterceptors.isEmpty
            )
        )
        stages.append(AttemptStage(hub: core.hub))
        stages += configuration.attemptInterceptors
        stages.append(RedirectStage(hub: core.hub))
        stages.append(
            DummyStage(registry: core.dummies, servers: core.registries.servers, hub: core.hub, clock: core.clock)
        )
        stages.append(TransportStage(transport: core.transport, clock: core.clock))

        self.stages = stages
    }

    /// Sends a request through all stages.
    func send(_ request: OutgoingRequest) async throws -> RawResponse {
        try await Next(index: 0)(request)
    }
}
