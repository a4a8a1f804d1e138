// SPDX-License-Identifier: MIT

import RestEssentials

struct DummySurroundings: Sendable {
    let scopes: [DummyScope]
    let scopeMode: DummyMode?
    let dummies: DummyRegistry
    let mode: DummyMode

    /// Reads the scopes of the current task, and the modes; at the cost of two flags if dummies are not in use.
    static func current(_ dummies: DummyRegistry) -> DummySurroundings {
        let scopes = DummyScope.all(for: dummies)
        return DummySurroundings(
            scopes: scopes,
            scopeMode: scopes.first?.registry.mode,
            dummies: dummies,
            mode: dummies.isActive ? dummies.mode : .off
        )
    }

    var areAbsent: Bool { scopes.isEmpty && scopeMode == nil && mode == .off }

    /// Returns the lookup for a call by its options and the directory of its aliases; `nil` if no dummy may respond.
    func lookup(_ options: CallOptions, in directory: any DummyDirectory) -> DummyLookup? {
        // A scope takes precedence over the options of all levels but the call itself.
        var option = options[.dummies]
        if scopeMode != nil, option != nil, options.level(of: .dummies) != .call {
            option = nil
        }
        let mode = option ?? scopeMode ?? mode
        guard mode != .off else {
            return nil
        }
        var registries = scopes.map(\.registry)
        // The manager's own dummies come after those of scopes, unless they are switched off.
        if scopes.isEmpty || self.mode != .off {
            registries.append(dummies)
        }
        return DummyLookup(mode: mode, registries: registries, scopeCount: scopes.count, directory: directory)
    }
}

final class DummyLookup: PolicyPart {
    struct Unmatched: Error {
        /// A sentence about the dummies nearest to it; `nil` if it goes to the network.
        let nearest: String?
    }

    let mode: DummyMode
    let registries: [DummyRegistry]
    private let scopeCount: Int
    /// Looks up the aliases of dummies as of the start of the call; `nil` where dummies respond as a server.
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
            // In scopes, every call within them is logged; in the manager's own registry, those that it responded to.
            for (index, other) in registries.enumerated() where index < scopeCount || other === registry {
                other.log(call(request, chosen.responder, nearest: nil, context))
            }
            return DummyReply(responder: chosen.responder, number: number, request: request)
        }
        let nearest =
            mode == .strict
            ? DummyRanking.nearMisses(request, among: registries.flatMap(\.obstacles), context) : nil
        // A call to which no dummy responded is logged only in the innermost scope, whose mode decides.
        registries.first?.log(call(request, nil, nearest: nearest, context))
        throw Unmatched(nearest: nearest)
    }

    private func call(
        _ request: DummyRequest,
        _ responder: DummyResponder?,
        nearest: String?,
        _ context: DummyContext
    ) -> (_ number: Int) -> DummyCall {
        { [mode] number in
            DummyCall(
                number: number,
                request: request,
                responder: responder,
                mode: mode,
                nearest: nearest,
                context: context
            )
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

struct DummyReply: Sendable {
    let responder: DummyResponder
    let number: Int
    let request: DummyRequest

    /// True if the response needs neither time nor user code that may suspend.
    var isImmediate: Bool {
        switch responder.dummy.response(toCall: number) {
        case .closure: false
        case .model: delay == .zero
        case .fixed(let response): delay == .zero && response.chunks == nil && response.fault != .noResponse
        }
    }

    var delay: Duration { responder.dummy.delay.duration(ofCall: number) }

    /// Returns the response, after the delay; user code that ignores cancellation is not awaited.
    func response(pause: @Sendable (Duration) async throws -> Void) async throws -> DummyResponse {
        if delay > .zero {
            try await pause(delay)
        }
        let response = try await respond()
        if let defect = response.defect {
            throw defect
        }
        return response
    }

    private func respond() async throws -> DummyResponse {
        do {
            switch responder.dummy.response(toCall: number) {
            case .fixed(let response): return response
            case .model(let encode): return try encode(request)
            case .closure(let respond): return try await AbandonableWork.run { [request] in try await respond(request) }
            }
        } catch let error as RestClientError {
            throw error
        } catch let error as CancellationError where Task.isCancelled {
            throw error
        } catch {
            let isCoding = error is DecodingError || error is EncodingError
            let reason = isCoding ? DecodingReason.describe(error) : "it threw"
            throw RestClientError(
                .dummyFailed,
                "the dummy '\(responder)' gave no response to its call number \(number): \(reason)",
                underlying: error
            )
        }
    }
}
