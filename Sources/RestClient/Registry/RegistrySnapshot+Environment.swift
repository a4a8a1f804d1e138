// SPDX-License-Identifier: MIT

extension RegistrySnapshot {
    /// Returns these tables of a manager with an environment beneath them: a pure function of the two.
    ///
    /// | | from the lowest to the highest |
    /// |---|---|
    /// | options | environment, manager, server, API, call |
    /// | servers, APIs | the environment's of an alias, the manager's own |
    /// | dogmas | the built-in one of a name, the environment's, the manager's own |
    /// | default server | the environment's, the manager's own |
    ///
    /// An entry is replaced as a whole: a server of the manager has none of the options of the environment's server
    /// with the same alias.
    func laid(over layer: EnvironmentLayer, builtIn: [DogmaAlias: Registered<any Dogma>]) -> RegistrySnapshot {
        RegistrySnapshot(
            revision: revision,
            servers: layer.servers.merging(servers) { _, own in own },
            apis: layer.apis.merging(apis) { _, own in own },
            models: layer.models.merging(models) { $0.union($1) },
            dogmas: layer.dogmas.merging(dogmas) { layered, own in
                builtIn.values.contains { $0 === own } ? layered : own
            },
            pathTemplates: pathTemplates,
            defaultServer: defaultServer ?? layer.defaultServer,
            options: CallOptions().overlaid(with: layer.options, at: .environment).overlaid(with: options),
            environment: layer
        )
    }

    func failing(with defect: RestClientError) -> RegistrySnapshot {
        RegistrySnapshot(revision: revision, options: options, defect: defect)
    }

    func origin(of target: ResolvedTarget) -> EnvironmentOrigin? {
        guard let environment else {
            return nil
        }
        var levels: Set<CallOptions.Level> = [.environment]
        if let alias = target.serverAlias, let server = target.server, environment.servers[alias] === server {
            levels.insert(.server)
        }
        if let name = target.apiName, let api = target.api, environment.apis[name] === api {
            levels.insert(.api)
        }
        return EnvironmentOrigin(alias: environment.alias, levels: levels)
    }
}
