// SPDX-License-Identifier: MIT

import JobGraphs

enum RegistryLint {
    static func issues(
        in registries: RegistrySnapshot,
        limitedServers: [ServerAlias] = []
    ) -> [LintIssue] {
        defaults(registries) + servers(registries) + apis(registries) + templates(registries)
            + limits(limitedServers, registries) + pins(registries) + strategies(registries) + keys(registries)
            + credentials(registries)
    }

    private static func defaults(_ registries: RegistrySnapshot) -> [LintIssue] {
        var issues: [LintIssue] = []
        if let key = registries.defaultServer, registries.servers[key] == nil {
            issues.append(unknownServer(key, "manager.defaultServer", registries))
        }
        if registries.dogmas[registries.defaultDogma] == nil {
            issues.append(unknownDogma(registries.defaultDogma, "manager.defaultDogma", registries))
        }
        if registries.servers.isEmpty, let issue = withheldCredentials(of: registries.options) {
            issues.append(issue)
        }
        return issues
    }

    private static func withheldCredentials(of options: CallOptions) -> LintIssue? {
        var options = options
        options.withholdCredentials()
        guard let names = options[.withheldFields] else {
            return nil
        }
        let fields = names.map { "'\($0.rawName)'" }.sorted().joined(separator: ", ")
        return LintIssue(
            kind: .withheldCredential,
            message: "the manager's credentials in \(fields) go to registered servers only, and none is registered; "
                + "register the server, or name the fields with fieldsForAnyOrigin(_:)"
        )
    }

    private static func servers(_ registries: RegistrySnapshot) -> [LintIssue] {
        registries.servers.mapValues(\.value).sorted { $0.key.rawValue < $1.key.rawValue }
            .compactMap { key, server in
                guard case .failure(let defect) = server.base else {
                    return nil
                }
                return LintIssue(
                    kind: .invalidServerAddress,
                    message:
                        "the address of \(AliasText.named("server", key.rawValue)), "
                        + "'\(Redaction.url(server.address))', is not a valid URL: \(defect.reason)"
                )
            }
    }

    private static func apis(_ registries: RegistrySnapshot) -> [LintIssue] {
        registries.apis.mapValues(\.value).sorted { $0.key < $1.key }
            .flatMap { name, api in
                var issues: [LintIssue] = []
                let owner = AliasText.named("API", name)
                if let models = registries.ambiguousModels(of: name) {
                    issues.append(
                        LintIssue(
                            kind: .ambiguousAlias,
                            message: "the alias '\(AliasText.shown(name))' is registered for several models, "
                                + "\(models.joined(separator: " and ")); give each operation a different alias"
                        )
                    )
                }
                if let key = api.server, registries.servers[key] == nil {
                    issues.append(unknownServer(key, owner, registries))
                }
                if api.server == nil, registries.defaultServer == nil {
                    issues.append(
                        LintIssue(
                            kind: .unknownAlias,
                            message: "\(owner) names no server and manager.defaultServer is not set"
                        )
                    )
                }
                if let key = api.options[.dogma], registries.dogmas[key] == nil {
                    issues.append(unknownDogma(key, owner, registries))
                }
                return issues + template(api.path, defaults: api.defaults, of: owner)
            }
    }

    private static func templates(_ registries: RegistrySnapshot) -> [LintIssue] {
        registries.pathTemplates.mapValues(\.value).sorted { $0.key.source < $1.key.source }
            .flatMap { path, defaults in
                template(path, defaults: defaults, of: "manager.pathTemplates")
            }
    }

    private static func template(
        _ template: PathTemplate,
        defaults: [String: JSONValue],
        of owner: String
    ) -> [LintIssue] {
        let shown = Redaction.url(template.source)
        if case .failure(let defect) = template.parts {
            let message = "the path template '\(shown)' of \(owner) cannot be read: \(defect.reason)"
            return [LintIssue(kind: .invalidPathTemplate, message: message)]
        }
        if let segment = template.dotSegment {
            let message =
                "the path template '\(shown)' of \(owner) contains the dot segment '\(segment)', which is not sent"
            return [LintIssue(kind: .invalidPathTemplate, message: message)]
        }
        let names = Set(template.variableNames)
        return defaults.keys.sorted().filter { !names.contains($0) }
            .map { name in
                LintIssue(
                    kind: .unusedDefault,
                    message: "\(owner) has a default for '\(name)', which the path '\(shown)' does not hold; "
                        + NearestNames.hint(for: name, among: names)
                )
            }
    }

    private static func limits(_ servers: [ServerAlias], _ registries: RegistrySnapshot) -> [LintIssue] {
        servers.filter { registries.servers[$0] == nil }
            .map { unknownServer($0, "a limit of manager.workers", registries) }
    }

    private static func unknownServer(
        _ key: ServerAlias,
        _ user: String,
        _ registries: RegistrySnapshot
    ) -> LintIssue {
        unknown("server", key.rawValue, user, among: registries.servers.keys.map(\.rawValue))
    }

    private static func unknownDogma(
        _ key: DogmaAlias,
        _ user: String,
        _ registries: RegistrySnapshot
    ) -> LintIssue {
        unknown("dogma", key.rawValue, user, among: registries.dogmas.keys.map(\.rawValue))
    }

