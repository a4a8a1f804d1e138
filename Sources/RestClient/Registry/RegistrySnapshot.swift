// SPDX-License-Identifier: MIT

import HTTPTypes

/// The registries as they stand when a request is resolved: plain values, so that resolving is a pure function.
struct RegistrySnapshot: Sendable {
    var servers: [ServerKey: Server] = [:]
    var apis: [String: API] = [:]
    var dogmas: [DogmaKey: any Dogma] = [:]
    var pathTemplates: [String: [String: JSONValue]] = [:]
    var automaticHeaders: [HTTPField.Name: AutomaticHeader] = [:]
    var defaultServer: ServerKey?
    var defaultDogma: DogmaKey = .json
}
