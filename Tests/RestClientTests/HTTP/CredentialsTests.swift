// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

@Suite
struct CredentialsTests {
    private func name(_ text: String) throws -> HTTPField.Name {
        try #require(HTTPField.Name(text))
    }

    @Test(arguments: [
        "Authorization", "proxy-authorization", "Cookie", "X-API-Key", "PRIVATE-TOKEN", "Ocp-Apim-Subscription-Key",
        "apikey", "DD-APPLICATION-KEY", "X-Functions-Key", "X-Vault-Token", "X-Shopify-Access-Token", "X-Auth-Email",
        "X-My-Secret", "X-MyKey", "X-Project-Access-Key", "X-Master-Key", "DPoP", "X-Client-Assertion",
        "X-Session-Id", "X-Hub-Signature-256", "Api-Token", "x-goog-iap-jwt-assertion",
        "X-Tenant-Key", "X-User-Key", "X-StorageKey", "X-Hash-Key", "Key", "X-Key", "X-Access-Keys",
        "X-Client-Key-Data", "X-MasterKey", "X-Encryption-Key-SHA256-Key",
    ])
    func `a field that identifies the sender of the request is a credential`(field: String) throws {
        for field in [field, field.lowercased(), field.uppercased()] {
            #expect(Credentials.contain(try name(field)))
            #expect(Credentials.isSecret(try name(field)))
        }
    }

    @Test(arguments: [
        "Accept", "Content-Type", "User-Agent", "If-None-Match", "Idempotency-Key", "X-Idempotency-Key",
        "Sec-WebSocket-Key", "X-Request-ID", "X-Author", "X-Max-Tokens", "Range", "traceparent", "X-Cache-Key",
        "Surrogate-Key", "X-Partition-Key", "x-ms-documentdb-partitionkey", "X-Monkey",
        "X-PartitionKey", "X-SortKey", "xkey", "X-Keyword", "X-Key-Name", "X-Monkeys",
    ])
    func `other fields are not`(field: String) throws {
        for field in [field, field.lowercased(), field.uppercased()] {
            #expect(!Credentials.contain(try name(field)))
            #expect(Credentials.contain(try name(field), declared: [try name(field)]))
        }
    }

    @Test(arguments: ["Set-Cookie", "WWW-Authenticate"])
    func `a secret of a response is masked`(field: String) throws {
        #expect(Credentials.isSecret(try name(field)))
    }

    @Test(arguments: ["Server", "ETag", "Access-Control-Allow-Credentials", "Strict-Transport-Security", "Location"])
    func `what describes a response is not masked`(field: String) throws {
        #expect(!Credentials.isSecret(try name(field)))
    }

    @Test
    func `the order of fields makes no difference, that of their values does`() throws {
        let token = try name("PRIVATE-TOKEN")
        let key = try name("X-API-Key")
        func text(_ fields: [(HTTPField.Name, String)]) -> String? {
            Credentials.text(of: HTTPFields(fields.map { HTTPField(name: $0.0, value: $0.1) }))
        }
        #expect(text([(token, "a"), (.accept, "x"), (key, "b")]) == text([(key, "b"), (token, "a")]))
        #expect(text([(token, "a"), (token, "b")]) != text([(token, "b"), (token, "a")]))
        #expect(text([(.accept, "x")]) == nil)
    }
}
