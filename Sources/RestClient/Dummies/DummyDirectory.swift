// SPDX-License-Identifier: MIT

/// Looks up the aliases that dummies name.
package protocol DummyDirectory: Sendable {
    /// Returns the prefix of a server's URLs; `nil` if the server is not registered or its address is not valid.
    func prefix(of server: ServerAlias) -> String?

    /// Returns the endpoint of an API; `nil` if it is not registered.
    func endpoint(of api: String) -> DummyEndpoint?

    /// Returns a dogma; `nil` if it is not registered.
    func dogma(_ alias: DogmaAlias) -> (any Dogma)?
}
