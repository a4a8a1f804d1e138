// SPDX-License-Identifier: MIT

import HTTPTypes

/// The registries as they stand when a request is resolved: nothing in it changes, so that resolving is a pure function.
///
/// It is shared by reference between all requests until a registry changes.
final class RegistrySnapshot: Sendable {
    /// The number of changes that the snapshot takes account of.
    let revision: UInt64
    let servers: [ServerAlias: Registered<Server>]
    let apis: [String: Registered<API>]
    let dogmas: [DogmaAlias: Registered<any Dogma>]
    let pathTemplates: [String: Registered<[String: JSONValue]>]
    let automaticHeaders: [HTTPField.Name: Registered<AutomaticHeader>]
    let defaultServer: ServerAlias?
    let defaultDogma: DogmaAlias
    let defaultAuthentication: Authentication?

    init(
        revision: UInt64 = 0,
        servers: [ServerAlias: Registered<Server>] = [:],
        apis: [String: Registered<API>] = [:],
        dogmas: [DogmaAlias: Registered<any Dogma>] = [:],
        pathTemplates: [String: Registered<[String: JSONValue]>] = [:],
        automaticHeaders: [HTTPField.Name: Registered<AutomaticHeader>] = [:],
        defaultServer: ServerAlias? = nil,
        defaultDogma: DogmaAlias = .json,
        defaultAuthentication: Authentication? = nil
    ) {
        self.revision = revision
        self.servers = servers
        self.apis = apis
        self.dogmas = dogmas
        self.pathTemplates = pathTemplates
        self.automaticHeaders = automaticHeaders
        self.defaultServer = defaultServer
        self.defaultDogma = defaultDogma
        self.defaultAuthentication = defaultAuthentication
    }
}
