// SPDX-License-Identifier: MIT

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
