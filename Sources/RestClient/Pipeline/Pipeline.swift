// SPDX-License-Identifier: MIT

import HTTPTypes

/// The stages that calls pass, in their order.
final class Pipeline: Sendable {
    /// All stages, and those that are left for a call which needs no cache, header providers, token or dummies.
    private let all: StageList
    private let plain: StageList
    private let core: ClientCore
    private let cache: CacheStage
    private let authentication: AuthenticationStage

    init(core: ClientCore, configuration: RestClientManager.Configuration) {
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
        self.core = core
        self.cache = cache
        self.authentication = authentication
        all = StageList(Self.stages(all: true, core, cache, authentication))
        plain = StageList(Self.stages(all: false, core, cache, authentication))
    }

    /// The stages in their order.
    ///
    /// What happens once for each call comes first, what happens for each attempt second. The worker slot is taken after the
    /// cache, so that a cached response takes none, and before the attempt interceptors, so that what they add is fresh when
    /// it leaves. Dummies sit where the socket would be.
    private static func stages(
        all: Bool,
        calls: [any Interceptor] = [],
        attempts: [any Interceptor] = [],
        _ core: ClientCore,
        _ cache: CacheStage,
        _ authentication: AuthenticationStage
    ) -> [any Interceptor] {
        var stages: [any Interceptor] = []
        // Once for each call.
        if !calls.isEmpty || !attempts.isEmpty { stages.append(DeadlineStage(clock: core.clock)) }
        stages += calls
        if all { stages.append(cache) }
        if all { stages.append(RetryStage(hub: core.hub, clock: core.clock, now: core.now)) }
        // Once for each attempt.
        if all { stages += [authentication, HeaderProviderStage(clock: core.clock)] }
        if all { stages.append(SharingStage(flights: core.flights)) }
        stages.append(
            WorkerSlotStage(pool: core.workers, hub: core.hub, clock: core.clock, hasInterceptors: !attempts.isEmpty)
        )
        stages.append(AttemptStage(hub: core.hub))
        stages += attempts
        stages.append(EffectStage())
        stages.append(RedirectStage(hub: core.hub, now: core.now))
        if all { stages.append(DummyStage(registries: core.registries, hub: core.hub, clock: core.clock)) }
        stages.append(TransportStage(transport: core.transport, clock: core.clock, taps: core.taps))
        return stages
    }

    /// Which dummies may answer a call; `nil` when none may.
    func dummyPlan(_ options: CallOptions, _ target: ResolvedTarget) -> DummyPlan? {
        DummyPlan.of(options[.dummies], at: options.level(of: .dummies), target, core)
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
            && policy.options[.retry] == nil
            // What changes a resource makes stored responses untrue, if there can be any.
            && (method == .get || Invalidation.isSafe(method) || !core.cache.mayHoldAnswers)
        let calls = policy.options[.callInterceptors]?.interceptors ?? []
        let attempts = policy.options[.attemptInterceptors]?.interceptors ?? []
        guard calls.isEmpty, attempts.isEmpty else {
            let stages = Self.stages(all: !isPlain, calls: calls, attempts: attempts, core, cache, authentication)
            return StageList(stages)
        }
        return isPlain ? plain : all
    }
}
