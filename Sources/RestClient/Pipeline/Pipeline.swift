// SPDX-License-Identifier: MIT

import HTTPTypes
import JobGraphs
import RestEssentials
import Synchronization

/// The stages that calls pass, in their order.
///
/// A call passes only the stages that its policy needs, see ``StageNeeds``.
final class Pipeline: Sendable {
    /// The stages of a call that needs none besides those that all calls pass.
    private let plain: StageList
    /// The stages of such a call with a request that may change a resource.
    private let changing: StageList
    /// The stages of a call without interceptors, by what it needs.
    private let lists = Mutex<[StageNeeds: StageList]>([:])
    private let core: ClientCore
    private let authentication: AuthenticationStage

    init(core: ClientCore) {
        self.core = core
        authentication = AuthenticationStage(hub: core.hub, clock: core.clock, now: core.now)
        plain = StageList(Self.attemptStages([], [], core, authentication))
        changing = StageList(Self.attemptStages(.invalidation, [], core, authentication))
    }

    // MARK: - The order

    /// Returns the stages that a call passes once.
    ///
    /// The cache comes next: for a call that uses it, it is the end of these stages, because it knows the call's model.
    private static func callStages(_ interceptors: Interceptors, _ core: ClientCore) -> [any Interceptor] {
        interceptors.isEmpty ? [] : [DeadlineStage(clock: core.clock)] + interceptors.calls
    }

    /// Returns the stages that each attempt passes, behind those that retry it.
    ///
    /// The worker slot is taken after the cache, so that a cached response needs no slot, and before the attempt
    /// interceptors, so that the values they add are fresh when they are sent. Dummies replace the transport.
    private static func attemptStages(
        _ needs: StageNeeds,
        _ interceptors: [any Interceptor],
        _ core: ClientCore,
        _ authentication: AuthenticationStage
    ) -> [any Interceptor] {
        var stages: [any Interceptor] = []
        func add(_ need: StageNeeds, _ stage: @autoclosure () -> any Interceptor) {
            if needs.contains(need) {
                stages.append(stage())
            }
        }
        let clock = core.clock
        // A request that changes a resource invalidates stored responses, also those that are stored meanwhile.
        add(.invalidation, InvalidationStage(cache: core.cache))
        add(
            .retry,
            RetryStage(
                hub: core.hub,
                clock: clock,
                count: { [guards = core.guards] in guards.count($0) },
                budget: { [guards = core.guards] in guards.retries(of: $0) },
                now: core.now,
                pause: { [probes = core.probes, dummies = core.dummies] in
                    let isolation = CallIsolation.innermost(for: dummies)
                    try await probes.inside(isolation).pause(for: $0, $1)
                }
            )
        )
        add(.authentication, authentication)
        add(.headerProviders, HeaderProviderStage(clock: clock))
        add(.sharing, SharingStage(flights: core.flights))
        add(.hedging, HedgeStage(memories: core.hedges, hub: core.hub, clock: clock))
        add(.admission, AdmissionStage(guards: core.guards, hub: core.hub, clock: clock, now: core.now))
        add(.circuit, CircuitStage(guards: core.guards, hub: core.hub, clock: clock))
        stages.append(
            WorkerSlotStage(pool: core.workers, hub: core.hub, clock: clock, hasInterceptors: !interceptors.isEmpty)
        )
        stages.append(AttemptStage(hub: core.hub, tracing: core.tracing))
        add(.attemptTimeout, AttemptTimeoutStage(clock: clock))
        add(.deadlineField, DeadlineHeaderStage(clock: clock))
        stages += interceptors
        stages.append(EffectStage())
        stages.append(RedirectStage(hub: core.hub, now: core.now))
        add(.cookies, CookieStage())
        add(.signing, SigningStage(clock: clock))
        add(.headerLimit, HeaderLimitStage())
        add(.progress, ProgressStage(hub: core.hub, clock: clock))
        add(.wireObserver, WireObserverStage())
        add(.dummies, DummyStage(hub: core.hub, clock: clock))
        stages.append(TransportStage(transport: core.transport, hub: core.hub, clock: clock, taps: core.taps))
        return stages
    }

    private func list(_ needs: StageNeeds) -> StageList {
        if needs.isEmpty {
            return plain
        }
        if needs == .invalidation {
            return changing
        }
        if let known = lists.withLock({ $0[needs] }) {
            return known
        }
        let new = StageList(Self.attemptStages(needs, [], core, authentication))
        lists.withLock { $0[needs] = new }
        return new
    }

