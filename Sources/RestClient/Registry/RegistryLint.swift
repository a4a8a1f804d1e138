// SPDX-License-Identifier: MIT

import JobGraphs

enum RegistryLint {
    static func issues(
        in registries: RegistrySnapshot,
        limitedServers: [ServerAlias] = []
    ) -> [LintIssue] {
        defaults(registries) + servers(registries) + apis(registries) + templates(registries)
            + limits(limitedServers, registries) + pins(registries) + strategies(registries)
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
                                + "\(models.joined(separator: " and ")); give each operation an alias of its own"
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
        let hint = NearestNames.hint(for: key.rawValue, among: registries.servers.keys.map(\.rawValue))
        let name = AliasText.shown(key.rawValue)
        return LintIssue(kind: .unknownAlias, message: "\(user) names the unknown server '\(name)'; \(hint)")
    }

    private static func unknownDogma(
        _ key: DogmaAlias,
        _ user: String,
        _ registries: RegistrySnapshot
    ) -> LintIssue {
        let hint = NearestNames.hint(for: key.rawValue, among: registries.dogmas.keys.map(\.rawValue))
        let name = AliasText.shown(key.rawValue)
        return LintIssue(kind: .unknownAlias, message: "\(user) names the unknown dogma '\(name)'; \(hint)")
    }
}

extension RegistryLint {
    static func pins(_ registries: RegistrySnapshot) -> [LintIssue] {
        let servers = registries.servers.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { (AliasText.named("server", $0.rawValue), $1.value.options) }
        let apis = registries.apis.sorted { $0.key < $1.key }
            .map { (AliasText.named("API", $0), $1.value.options) }
        return ([("the manager", registries.options)] + servers + apis)
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
