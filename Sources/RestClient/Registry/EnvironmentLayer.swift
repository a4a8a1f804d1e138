// SPDX-License-Identifier: MIT

import Synchronization

/// An environment as it lies beneath the tables of one manager.
final class EnvironmentLayer: Sendable {
    /// The name; `nil` for an environment that was given to a task without one.
    let alias: EnvironmentAlias?
    let servers: [ServerAlias: Registered<Server>]
    let apis: [String: Registered<API>]
    let models: [String: Set<String>]
    let dogmas: [DogmaAlias: Registered<any Dogma>]
    let defaultServer: ServerAlias?
    let options: CallOptions
    /// The environment as it was registered.
    let environment: ClientEnvironment

    /// Keeps the stored responses and shared requests of environments apart: two of them may give one address to
    /// different users, tenants or systems.
    ///
    /// The length comes first, so that no name can be mistaken for another one and what follows it.
    let partition: String

    /// The manager's tables over this environment, as they were when the last call of a task with this environment
    /// began.
    let latest = Mutex<RegistrySnapshot?>(nil)

    init(_ environment: ClientEnvironment, as alias: EnvironmentAlias?) {
        self.alias = alias
        self.environment = environment
        servers = environment.servers.mapValues(Registered.init)
        apis = environment.apis.entries.mapValues(Registered.init)
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
