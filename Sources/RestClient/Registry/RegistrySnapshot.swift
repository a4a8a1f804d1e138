// SPDX-License-Identifier: MIT

import Synchronization

/// An immutable copy of the registries, taken when a request is resolved, so that resolving is a pure function.
///
/// It is shared by reference between all requests until a registry changes.
final class RegistrySnapshot: Sendable {
    let revision: UInt64
    let servers: [ServerAlias: Registered<Server>]
    let addresses: [HTTPURL]
    let apis: [String: Registered<API>]
    let models: [String: Set<String>]
    let dogmas: [DogmaAlias: Registered<any Dogma>]
    let pathTemplates: [PathTemplate: Registered<[String: JSONValue]>]
    let defaultServer: ServerAlias?
    let options: CallOptions
    let environment: EnvironmentLayer?
    /// The reason why no request can be resolved.
    let defect: RestClientError?

    /// The options of the calls of a server and an API operation, merged when first needed.
    private let merged = Mutex<[Levels: CallOptions]>([:])

    private struct Levels: Hashable {
        let server: ServerAlias?
        let api: String?
    }

    init(
        revision: UInt64 = 0,
        servers: [ServerAlias: Registered<Server>] = [:],
        apis: [String: Registered<API>] = [:],
        models: [String: Set<String>] = [:],
        dogmas: [DogmaAlias: Registered<any Dogma>] = [:],
        pathTemplates: [PathTemplate: Registered<[String: JSONValue]>] = [:],
        defaultServer: ServerAlias? = nil,
        options: CallOptions = CallOptions(),
        environment: EnvironmentLayer? = nil,
        defect: RestClientError? = nil
    ) {
        self.revision = revision
        self.servers = servers
        addresses = servers.values.compactMap { try? $0.value.base.get() }
        self.apis = apis
        self.models = models
        self.dogmas = dogmas
        self.pathTemplates = pathTemplates
        self.defaultServer = defaultServer
        self.options = options
        self.environment = environment
        self.defect = defect
    }

    var defaultDogma: DogmaAlias { options[.dogma] ?? .json }

    /// The options of the manager, and of each server and API by name, with what sets them in words.
    var levels: [(owner: String, options: CallOptions)] {
        let servers = servers.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { (owner: AliasText.named("server", $0.rawValue), options: $1.value.options) }
        let apis = apis.sorted { $0.key < $1.key }
            .map { (owner: AliasText.named("API", $0), options: $1.value.options) }
        return [(owner: "the manager", options: options)] + servers + apis
    }

    func ambiguousModels(of api: String) -> [String]? {
        guard let models = models[api], models.count > 1 else {
            return nil
        }
        return models.sorted()
    }

    /// Returns the options for calls of a target, without the call's own.
    func options(for target: ResolvedTarget) -> CallOptions {
        guard target.server != nil || target.api != nil else {
            return options
        }
        let levels = Levels(server: target.serverAlias, api: target.apiName)
        return merged.withLock { merged in
            if let known = merged[levels] {
                return known
            }
            var options = options
            if let server = target.server?.value {
                options = options.overlaid(with: server.options, at: .server)
            }
            if let api = target.api?.value {
                options = options.overlaid(with: api.options, at: .api)
            }
            merged[levels] = options
            return options
        }
    }
}

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
