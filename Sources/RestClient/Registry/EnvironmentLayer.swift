// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

final class EnvironmentLayer: Sendable {
    /// The name; `nil` for an unnamed environment of a task.
    let alias: EnvironmentAlias?
    let servers: [ServerAlias: Registered<Server>]
    let apis: [String: Registered<API>]
    let models: [String: Set<String>]
    let dogmas: [DogmaAlias: Registered<any Dogma>]
    let defaultServer: ServerAlias?
    let options: CallOptions
    let environment: ClientEnvironment

    /// Separates the stored responses and shared requests of environments, because two of them may use one address for
    /// different users, tenants or systems.
    ///
    /// It begins with the length of the name, so that no name can be confused with another one and its suffix.
    let partition: String

    /// The manager's tables over this environment, as of the start of the latest call of a task with this environment.
    let latest = Mutex<RegistrySnapshot?>(nil)

    init(_ environment: ClientEnvironment, as alias: EnvironmentAlias?) {
        self.alias = alias
        self.environment = environment
        servers = environment.servers.mapValues(Registered.init)
        apis = environment.apis.entries
        models = environment.apis.models
        dogmas = environment.dogmas.mapValues(Registered.init)
        defaultServer = environment.defaultServer
        options = environment.options
        if let alias {
            partition = "environment:\(alias.rawValue.utf8.count):\(alias.rawValue)"
        } else {
            partition = "environment:" + String(UInt64.random(in: 0 ... .max), radix: 36)
        }
    }
}

struct EnvironmentScope: Sendable {
    private static let scopes = TaskScope<EnvironmentScope>()

    private let layer: EnvironmentLayer
    private let owner: Registries

    static func open<Result>(
        _ layer: EnvironmentLayer,
        owner: Registries,
        isolation: isolated (any Actor)?,
        operation: () async throws -> Result
    ) async throws -> Result {
        let scope = EnvironmentScope(layer: layer, owner: owner)
        return try await scopes.open(scope, isolation: isolation, operation: operation)
    }

    /// Returns the environment of the task for the manager with these tables; `nil` outside of scopes.
    static func innermost(for owner: Registries) -> EnvironmentLayer? {
        scopes.innermost { $0.owner === owner }?.layer
    }
}
