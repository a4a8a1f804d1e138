// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct OAuthServerTests {
    private static let issuer = "https://id.example.com"

    @Test(
        arguments: [
            (
                "https://id.example.com",
                [
                    "https://id.example.com/.well-known/oauth-authorization-server",
                    "https://id.example.com/.well-known/openid-configuration",
                ]
            ),
            (
                "https://id.example.com:8443/tenant/",
                [
                    "https://id.example.com:8443/.well-known/oauth-authorization-server/tenant",
                    "https://id.example.com:8443/tenant/.well-known/openid-configuration",
                ]
            ),
            (
                "http://127.0.0.1:80/a",
                [
                    "http://127.0.0.1/.well-known/oauth-authorization-server/a",
                    "http://127.0.0.1/a/.well-known/openid-configuration",
                ]
            ),
            ("http://id.example.com", nil), ("https://id.example.com/?a=b", nil), ("https://id.example.com/#a", nil),
            ("https://kim@id.example.com", nil), ("id.example.com", nil), ("", nil),
        ] as [(String, [String]?)]
    )
    func `the metadata are at the places of RFC 8414 and OpenID`(issuer: String, urls: [String]?) {
        #expect((try? OAuthEndpoints.metadata(of: issuer)) == urls)
    }

    private static func metadata(_ changes: [String: JSONValue]) -> JSONValue {
        let usual: [String: JSONValue] = [
            "issuer": .string(issuer), "authorization_endpoint": "https://login.example.com/authorize",
            "token_endpoint": "https://id.example.com/token",
        ]
        return .object(usual.merging(changes) { _, new in new })
    }

    @Test
    func `the metadata say where the endpoints are`() throws {
        let endpoints = try OAuthEndpoints(
            Self.metadata([
                "device_authorization_endpoint": "https://id.example.com/device",
                "revocation_endpoint": "https://id.example.com/revoke",
                "code_challenge_methods_supported": ["plain", "S256"],
                "authorization_response_iss_parameter_supported": true,
            ]),
            of: Self.issuer
        )
        #expect(
            endpoints
                == OAuthEndpoints(
                    authorization: "https://login.example.com/authorize",
                    token: "https://id.example.com/token",
                    device: "https://id.example.com/device",
                    revocation: "https://id.example.com/revoke",
                    namesIssuer: true
                )
        )
    }

    @Test(
        arguments: [
            ["issuer": "https://evil.example"], ["issuer": "https://id.example.com/"], ["issuer": nil],
            ["token_endpoint": "http://id.example.com/token"], ["token_endpoint": "http://127.0.0.1/token"],
            ["token_endpoint": "javascript:alert(1)"], ["token_endpoint": "https://kim:pass@id.example.com/token"],
            ["authorization_endpoint": "file:///etc/passwd"], ["revocation_endpoint": "https://id.example.com/#a"],
        ] as [[String: JSONValue]]
    )
    func `metadata of another issuer, and endpoints without TLS, are refused`(changes: [String: JSONValue]) {
        #expect(throws: RestClientError.self) { try OAuthEndpoints(Self.metadata(changes), of: Self.issuer) }
    }

    @Test
    func `a server that knows no S256 has no endpoint for codes`() throws {
        let methods: JSONValue = ["plain"]
        let metadata = Self.metadata(["code_challenge_methods_supported": methods])
        #expect(try OAuthEndpoints(metadata, of: Self.issuer).authorization == nil)
    }

    @Test(
        arguments: [
            ("https://id.example.com/token", true), ("http://localhost:8080/token", true), ("http://[::1]/token", true),
            ("http://id.example.com/token", false), ("http://127.0.0.1.evil.example/token", false),
            ("ftp://id.example.com/", false), ("https://id.example.com/#a", false), ("/token", false), (nil, false),
        ] as [(String?, Bool)]
    )
    func `an endpoint has TLS or is on this machine`(url: String?, isFine: Bool) {
        let checked = try? OAuthEndpoints.checked(url, "token endpoint")
        #expect((checked != nil) == isFine)
    }
}
