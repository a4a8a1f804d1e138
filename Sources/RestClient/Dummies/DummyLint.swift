// SPDX-License-Identifier: MIT

/// Looks through dummies for what can never answer, or answers by the order of registration alone: a pure function.
enum DummyLint {
    /// All faults, in the order of the dummies' registration.
    static func issues(_ dummies: [DummyResponder], _ registries: RegistrySnapshot) -> [LintIssue] {
        dummies.enumerated()
            .compactMap { index, dummy in
                dangling(dummy, registries) ?? hidden(dummy, by: dummies[(index + 1)...], registries)
            }
    }

    private static func dangling(_ dummy: DummyResponder, _ registries: RegistrySnapshot) -> LintIssue? {
        if let key = dummy.server, registries.servers[key] == nil {
            return RegistryLint.danglingServer(key, "the dummy '\(dummy)'", registries)
        }
        if let name = dummy.api, registries.apis[name] == nil {
            let hint = NearestNames.hint(for: name, among: registries.apis.keys)
            return LintIssue(
                kind: .danglingKey,
                message: "the dummy '\(dummy)' names the unknown API '\(name)'; \(hint)"
            )
        }
        return nil
    }

    /// What is wrong with a dummy whose requests one that was registered later fits equally.
    private static func hidden(
        _ dummy: DummyResponder,
        by later: ArraySlice<DummyResponder>,
        _ registries: RegistrySnapshot
    ) -> LintIssue? {
        let context = DummyContext(registries: registries, prefix: "")
        guard let target = DummyFit.Target(of: dummy, in: context) else {
            return nil
        }
        var rival: DummyResponder?
        for other in later {
            guard let othersTarget = DummyFit.Target(of: other, in: context),
                target.isEqual(to: othersTarget),
                DummySelection.isBetter(dummy.dummy, target.pattern, than: other.dummy, othersTarget.pattern) == nil,
                !dummy.dummy.excludes(other.dummy)
            else {
                continue
            }
            if other.dummy.hidesAll(of: dummy.dummy) {
                return LintIssue(
                    kind: .unreachableDummy,
                    message: "the dummy '\(dummy)' is never chosen, because '\(other)' was registered later and "
                        + "answers the same requests"
                )
            }
            // One that leaves the stage by itself is meant to stand in front of the other for a while.
            if other.dummy.limit == nil, other.dummy.scene == nil {
                rival = rival ?? other
            }
        }
        return rival.map { other in
            LintIssue(
                kind: .ambiguousDummy,
                message: "a request may fit the dummies '\(dummy)'\(dummy.dummy.conditionText) and "
                    + "'\(other)'\(other.dummy.conditionText) equally, and then the one registered last answers; give "
                    + "one of them a priority"
            )
        }
    }
}

extension DummyFit.Target {
    /// Whether two dummies are for the same requests, as far as method, server and path go.
    fileprivate func isEqual(to other: DummyFit.Target) -> Bool {
        api == other.api && method == other.method && server == other.server
            && pattern.hasSameShape(as: other.pattern)
    }
}

extension Dummy {
    /// What a request has to meet besides, for messages.
    fileprivate var conditionText: String {
        matchers.isEmpty ? "" : " (\(matchers.map(\.description).joined(separator: ", ")))"
    }

    /// Whether no request and no state suits both.
    fileprivate func excludes(_ other: Dummy) -> Bool {
        if let scene, let others = other.scene, scene.scenario == others.scenario, let state = scene.state,
            let othersState = others.state, state != othersState
        {
            return true
        }
        return matchers.contains { matcher in other.matchers.contains { matcher.excludes($0) } }
    }

    /// Whether this dummy, when it is asked first, always answers what the other one would.
    fileprivate func hidesAll(of other: Dummy) -> Bool {
        limit == nil && scene?.state == nil
            && matchers.map(\.description) == other.matchers.map(\.description)
    }
}

extension PathPattern {
    /// Whether both patterns fit the same paths, whatever their placeholders are called.
    func hasSameShape(as other: PathPattern) -> Bool {
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
