// SPDX-License-Identifier: MIT

final class DummyLookup: PolicyPart {
    struct Unmatched: Error {
        /// A sentence about the dummies nearest to it; `nil` if it goes to the network.
        let nearest: String?
    }

    let mode: DummyMode

    let registries: [DummyRegistry]

    private let scopeCount: Int

    /// Looks up the aliases of dummies as of the start of the call; `nil` for a server of its own.
    let directory: (any DummyDirectory)?

    init(mode: DummyMode, registries: [DummyRegistry], scopeCount: Int = 0, directory: (any DummyDirectory)? = nil) {
        self.mode = mode
        self.registries = registries
        self.scopeCount = scopeCount
        self.directory = directory
    }

    var distinction: String? { "dummies: \(mode) of \(registries.count)" }

    func reply(to request: DummyRequest, _ context: DummyContext) throws(Unmatched) -> DummyReply {
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
        let nearest =
            mode == .strict
            ? DummyRanking.nearMisses(request, among: registries.flatMap(\.obstacles), context) : nil
        registries.first?.log(request, context, respondedBy: nil, mode, nearest: nearest)
        throw Unmatched(nearest: nearest)
    }

    /// Logs a call: in scopes, every call within them that a dummy responded to; in the manager's own registry, those
    /// that it responded to itself.
    ///
    /// A call to which no dummy responded is logged only in the innermost scope, whose mode decides.
    private func log(
        _ request: DummyRequest,
        _ context: DummyContext,
        respondedBy responder: DummyResponder,
        of owner: DummyRegistry
    ) {
        for (index, registry) in registries.enumerated() where index < scopeCount || registry === owner {
            registry.log(request, context, respondedBy: responder, mode)
        }
    }
}

extension DummyDirectory {
    fileprivate func coding(of api: String) -> ResolvedDogma? {
        guard let endpoint = endpoint(of: api), let dogma = dogma(endpoint.dogma) else {
            return nil
        }
        let request = DogmaRequest(
            method: endpoint.method,
            api: api,
            server: endpoint.server,
            template: endpoint.template.source,
            keyStrategy: endpoint.keyStrategy,
            dateStrategy: endpoint.dateStrategy
        )
        return ResolvedDogma(dogma: dogma, request: request)
    }
}

extension CallPolicy {
    var dummies: DummyLookup? { part() }
}
