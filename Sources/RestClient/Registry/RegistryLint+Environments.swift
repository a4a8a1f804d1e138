// SPDX-License-Identifier: MIT

import JobGraphs

extension RegistryLint {
    struct Subject {
        let environment: EnvironmentLayer?
        let tables: RegistrySnapshot
    }

    /// Returns all faults of a manager's tables over each of its environments, in a stable order.
    ///
    /// A fault of all environments is listed once; a fault of some environments names them.
    static func issues(
        of subjects: [Subject],
        own: RegistrySnapshot,
        builtIn: [DogmaAlias: Registered<any Dogma>],
        limitedServers: [ServerAlias]
    ) -> [LintIssue] {
        let found = subjects.map { Self.issues(in: $0.tables, limitedServers: limitedServers) }
        guard let first = found.first else {
            return []
        }
        let common = Set(found.dropFirst().reduce(into: Set(first)) { $0.formIntersection($1) })
        var issues = first.filter(common.contains)
        for (subject, found) in zip(subjects, found) {
            let place = subject.environment.map(name) ?? "without an environment"
            issues += found.filter { !common.contains($0) }
                .map { LintIssue(kind: $0.kind, message: "\(place): \($0.message)") }
            if let environment = subject.environment {
                issues += hidden(in: environment, by: own, builtIn)
            }
        }
        return issues
    }

    private static func hidden(
        in environment: EnvironmentLayer,
        by own: RegistrySnapshot,
        _ builtIn: [DogmaAlias: Registered<any Dogma>]
    ) -> [LintIssue] {
        let servers = environment.servers.keys.filter { own.servers[$0] != nil }.map(\.rawValue).sorted()
        let apis = environment.apis.keys.filter { own.apis[$0] != nil }.sorted()
        let dogmas = environment.dogmas.keys
            .filter { alias in
                guard let dogma = own.dogmas[alias] else {
                    return false
                }
                return !builtIn.values.contains { $0 === dogma }
            }
            .map(\.rawValue).sorted()
        var hidden = [("server", servers), ("API", apis), ("dogma", dogmas)]
            .flatMap { kind, aliases in aliases.map { AliasText.named(kind, $0) } }
        if environment.defaultServer != nil, own.defaultServer != nil {
            hidden.append("a default server")
        }
        return hidden.map { what in
            LintIssue(
                kind: .hiddenRegistration,
                message: "\(name(environment)): \(what) is registered by the manager itself too, which wins; "
                    + "register it in environments only"
            )
        }
    }

    private static func name(_ environment: EnvironmentLayer) -> String {
        environment.alias.map { AliasText.named("environment", $0.rawValue) } ?? "the environment of the task"
    }
}
