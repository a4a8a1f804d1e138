// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

extension ServerAlias {
    static let docker: ServerAlias = "docker"
    static let store: ServerAlias = "store"
}

let manager = RestClientManager()
// snippet.show
manager.options = manager.options.proxy(.server("http://proxy.corp.example:3128", except: ["*.corp.example"]))
manager.servers[.store] = Server("https://store.corp.example").proxy(.none)
// snippet.hide
// snippet.show
manager.servers[.docker] = Server("http://docker").reached(at: .unixSocket("/run/docker.sock"))
manager.servers[.store] = Server("https://store.example").reached(at: .host("10.0.0.7", port: 8443))
// snippet.hide

func find(_ host: String) async throws -> [String]? { nil }

// snippet.show
let registry = ServerRoute.addresses { host, port in
    try await find(host)  // as in ["10.0.0.7", "[fd00::7]:8443"]; nil asks the system
}
manager.servers[.store] = Server("https://store.internal").reached(at: registry)
// snippet.hide

func trust(_ roots: String, _ configuration: inout RestClientManager.Configuration) throws {
    // snippet.show
    var connections = DirectTransport.Configuration()
    connections.trustsSystemRoots = false
    connections.additionalTrustRoots = [roots]
    connections.clientCertificateFiles = ClientCertificateFiles(pkcs12: "/run/secrets/client.p12", passphrase: "…")
    configuration.transport = try DirectTransport(configuration: connections)
    // snippet.hide
}
