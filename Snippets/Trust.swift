// SPDX-License-Identifier: MIT

// snippet.hide
import RestClient

extension ServerAlias { static let store: ServerAlias = "store" }

let manager = RestClientManager()
// snippet.show
manager.servers[.store] = Server("https://api.example.com/v1")
    .pinnedKeys([
        "sha256/tcH0eUo6Q8BUla4zqKUq6vWSu2rFBwk5oE3OVcPx9nQ=",
        "sha256/VuaLwVS/KibPBaS960Q9A4M8Q/l8Woatw4Qdsz9U1qQ=",  // in reserve
    ])
// snippet.hide

func identify(_ configuration: inout RestClientManager.Configuration) throws {
    // snippet.show
    var connections = DirectTransport.Configuration()
    connections.clientCertificateFiles = ClientCertificateFiles(
        chain: "/run/secrets/client.pem",
        privateKey: "/run/secrets/client.key"
    ) { error in
        print("the certificate was not renewed:", error)
    }
    configuration.transport = try DirectTransport(configuration: connections)
    // snippet.hide
}
