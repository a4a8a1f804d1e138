// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct HTTPURLServerTests {
    @Test(arguments: [
        ("api.example.com", "https://api.example.com"),
        ("API.Example.COM", "https://api.example.com"),
        ("http://api.example.com", "http://api.example.com"),
        ("HTTPS://api.example.com", "https://api.example.com"),
        ("api.example.com:8443", "https://api.example.com:8443"),
        ("https://api.example.com:443", "https://api.example.com"),
        ("http://api.example.com:80/", "http://api.example.com"),
        ("http://api.example.com:443", "http://api.example.com:443"),
        ("api.example.com:", "https://api.example.com"),
        ("192.0.2.7:8080/base", "https://192.0.2.7:8080/base"),
    ])
    func `scheme, host and port are put into canonical form`(address: String, canonical: String) throws {
        #expect(try HTTPURL(server: address).prefix == canonical)
    }

    @Test(arguments: [
        ("localhost", "http://localhost"),
        ("localhost:8080", "http://localhost:8080"),
        ("localhost:80", "http://localhost"),
        ("localhost:443", "http://localhost:443"),
        ("LocalHost", "http://localhost"),
        ("app.localhost", "http://app.localhost"),
        ("127.0.0.1:9000", "http://127.0.0.1:9000"),
        ("127.8.9.10", "http://127.8.9.10"),
        ("[::1]:8080", "http://[::1]:8080"),
        ("https://localhost", "https://localhost"),
        ("localhost.example.com", "https://localhost.example.com"),
        ("127.example.com", "https://127.example.com"),
        ("notlocalhost", "https://notlocalhost"),
    ])
    func `a loopback address without a scheme gets http, any other https`(address: String, canonical: String) throws {
        #expect(try HTTPURL(server: address).prefix == canonical)
    }

    @Test(arguments: [
        ("[2001:DB8::1]", "https://[2001:db8::1]"),
        ("https://[2001:db8::1]:8443/v1", "https://[2001:db8::1]:8443/v1"),
        ("[::ffff:192.0.2.1]", "https://[::ffff:c000:201]"),
        ("[2001:db8:0:0:0:0:0:1]", "https://[2001:db8::1]"),
    ])
    func `an IPv6 address keeps its brackets`(address: String, canonical: String) throws {
        #expect(try HTTPURL(server: address).prefix == canonical)
    }

    @Test(arguments: [
        ("api.example.com/v1", "/v1"),
        ("api.example.com/v1/", "/v1"),
        ("api.example.com/v1///", "/v1"),
        ("api.example.com/", ""),
        ("api.example.com/a/b", "/a/b"),
        ("api.example.com/a%20b", "/a%20b"),
    ])
    func `the path loses its trailing slashes`(address: String, path: String) throws {
        #expect(try HTTPURL(server: address).path == path)
    }

    @Test(arguments: [
        ("", "no host"),
        ("https://", "no host"),
        ("https:///path", "no host"),
        (":8080", "no host"),
        ("ftp://example.com", "neither http nor https"),
        ("://example.com", "neither http nor https"),
        ("example.com:http", "not a port number"),
        ("example.com:0", "not a port number"),
        ("example.com:65536", "not a port number"),
        ("example.com:-1", "not a port number"),
        ("example.com:99999999999999999999", "not a port number"),
        ("[::1", "closing bracket"),
        ("[::1]x", "only a port"),
        ("[]", "not an IPv6 address"),
        ("[www.example.com]", "not an IPv6 address"),
        ("kim:secret@example.com", "Authorization header"),
        ("https://kim@example.com", "Authorization header"),
        ("example.com?x=1", "query or fragment"),
        ("example.com/a#b", "query or fragment"),
        ("127.0.0.256", "not a host name"),
        ("exa mple.com", "U+20"),
        ("example.com/a\nb", "U+A"),
        ("bücher.example", "xn--"),
        ("example.com/<a>", "U+3C"),
        ("example.com\\a", "U+5C"),
        ("example.com/{id}", "U+7B"),
        ("example.com/../admin", "dot segment"),
        ("example.com/./a", "dot segment"),
        ("example.com/%2E%2e/a", "dot segment"),
    ])
    func `a text that is not a server address is refused with its reason`(address: String, reason: String) {
        let defect = #expect(throws: HTTPURL.Defect.self) { try HTTPURL(server: address) }
        #expect(defect?.reason.contains(reason) == true, "\(defect?.reason ?? "")")
    }

    @Test
    func `a server describes itself without user name and password`() {
        #expect(Server("https://kim:s3cret@example.com/v1").description == "https://<redacted>@example.com/v1")
        #expect(Server("Example.com/v1/").description == "https://example.com/v1")
    }

    @Test
    func `a server that is not a URL is reported when a request is sent`() async {
        let client = StubbedClient()
        client.manager.servers["store"] = "ftp://example.com"
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.code == .invalidServerAddress)
        #expect(error?.message.contains("'store'") == true)
        #expect(error?.message.contains("ftp") == true)
    }

    @Test
    func `an address in an error never shows its password or its secret query`() async throws {
        let addresses = ["https://kim:s3cret@example.com", "example.com?token=s3cret"]
        for address in addresses {
            let error = try #require(await failure { $0.serverAddress(address) })
            #expect(error.code == .invalidServerAddress)
            #expect(!error.description.contains("s3cret"))
        }
    }
}
