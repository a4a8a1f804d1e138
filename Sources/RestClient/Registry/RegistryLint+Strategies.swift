// SPDX-License-Identifier: MIT

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
