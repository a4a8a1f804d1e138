// SPDX-License-Identifier: MIT

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
