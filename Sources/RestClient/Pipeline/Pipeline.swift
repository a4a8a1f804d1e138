// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs

/// The stages that calls pass, in their order.
final class Pipeline: Sendable {
    /// The stages of a call without a cache and interceptors, and the stages that remain if it needs no header
    /// providers, token or dummies either.
    private let uncached: StageList
    private let plain: StageList
    /// The plain stages for a request that may change a resource.
    private let changing: StageList
    /// The stages after the cache of a call without interceptors; before the cache it has none.
    private let behindCache: StageList
    /// The same for calls with options that few calls have, most of which guard servers or clients.
    private let guarded: StageList
    private let guardedBehindCache: StageList
    private let beforeCache = StageList([])
    private let core: ClientCore
    private let authentication: AuthenticationStage
    private let transportHeedsCalls: Bool

    init(core: ClientCore) {
        self.core = core
        authentication = AuthenticationStage(hub: core.hub, clock: core.clock, now: core.now)
        transportHeedsCalls = core.transport is any CancellingTransport
        uncached = StageList(Self.uncachedStages([], core, authentication, isGuarded: false))
        let attempts = Self.attemptStages(.plain, [], core, authentication, isGuarded: false)
        plain = StageList(attempts)
        changing = StageList([InvalidationStage(cache: core.cache)] + attempts)
        behindCache = StageList(Self.attemptStages(.cached, [], core, authentication, isGuarded: false))
        guarded = StageList(Self.uncachedStages([], core, authentication, isGuarded: true))
        guardedBehindCache = StageList(Self.attemptStages(.cached, [], core, authentication, isGuarded: true))
    }

    // MARK: - The order

    /// Returns the stages that a call passes once.
    ///
    /// The cache comes next: for a call that uses it, it is the end of these stages, because it knows the call's model.
    private static func callStages(_ interceptors: Interceptors, _ core: ClientCore) -> [any Interceptor] {
        interceptors.isEmpty ? [] : [DeadlineStage(clock: core.clock)] + interceptors.calls
    }

    /// Returns the stages of a call without a cache that needs all of them.
    private static func uncachedStages(
        _ interceptors: [any Interceptor],
        _ core: ClientCore,
        _ authentication: AuthenticationStage,
        isGuarded: Bool
    ) -> [any Interceptor] {
        [InvalidationStage(cache: core.cache)]
            + attemptStages(.uncached, interceptors, core, authentication, isGuarded: isGuarded)
    }

    /// The attempt stages that a call needs.
    private enum Need {
        /// Neither retries nor a token, header providers, sharing or dummies.
        case plain
        /// All stages except sharing, because the cache shares requests itself.
        case cached
        /// All stages.
        case uncached
    }

    /// Returns the stages that each attempt passes.
    ///
    /// The worker slot is taken after the cache, so that a cached response needs no slot, and before the attempt
    /// interceptors, so that the values they add are fresh when they are sent. Dummies replace the transport.
    private static func attemptStages(
        _ need: Need,
        _ interceptors: [any Interceptor],
        _ core: ClientCore,
        _ authentication: AuthenticationStage,
        isGuarded: Bool
    ) -> [any Interceptor] {
        var stages: [any Interceptor] = []
        if need != .plain {
            stages.append(
                RetryStage(
                    hub: core.hub,
                    clock: core.clock,
                    budget: { [guards = core.guards] in guards.retries(of: $0) },
                    now: core.now,
                    pause: { [probes = core.probes] in try await probes.pause(for: $0, $1) }
                )
            )
            stages.append(authentication)
            stages.append(HeaderProviderStage(clock: core.clock))
        }
        if need == .uncached {
            stages.append(SharingStage(flights: core.flights))
        }
        if isGuarded {
            stages.append(HedgeStage(memories: core.hedges, hub: core.hub, clock: core.clock))
            stages.append(ServerGuardStage(guards: core.guards, hub: core.hub, clock: core.clock, now: core.now))
        }
        stages.append(
            WorkerSlotStage(
                pool: core.workers,
                hub: core.hub,
                clock: core.clock,
                hasInterceptors: !interceptors.isEmpty
            )
        )
        stages.append(AttemptStage(hub: core.hub))
        if need != .plain {
            stages.append(AttemptTimeoutStage(clock: core.clock))
        }
        if isGuarded {
            stages.append(DeadlineHeaderStage(clock: core.clock))
        }
        stages += interceptors
        stages.append(EffectStage())
        stages.append(RedirectStage(hub: core.hub, now: core.now))
        if isGuarded {
            stages.append(CookieStage())
            stages.append(HeaderLimitStage())
        }
        if need != .plain {
            stages.append(ProgressStage(hub: core.hub, clock: core.clock))
            stages.append(DummyStage(hub: core.hub, clock: core.clock))
        }
        stages.append(TransportStage(transport: core.transport, clock: core.clock, taps: core.taps))
        return stages
    }