    private struct Interceptors {
        var calls: [any Interceptor] = []
        var attempts: [any Interceptor] = []

        var isEmpty: Bool { calls.isEmpty && attempts.isEmpty }

        init(_ call: CallContext) {
            if call.policy.needs.contains(.interceptors) {
                calls = call.options[.callInterceptors]?.interceptors ?? []
                attempts = call.options[.attemptInterceptors]?.interceptors ?? []
            }
        }
    }

    // MARK: - Calls

    /// Returns the stages for a call without a cache.
    func stages(for call: CallContext) -> StageList {
        let interceptors = Interceptors(call)
        var needs = call.policy.needs.intersection(.stages)
        if !call.method.isSafe {
            needs.insert(.invalidation)
        }
        guard !interceptors.isEmpty else {
            return list(needs)
        }
        // Interceptors may change the method.
        needs.insert(.invalidation)
        let attempts = Self.attemptStages(needs, interceptors.attempts, core, authentication)
        return StageList(Self.callStages(interceptors, core) + attempts)
    }

    /// Sends the request of a call; `cached` is the stage that was created for a call that uses the cache.
    @inline(__always)
    func send(_ request: OutgoingRequest, to cached: (any Interceptor)? = nil) async throws -> RawResponse {
        let list =
            cached.map { StageList(Self.callStages(Interceptors(request.call), core) + [$0]) }
            ?? stages(for: request.call)
        guard request.call.effects.isEmpty else {
            return try await UnsafeEffects.uncounted { try await list.send(request) }
        }
        return try await list.send(request)
    }

    func cachedCall(_ call: CallContext, _ decoder: AnyModelDecoder, early: CachedCall.Early?) -> CachedCall {
        let interceptors = Interceptors(call)
        // The cache shares and invalidates itself.
        let needs = call.policy.needs.intersection(.stages).subtracting(.sharing)
        let stages =
            interceptors.attempts.isEmpty
            ? list(needs)
            : StageList(Self.attemptStages(needs, interceptors.attempts, core, authentication))
        return CachedCall(
            cache: core.cache.inside(call.policy.isolation),
            stages: stages,
            decoder: decoder,
            hasInterceptors: !interceptors.calls.isEmpty,
            identify: { [authentication] in try await authentication.identified($0, waits: $1) },
            early: early
        )
    }
}

extension CallPolicy {
    /// Determines the stages that the call passes; everything else of the policy must be settled.
    mutating func settleNeeds() {
        needs = options.needs
        if authentication != nil {
            needs.insert(.authentication)
        }
        if !headerProviders.isEmpty {
            needs.insert(.headerProviders)
        }
        if dummies != nil {
            needs.insert(.dummies)
        }
        if sharesFlight != true {
            needs.remove(.sharing)
        }
        if options[.progress] == nil, options[.progressEvents] != true {
            needs.remove(.progress)
        }
        if options[.minimumDuration] != nil || options[.fallback] != nil {
            needs.insert(.ending)
        }
    }
}

/// Counts the attempts of a call, each once it has its worker slot, emits their start and end events, and sends each in
/// a span if the manager is traced.
struct AttemptStage: Interceptor {
    let hub: EventHub
    let tracing: Attachment<any CallTracer>

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        let own = request.call.beginAttempt()
        let number = request.call.policy.series?.beginAttempt() ?? own
        hub.emit(.attemptStarted(number: number), request.call)
        do {
            let response =
                if let tracer = tracing.current {
                    try await tracer.attempts.intercept(request, next: next)
                } else {
                    try await next(request)
                }
            hub.emit(.attemptFinished(number: number, status: response.status), request.call)
            return response
        } catch {
            let error = request.call.isCancelled ? CancellationError() : error
            hub.emit(.attemptFailed(number: number, error), request.call)
            throw error
        }
    }
}

/// Ends a call in time, and when it is cancelled, even if an interceptor delays it.
///
/// It is used only with interceptors: the library's own stages observe both themselves, which costs nothing while
/// they do not wait.
struct DeadlineStage: Interceptor {
    let clock: ClientClock

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        try await request.call.waits { [clock] in
            try await clock.limit(to: request.call) { try await next(request) }
        }
    }
}
