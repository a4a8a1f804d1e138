// SPDX-License-Identifier: MIT

import RestClient
import Testing

@Suite
struct WebSocketOpenerTests {
    @Test(arguments: [
        ("api.example.com", "api.example.com"), ("api.example.com.", "api.example.com"), ("localhost.", "localhost"),
        ("127.0.0.1", nil), ("127.0.0.1.", nil), ("::1", nil), ("fe80::1", nil),
    ])
    func `the name for TLS has no dot at its end, and an address has none`(host: String, name: String?) throws {
        let url = try HTTPURL("https://" + (host.contains(":") ? "[\(host)]" : host))
        #expect(url.serverName == name)
    }
}
