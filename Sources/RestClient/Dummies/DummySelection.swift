// SPDX-License-Identifier: MIT

/// Finds the dummies for a request: a pure function of the request and the registrations.
enum DummySelection {
    /// A dummy that fits, and what stands in its placeholders.
    struct Match {
        let responder: DummyResponder
        let parameters: [String: String]
    }

    /// The dummies that fit, the one to ask first at the front.
    static func matches(
        _ request: DummyRequest,
        among responders: [DummyResponder],
        _ context: DummyContext,
        body: inout DummyBody
    ) -> [Match] {
        var matches: [(match: Match, pattern: PathPattern, index: Int)] = []
        for (index, responder) in responders.enumerated() {
            let fit = DummyFit(request, responder, context, body: &body, stopsEarly: true)
            if fit.fits, let target = DummyFit.Target(of: responder, in: context) {
                matches.append((Match(responder: responder, parameters: fit.parameters), target.pattern, index))
            }
        }
        guard matches.count > 1 else {
            return matches.map(\.match)
        }
        return
            matches.sorted { left, right in
                isBetter(left.match.responder.dummy, left.pattern, than: right.match.responder.dummy, right.pattern)
                    ?? (left.index > right.index)
            }
            .map(\.match)
    }

    /// Whether one dummy answers rather than another that fits too; `nil` when nothing but the order of their
    /// registration decides.
    static func isBetter(
        _ left: Dummy,
        _ leftPattern: PathPattern,
        than right: Dummy,
        _ rightPattern: PathPattern
    ) -> Bool? {
        if left.priority != right.priority {
            return left.priority > right.priority
        }
        let leftRank = rank(left)
        let rightRank = rank(right)
        if leftRank.isAPI != rightRank.isAPI {
            return leftRank.isAPI
        }
        if let isMoreSpecific = leftPattern.isMoreSpecific(than: rightPattern) {
            return isMoreSpecific
        }
        if leftRank.hasMethod != rightRank.hasMethod {
            return leftRank.hasMethod
        }
        if leftRank.hasServer != rightRank.hasServer {
            return leftRank.hasServer
        }
        return left.matchers.count == right.matchers.count ? nil : left.matchers.count > right.matchers.count
    }

    private static func rank(_ dummy: Dummy) -> (isAPI: Bool, hasMethod: Bool, hasServer: Bool) {
        switch dummy.target {
        case .api: (true, true, true)
        case .endpoint(let method, _, let server): (false, method != nil, server != nil)
        }
    }

    // MARK: - Near misses

    /// A dummy that might have been meant, and why it does not answer although it fits, if it does.
    struct Candidate {
        let responder: DummyResponder
        let hindrance: String?
    }

    /// What to tell someone whose request no dummy answers: the nearest ones, and what differs.
    static func nearMisses(
        _ request: DummyRequest,
        among candidates: [Candidate],
        _ context: DummyContext
    ) -> String {
        guard !candidates.isEmpty else {
            return "no dummy is registered"
        }
        var body = DummyBody()
        let fits = candidates.map { candidate in
            (candidate, DummyFit(request, candidate.responder, context, body: &body, stopsEarly: false))
        }
        var nearest = fits.filter(\.1.hasPath)
        if nearest.isEmpty {
            let path = context.path(of: request.url.prefix { $0 != "?" && $0 != "#" })
            let lookalikes = candidates.map { candidate in
                DummyFit.Target(of: candidate.responder, in: context)?.pattern.lookalike(of: path) ?? ""
            }
            nearest = NearestNames.of(String(path), among: Set(lookalikes))
                .flatMap { name in zip(fits, lookalikes).filter { $0.1 == name }.map(\.0) }
        }
        guard !nearest.isEmpty else {
            let names = candidates.prefix(8).map { "'\($0.responder)'" }.joined(separator: ", ")
            return "registered: " + names + (candidates.count > 8 ? ", …" : "")
        }
        // Sorting is stable: of equally near ones the order stays.
        let texts = nearest.sorted { $0.1.distance < $1.1.distance }.prefix(3)
            .map { candidate, fit in
                let differences = fit.differences.map(\.text) + [candidate.hindrance].compactMap(\.self)
                return "'\(candidate.responder)' (\(differences.joined(separator: "; ")))"
            }
        return "nearest: " + texts.joined(separator: ", ")
    }
}