    /// The interceptors of one call.
    private struct Interceptors {
        let calls: [any Interceptor]
        let attempts: [any Interceptor]

        var isEmpty: Bool { calls.isEmpty && attempts.isEmpty }

        init(_ call: CallContext) {
            calls = call.options[.callInterceptors]?.interceptors ?? []
            attempts = call.options[.attemptInterceptors]?.interceptors ?? []
        }
    }

    // MARK: - Calls without a cache

    /// Sends the request of a call without a cache.
    func send(_ request: OutgoingRequest) async throws -> RawResponse {
        try await stages(for: request.call).send(request)
    }

    /// Returns the stages for a call without a cache, and whether all that they wait for heeds
    /// ``CallContext/cancellation``, so that the call needs no task of its own.
    func stages(for request: OutgoingRequest) -> (stages: StageList, heedsCall: Bool) {
        let stages = stages(for: request.call)
        guard transportHeedsCalls, stages === plain || stages === changing || stages === uncached else {
            return (stages, false)
        }
        let policy = request.call.policy
        let heedsCall =
            policy.headerProviders.isEmpty && policy.pass == nil && policy.sharesFlight != true && !policy.lendsSlot
            && policy.options[.attemptTimeout] == nil && policy.options[.progress] == nil
            && policy.options[.progressEvents] != true && policy.parts.allSatisfy(\.heedsCall)
            && request.isInMemory && core.taps.current == nil
        return (stages, heedsCall)
    }

    /// Returns the stages for a call without a cache.
    func stages(for call: CallContext) -> StageList {
        let isGuarded = call.policy.isGuarded
        let isPlain =
            !isGuarded && call.policy.parts.isEmpty && call.policy.headerProviders.isEmpty && call.policy.pass == nil
            && call.options[.progress] == nil && call.options[.progressEvents] != true
            && call.policy.sharesFlight != true && call.options[.retry] == nil && call.options[.attemptTimeout] == nil
        let interceptors = Interceptors(call)
        guard !interceptors.isEmpty else {
            return isPlain ? (call.method.isSafe ? plain : changing) : isGuarded ? guarded : uncached
        }
        // A request that changes a resource invalidates stored responses, also those that are stored meanwhile.
        let invalidation = isPlain && call.method.isSafe ? [] : [InvalidationStage(cache: core.cache)]
        let attempts = Self.attemptStages(
            isPlain ? .plain : .uncached,
            interceptors.attempts,
            core,
            authentication,
            isGuarded: isGuarded
        )
        return StageList(Self.callStages(interceptors, core) + invalidation + attempts)
    }

    // MARK: - Calls with a cache

    /// Sends the request of a call that uses the cache, up to the end created for the call.
    func send(_ request: OutgoingRequest, to end: any CallEnd) async throws -> RawResponse {
        let interceptors = Interceptors(request.call)
        let list = interceptors.isEmpty ? beforeCache : StageList(Self.callStages(interceptors, core))
        return try await list.send(request, to: end)
    }

    /// Creates the end of a call that uses the cache.
    func cachedCall<Model>(
        _ call: CallContext,
        _ decoder: ModelDecoder<Model>,
        early: CachedCall<Model>.Early?
    ) -> CachedCall<Model> {
        let interceptors = Interceptors(call)
        let stages =
            interceptors.attempts.isEmpty
            ? (call.policy.isGuarded ? guardedBehindCache : behindCache)
            : StageList(
                Self.attemptStages(
                    .cached,
                    interceptors.attempts,
                    core,
                    authentication,
                    isGuarded: call.policy.isGuarded
                )
            )
        return CachedCall(
            cache: core.cache,
            stages: stages,
            decoder: decoder,
            hasInterceptors: !interceptors.calls.isEmpty,
            identify: { [authentication] in try await authentication.identified($0, waits: $1) },
            early: early
        )
    }
}
