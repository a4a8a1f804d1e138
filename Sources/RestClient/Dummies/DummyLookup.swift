// SPDX-License-Identifier: MIT

/// The registries in which the dummies for a call are looked up, determined when it begins.
final class DummyLookup: CallPart {
    let mode: DummyMode

    /// The registries, in the order of the lookup.
    let registries: [DummyRegistry]

    /// The number of registries that belong to scopes.
    private let scopeCount: Int

    /// Separates what the call stores in a cache from what is stored outside its scope.
    let cachePartition: String?

    /// Looks up the aliases of dummies as of the start of the call; `nil` for a server of its own.
    let directory: (any DummyDirectory)?

    init(
        mode: DummyMode,
        registries: [DummyRegistry],
        scopeCount: Int,
        cachePartition: String?,
        directory: (any DummyDirectory)?
    ) {
        self.mode = mode
        self.registries = registries
        self.scopeCount = scopeCount
        self.cachePartition = cachePartition
        self.directory = directory
    }

    var distinction: String? { "dummies: \(mode) of \(registries.count)" }

    /// Creates the lookup of a server that responds to all requests from one registry.
    convenience init(serving registry: DummyRegistry) {
        self.init(mode: .strict, registries: [registry], scopeCount: 0, cachePartition: nil, directory: nil)
    }

    /// Finds the dummy that responds to a request, and counts and logs the call.
    func reply(to request: DummyRequest, _ context: DummyContext) -> DummyReply? {
        var body = RequestMatcher.Body()
        for registry in registries {
            let candidates = DummyRanking.candidates(for: request, among: registry.all, context, body: &body)
            guard !candidates.isEmpty, let (index, number) = registry.choose(among: candidates.map(\.responder)) else {
                continue
            }
            let chosen = candidates[index]
            var request = request
            request.parameters = chosen.parameters
            if request.coding == nil, case .api(let name) = chosen.responder.dummy.target {
                request.coding = context.directory?.coding(of: name)
            }
            log(request, context, respondedBy: chosen.responder, of: registry)
            return DummyReply(responder: chosen.responder, number: number, request: request)
        }
        log(request, context, respondedBy: nil, of: nil)
        return nil
    }

    /// Logs a call: in scopes, every call within them that a dummy responded to; in the manager's own registry, those
    /// that it responded to itself.
    ///
    /// A call to which no dummy responded is logged only in the innermost scope, whose mode decides.
    private func log(
        _ request: DummyRequest,
        _ context: DummyContext,
        respondedBy responder: DummyResponder?,
        of owner: DummyRegistry?
    ) {
        for (index, registry) in registries.enumerated()
        where owner == nil ? index == 0 : index < scopeCount || registry === owner {
            registry.log(request, context, respondedBy: responder, mode)
        }
    }

    /// Returns a sentence about the dummies nearest to a request that none responds to.
    func nearMisses(_ request: DummyRequest, _ context: DummyContext) -> String {
        DummyRanking.nearMisses(request, among: registries.flatMap(\.obstacles), context)
    }
}

extension DummyDirectory {
    /// The coding of calls of an API.
    fileprivate func coding(of api: String) -> DummyRequest.Coding? {
        guard let endpoint = endpoint(of: api), let dogma = dogma(endpoint.dogma) else {
            return nil
        }
        let call = DogmaRequest(
            method: endpoint.method,
            api: api,
            server: endpoint.server,
            template: endpoint.template.source,
            keyStrategy: endpoint.keyStrategy,
            dateStrategy: endpoint.dateStrategy
        )
        return DummyRequest.Coding(dogma: dogma, call: call)
    }
}

extension CallPolicy {
    /// The lookup of dummies; `nil` if none may respond.
    var dummies: DummyLookup? { part() }
}
