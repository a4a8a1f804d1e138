// SPDX-License-Identifier: MIT

/// Which dummies may answer a call, settled when it begins; a call that none may answer has no plan.
final class DummyPlan: Sendable {
    let mode: DummyMode

    /// Where dummies are looked for, in this order.
    let registries: [DummyRegistry]

    /// How many of the registries belong to scopes.
    private let scopeCount: Int

    /// Keeps what the call stores in a cache apart from what is stored outside its scope.
    let cachePartition: String?

    private init(mode: DummyMode, registries: [DummyRegistry], scopeCount: Int, cachePartition: String?) {
        self.mode = mode
        self.registries = registries
        self.scopeCount = scopeCount
        self.cachePartition = cachePartition
    }

    /// The plan of a server that answers all requests from one registry.
    convenience init(serving registry: DummyRegistry) {
        self.init(mode: .strict, registries: [registry], scopeCount: 0, cachePartition: nil)
    }

    /// The plan for a call; `nil`, at the cost of two flags, where dummies are not in use.
    ///
    /// - Parameters:
    ///   - own: The mode that a level sets.
    ///   - level: The level that sets it; scopes yield to the call only.
    ///   - target: Where the call goes.
    ///   - core: The parts of the manager that runs it.
    ///   - scope: The innermost scope that the call begins in.
    /// - Returns: The plan, if any dummy may answer.
    static func of(
        _ own: DummyMode?,
        at level: CallOptions.Level?,
        _ target: ResolvedTarget,
        _ core: ClientCore,
        in scope: DummyScope?
    ) -> DummyPlan? {
        let own = scope == nil || level == .call ? own : nil
        guard own != nil || scope != nil || core.dummies.isActive else {
            return nil
        }
        let deciding = scope?.registry ?? core.dummies
        let mode = own ?? deciding.modes.mode(api: target.apiName, server: target.serverAlias)
        guard mode != .off else {
            return nil
        }
        var registries = scope?.registries(for: core) ?? []
        let scopeCount = registries.count
        // The manager's own dummies lie beneath those of scopes, unless they are switched off.
        if scope == nil || core.dummies.isActive {
            registries.append(core.dummies)
        }
        return DummyPlan(
            mode: mode,
            registries: registries,
            scopeCount: scopeCount,
            cachePartition: scope?.cachePartition
        )
    }

    /// Looks for the dummy that answers a request, and counts and logs the call.
    func claim(_ request: DummyRequest, _ context: DummyContext) -> DummyClaim? {
        var body = DummyBody()
        for registry in registries {
            let matches = DummySelection.matches(request, among: registry.all, context, body: &body)
            if !matches.isEmpty, let (match, number) = registry.claim(matches) {
                var request = request
                request.parameters = match.parameters
                log(request, context, answeredBy: match.responder, of: registry)
                return DummyClaim(responder: match.responder, number: number, request: request)
            }
        }
        log(request, context, answeredBy: nil, of: nil)
        return nil
    }

    /// Scopes hear of every call inside of them that a dummy answered, the manager's own registry of those that it answered
    /// itself; what none answered concerns the innermost scope alone, whose mode decides what becomes of it.
    private func log(
        _ request: DummyRequest,
        _ context: DummyContext,
        answeredBy responder: DummyResponder?,
        of owner: DummyRegistry?
    ) {
        for (index, registry) in registries.enumerated()
        where owner == nil ? index == 0 : index < scopeCount || registry === owner {
            registry.record(request, context, answeredBy: responder, mode)
        }
    }

    /// What to tell someone whose request no dummy answers.
    func nearMisses(_ request: DummyRequest, _ context: DummyContext) -> String {
        DummySelection.nearMisses(request, among: registries.flatMap(\.candidates), context)
    }
}
