// SPDX-License-Identifier: MIT

public import RestClient

/// Finds dummies that can never respond, or that respond only by the order of registration.
struct DummyLint {
    let context: DummyContext
    let servers: Set<String>
    let apis: Set<String>

    func issues(of dummies: [DummyResponder]) -> [LintIssue] {
        dummies.enumerated()
            .compactMap { index, dummy in unknown(dummy) ?? hidden(dummy, by: dummies[(index + 1)...]) }
    }

    private func unknown(_ dummy: DummyResponder) -> LintIssue? {
        let (kind, name, known): (String, String?, Set<String>) =
            switch dummy.dummy.target {
            case .endpoint(let endpoint): ("server", endpoint.server?.rawValue, servers)
            case .api(let name): ("API", name, apis)
            }
        guard let name, !known.contains(name) else {
            return nil
        }
        let hint = NearestNames.hint(for: name, among: known)
        return LintIssue(
            kind: .unknownAlias,
            message: "the dummy '\(dummy)' names the unknown \(kind) '\(name)'; \(hint)"
        )
    }

    /// Returns the issue of a dummy whose requests also match one that was registered later.
    private func hidden(_ dummy: DummyResponder, by later: ArraySlice<DummyResponder>) -> LintIssue? {
        guard let target = DummyMatch.Target(of: dummy.dummy, in: context) else {
            return nil
        }
        var rival: DummyResponder?
        for other in later {
            guard let othersTarget = DummyMatch.Target(of: other.dummy, in: context),
                target.isEqual(to: othersTarget),
                DummyRanking.prefers(dummy.dummy, target.pattern, to: other.dummy, othersTarget.pattern) == nil,
                !dummy.dummy.excludes(other.dummy)
            else {
                continue
            }
            if other.dummy.hidesAll(of: dummy.dummy) {
                return LintIssue(
                    kind: .unreachableDummy,
                    message: "the dummy '\(dummy)' is never chosen, because '\(other)' was registered later and "
                        + "matches the same requests"
                )
            }
            // A dummy that stops responding after a while hides the other one on purpose.
            if other.dummy.limit == nil, other.dummy.scenario == nil {
                rival = rival ?? other
            }
        }
        return rival.map { other in
            LintIssue(
                kind: .ambiguousDummy,
                message: "a request may match the dummies '\(dummy)'\(dummy.dummy.conditionText) and "
                    + "'\(other)'\(other.dummy.conditionText) equally, so that the one registered last responds; give "
                    + "one of them a priority"
            )
        }
    }
}

extension DummyMatch.Target {
    fileprivate func isEqual(to other: DummyMatch.Target) -> Bool {
        api == other.api && method == other.method && server == other.server
            && pattern.hasSameShape(as: other.pattern)
    }
}

extension Dummy {
    fileprivate var conditionText: String {
        conditions.isEmpty ? "" : " (\(conditions.map(\.description).joined(separator: ", ")))"
    }

    /// Returns true if no request in any state matches both dummies.
    fileprivate func excludes(_ other: Dummy) -> Bool {
        if let scenario, let others = other.scenario, scenario.name == others.name, let state = scenario.state,
            let othersState = others.state, state != othersState
        {
            return true
        }
        return conditions.contains { condition in other.conditions.contains { condition.excludes($0) } }
    }

    /// Returns true if this dummy, when it is tried first, responds to all requests of the other one.
    fileprivate func hidesAll(of other: Dummy) -> Bool {
        limit == nil && scenario?.state == nil
            && conditions.map(\.description) == other.conditions.map(\.description)
    }
}

extension RequestMatcher {
    /// Returns true if no usual request meets both conditions: they want different values of one field.
    func excludes(_ other: RequestMatcher) -> Bool {
        guard field == other.field, let soleValue, let others = other.soleValue else {
            return false
        }
        return soleValue != others
    }
}

extension PathPattern {
    /// Returns true if both patterns match the same paths, regardless of the names of their placeholders.
    fileprivate func hasSameShape(as other: PathPattern) -> Bool {
        segments.count == other.segments.count
            && zip(segments, other.segments)
                .allSatisfy { own, others in
                    switch (own, others) {
                    case (.literal(let left), .literal(let right)): left == right
                    case (
                        .parameter(_, let leftPrefix, let leftSuffix), .parameter(_, let rightPrefix, let rightSuffix)
                    ):
                        leftPrefix == rightPrefix && leftSuffix == rightSuffix
                    case (.rest, .rest): true
                    default: false
                    }
                }
    }
}

extension RestClientManager {
    /// Returns the dummies that can never respond, that respond only by the order of registration, or that name an
    /// alias which is not registered.
    ///
    /// ```swift
    /// #expect(await manager.lintDummies().isEmpty)
    /// ```
    ///
    /// - Returns: The issues, in the order of the dummies' registration.
    public func lintDummies() async -> [LintIssue] {
        let lint = DummyLint(
            context: DummyContext(directory: dummyDirectory),
            servers: Set(servers.all.keys.map(\.rawValue)),
            apis: Set(apis.all.keys)
        )
        return lint.issues(of: dummies.all)
    }
}