    private static func unknown(_ kind: String, _ key: String, _ user: String, among known: [String]) -> LintIssue {
        LintIssue(
            kind: .unknownAlias,
            message: "\(user) names the unknown \(kind) '\(AliasText.shown(key))'; "
                + NearestNames.hint(for: key, among: known)
        )
    }
}

extension RegistryLint {
    static func pins(_ registries: RegistrySnapshot) -> [LintIssue] {
        registries.levels
            .flatMap { owner, options -> [LintIssue] in
                guard let keys = options[.pinnedKeys] else {
                    return []
                }
                let named = keys.namedHosts.filter { $0.value.count == 1 }.keys.sorted().map { " for '\($0)'" }
                return ((keys.ownHost?.count == 1 ? [""] : []) + named)
                    .map { host in
                        LintIssue(
                            kind: .missingBackupPin,
                            message: "\(owner) pins a single public key\(host), and all calls fail once the server has "
                                + "another one; pin the key of a certificate in reserve too"
                        )
                    }
            }
    }
}

extension RegistryLint {
    /// Returns the idempotency keys without an effect: those of safe methods, and fields with another key for each
    /// attempt.
    static func keys(_ registries: RegistrySnapshot) -> [LintIssue] {
        let safe = registries.apis.mapValues(\.value).sorted { $0.key < $1.key }
            .filter { $0.value.method.isSafe && $0.value.options[.idempotencyKey]?.key != nil }
            .map { name, api in
                "\(AliasText.named("API", name)) sets an idempotency key, and a \(api.method.rawValue) request has none, "
                    + "because it changes nothing; remove idempotencyKey(_:field:)"
            }
        let provided = registries.levels
            .filter { _, options in
                let names = [IdempotencyOption.usualName, options[.idempotencyKey]?.name]
                return options[.headers]?.providers.contains { names.contains($0.name) } ?? false
            }
            .map { owner, _ in
                "a closure of \(owner) makes a new idempotency key for each attempt of a call, so that the server acts on "
                    + "each of them; set idempotencyKey(.perCall) instead"
            }
        return (safe + provided).map { LintIssue(kind: .ineffectiveOption, message: $0) }
    }
}

extension RegistryLint {
    /// Returns the signers that sign nothing, and the files of passwords behind other credentials of the same level.
    static func credentials(_ registries: RegistrySnapshot) -> [LintIssue] {
        var messages: [String] = []
        if registries.servers.isEmpty, (registries.options[.signer] ?? nil) != nil {
            messages.append(
                "the manager's signer signs requests to registered servers only, and none is registered; register the "
                    + "server"
            )
        }
        for (owner, options) in registries.levels where (options[.netrc] ?? nil) != nil {
            let isReplaced =
                options[.authentication].map { $0.scheme == nil || $0.scheme?.field == .authorization }
                ?? options[.headers]?.contains(.authorization) ?? false
            if isReplaced {
                messages.append(
                    "\(owner) sets both a .netrc file and other credentials, which take precedence; remove netrc(_:)"
                )
            }
        }
        return messages.map { LintIssue(kind: .ineffectiveOption, message: $0) }
    }
}

extension RegistryLint {
    /// Returns the levels whose strategies for keys and dates can have no effect, because the dogma in force there has
    /// none.
    ///
    /// A level is not listed if a narrower one names another dogma, for which its strategies may be meant.
    static func strategies(_ registries: RegistrySnapshot) -> [LintIssue] {
        func hasNoStrategies(_ alias: DogmaAlias) -> Bool { registries.dogmas[alias]?.value is PropertyListDogma }

        func issue(
            of owner: String,
            _ options: CallOptions,
            _ inherited: DogmaAlias,
            narrower: [CallOptions] = []
        ) -> LintIssue? {
            let dogma = options[.dogma] ?? inherited
            guard options[.keyStrategy] != nil || options[.dateStrategy] != nil, hasNoStrategies(dogma),
                narrower.allSatisfy({ $0[.dogma].map(hasNoStrategies) ?? true })
            else {
                return nil
            }
            return LintIssue(
                kind: .ineffectiveOption,
                message: "\(owner) sets a strategy for keys or dates, and \(AliasText.named("dogma", dogma.rawValue)) "
                    + "of its calls, a PropertyListDogma, has none; declare coding keys, or name another dogma"
            )
        }

        let common = registries.options[.dogma] ?? registries.defaultDogma
        let servers = registries.servers.mapValues(\.value.options).sorted { $0.key.rawValue < $1.key.rawValue }
        let apis = registries.apis.mapValues(\.value).sorted { $0.key < $1.key }
        let manager = issue(
            of: "the manager",
            registries.options,
            common,
            narrower: servers.map(\.value) + apis.map(\.value.options)
        )
        let ofServers = servers.compactMap { alias, options in
            let own = apis.map(\.value).filter { ($0.server ?? registries.defaultServer) == alias }
            return issue(of: AliasText.named("server", alias.rawValue), options, common, narrower: own.map(\.options))
        }
        let ofAPIs = apis.compactMap { name, api in
            let server = (api.server ?? registries.defaultServer).flatMap { registries.servers[$0]?.value }
            return issue(of: AliasText.named("API", name), api.options, server?.options[.dogma] ?? common)
        }
        return [manager].compactMap(\.self) + ofServers + ofAPIs
    }
}

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
