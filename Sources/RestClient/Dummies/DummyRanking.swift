// SPDX-License-Identifier: MIT

package enum DummyRanking {
    struct Candidate {
        let responder: DummyResponder
        let parameters: [String: String]
    }

    static func candidates(
        for request: DummyRequest,
        among responders: [DummyResponder],
        _ context: DummyContext,
        body: inout RequestMatcher.Body
    ) -> [Candidate] {
        var matches: [(candidate: Candidate, pattern: PathPattern, index: Int)] = []
        for (index, responder) in responders.enumerated() {
            let match = DummyMatch(request, responder.dummy, context, body: &body, stopsEarly: true)
            if match.isMatch, let target = DummyMatch.Target(of: responder.dummy, in: context) {
                matches.append((Candidate(responder: responder, parameters: match.parameters), target.pattern, index))
            }
        }
        guard matches.count > 1 else {
            return matches.map(\.candidate)
        }
        return
            matches.sorted { left, right in
                prefers(
                    left.candidate.responder.dummy,
                    left.pattern,
                    to: right.candidate.responder.dummy,
                    right.pattern
                ) ?? (left.index > right.index)
            }
            .map(\.candidate)
    }

    /// Returns true if one dummy is preferred to another that matches too; `nil` if only the order of registration
    /// decides.
    package static func prefers(
        _ left: Dummy,
        _ leftPattern: PathPattern,
        to right: Dummy,
        _ rightPattern: PathPattern
    ) -> Bool? {
        let (left, right) = (rank(left), rank(right))
        if left.first != right.first {
            return left.first > right.first
        }
        if let isMoreSpecific = leftPattern.isMoreSpecific(than: rightPattern) {
            return isMoreSpecific
        }
        return left.last == right.last ? nil : left.last > right.last
    }

    /// The marks that decide before the path and after it, the first ones first.
    private static func rank(_ dummy: Dummy) -> (first: (Int, Int), last: (Int, Int, Int, Int)) {
        // One that is used up is followed by the other; the other way round it would never be used.
        let limit = dummy.limit == nil ? 0 : 1
        switch dummy.target {
        case .api:
            return ((dummy.priority, 1), (1, 1, dummy.conditions.count, limit))
        case .endpoint(let endpoint):
            let (method, server) = (endpoint.method == nil ? 0 : 1, endpoint.server == nil ? 0 : 1)
            return ((dummy.priority, 0), (method, server, dummy.conditions.count, limit))
        }
    }
}

// MARK: - Near misses

extension DummyRanking {
    /// Returns a sentence about the nearest dummies; an obstacle is why one does not respond although it may match.
    static func nearMisses(
        _ request: DummyRequest,
        among responders: [(responder: DummyResponder, obstacle: String?)],
        _ context: DummyContext
    ) -> String {
        guard !responders.isEmpty else {
            return "no dummy is registered"
        }
        var body = RequestMatcher.Body()
        let matches = responders.map { responder, obstacle in
            let match = DummyMatch(request, responder.dummy, context, body: &body, stopsEarly: false)
            return (responder: responder, obstacle: obstacle, match: match)
        }
        var nearest = matches.filter(\.match.hasPath)
        if nearest.isEmpty {
            let path = context.path(of: request.url.prefix { $0 != "?" && $0 != "#" })
            let lookalikes = responders.map { responder, _ in
                DummyMatch.Target(of: responder.dummy, in: context)?.pattern.lookalike(of: path) ?? ""
            }
            nearest = NearestNames.of(String(path), among: Set(lookalikes))
                .flatMap { name in zip(matches, lookalikes).filter { $0.1 == name }.map(\.0) }
        }
        guard !nearest.isEmpty else {
            let names = responders.prefix(8).map { "'\($0.responder)'" }.joined(separator: ", ")
            return "registered: " + names + (responders.count > 8 ? ", …" : "")
        }
        // Sorting is stable: equally near dummies keep their order.
        let texts = nearest.sorted { $0.match.distance < $1.match.distance }.prefix(3)
            .map { responder, obstacle, match in
                let differences = match.differences.map(\.text) + [obstacle].compactMap(\.self)
                return "'\(responder)' (\(differences.joined(separator: "; ")))"
            }
        return "nearest: " + texts.joined(separator: ", ")
    }
}
