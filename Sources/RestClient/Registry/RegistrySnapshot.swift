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
