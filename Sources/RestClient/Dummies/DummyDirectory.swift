// SPDX-License-Identifier: MIT

package protocol DummyDirectory: Sendable {
    /// Returns the prefix of a server's URLs; `nil` if the server is not registered or its address is not valid.
    func prefix(of server: ServerAlias) -> String?

    func endpoint(of api: String) -> DummyEndpoint?

    func dogma(_ alias: DogmaAlias) -> (any Dogma)?
}
