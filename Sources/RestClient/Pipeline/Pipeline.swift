// SPDX-License-Identifier: MIT

import HTTPTypes

/// The stages that calls pass, in their order.
final class Pipeline: Sendable {
    /// All stages, and those that are left for a call which needs no cache, header providers, token or dummies.
    private let all: StageList
    private let plain: StageList
    private let core: ClientCore

    /// Puts the stages in order.
    ///
    /// What happens once for each call comes first, what happens for each attempt second. The worker slot is taken after the
    /// cache, so that a cached response takes none, and before the attempt interceptors, so that what they add is fresh when
    /// it leaves. Dummies sit where the socket would be.
    init(core: ClientCore, configuration: RestClientManager.Configuration) {
        let hasInterceptors = !configuration.callInterceptors.isEmpty || !configuration.attemptInterceptors.isEmpty
        let authentication = AuthenticationStage(hub: core.hub, clock: core.clock, now: configuration.now)
        let cache = CacheStage(
            cache: core.cache,
            background: core.background,
            flights: core.flights,
            authentication: authentication,
            hub: core.hub,
            clock: core.clock,
            lease: configuration.cacheLease.map(RestClientManager.Configuration.usableLease),
            now: configuration.now
        )
        let slot = WorkerSlotStage(
            pool: core.workers,
            hub: core.hub,
            clock: core.clock,
            hasInterceptors: !configuration.attemptInterceptors.isEmpty
        )
        let dummy = DummyStage(registries: core.registries, hub: core.hub, clock: core.clock)

        func stages(all: Bool) -> [any Interceptor] {
            var stages: [any Interceptor] = []
            // Once for each call.
            if hasInterceptors { stages.append(DeadlineStage(clock: core.clock)) }
            stages += configuration.callInterceptors
            if all { stages.append(cache) }
            // Once for each attempt.
            if all { stages += [authentication, HeaderProviderStage(clock: core.clock)] }
            if all { stages.append(SharingStage(flights: core.flights)) }
            stages.append(slot)
            stages.append(AttemptStage(hub: core.hub))
            stages += configuration.attemptInterceptors
            stages.append(EffectStage())
            stages.append(RedirectStage(hub: core.hub, now: configuration.now))
            if all { stages.append(dummy) }
            stages.append(TransportStage(transport: core.transport, clock: core.clock, taps: core.taps))
            return stages
        }

        self.all = StageList(stages(all: true))
        self.plain = StageList(stages(all: false))
        self.core = core
    }

    /// Which dummies may answer a call; `nil` when none may.
    func dummyPlan(_ mode: DummyMode?, _ target: ResolvedTarget) -> DummyPlan? {
        DummyPlan.of(mode, target, core)
    }

    /// What keeps a call's stored responses and shared requests within the task's scopes; `nil` outside of scopes.
    func scopePartition(_ plan: DummyPlan?) -> String? {
        switch (plan?.cachePartition, core.taps.cachePartition) {
        case (let dummies?, let fixture?): "\(dummies) \(fixture)"
        case (let dummies, let fixture): dummies ?? fixture
        }
    }

    /// The stages for a call with a method and a policy; they stay the call's to its end.
    func stages(for method: HTTPRequest.Method, _ policy: CallPolicy) -> StageList {
        let isPlain =
            policy.cache.mode == .networkOnly && policy.headerProviders.isEmpty && policy.dummies == nil
            && !policy.sharesUncached && policy.pass == nil && policy.authentication == nil
            // What changes a resource makes stored responses untrue, if there can be any.
            && (method == .get || Invalidation.isSafe(method) || !core.cache.mayHoldAnswers)
        return isPlain ? plain : all
    }
}
