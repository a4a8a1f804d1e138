// SPDX-License-Identifier: MIT

import HTTPTypes

/// The registries as they stand when a request is resolved: plain values, so that resolving is a pure function.
struct RegistrySnapshot: Sendable {
    var servers: [ServerKey: Registered<Server>] = [:]
    var apis: [String: Registered<API>] = [:]
    var dogmas: [DogmaKey: Registered<any Dogma>] = [:]
    var pathTemplates: [String: Registered<[String: JSONValue]>] = [:]
    var automaticHeaders: [HTTPField.Name: Registered<AutomaticHeader>] = [:]
    var defaultServer: ServerKey?
    var defaultDogma: DogmaKey = .json
}
