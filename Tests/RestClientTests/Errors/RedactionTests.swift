// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct RedactionTests {
    private static let secretNames = [
        "token", "access_token", "refreshToken", "id_token", "client_secret", "password", "passwd", "api_key", "apikey",
        "api-key", "key", "sig", "signature", "code", "session", "sessionId", "X-Amz-Signature", "X-Amz-Credential",
        "subscription-key", "Ocp-Apim-Subscription-Key", "access_key", "accessKey", "AWSAccessKey", "accesskey",
        "private_key", "privateKey", "SSHKey", "account.key", "keys[access_key]", "keys%5Baccess_key%5D",
        "access%5Fkey", "%74oken", "client_assertion", "clientAssertion", "assertion", "passphrase", "key_passphrase",
        "pwd", "userPwd", "code_verifier", "codeVerifier", "code-verifier", "project_access_key", "/cb?code",
        "auth", "oauth", "authorization", "x_authorisation", "authentication", "author_auth", "authKey",
        "private_key_pem", "private_keys", "access_keys", "accessKeys[0]", "client-key-data", "ssh_key_data", "keyPem",
        "key1", "key2", "Key_2", "accountKey1", "api_key_2", "subscriptionkey", "masterkey", "MASTERKEY", "licensekey",
        "encryptionkey", "signingkeys", "secondary_key", "shared_key", "pre_shared_key", "license_key", "signing-key",
        "encryptionKey", "app_key", "applicationKey", "client_key", "consumer_key", "service_key", "functionsKey",
        "host_key", "adminKey", "webhook_key", "primaryMasterKey", "license_key_value", "hmacKey", "stream_key",
    ]

    @Test(arguments: secretNames)
    func `a secret item of a query is masked, and the others stay`(name: String) {
        let url = "https://example.com/a?page=2&\(name)=s3cret&q=x#frag"
        #expect(Redaction.url(url) == "https://example.com/a?page=2&\(name)=<redacted>&q=x#frag")
    }

    @Test(arguments: [
        "max_tokens", "maxTokens", "max-tokens", "MAX_TOKENS", "max_completion_tokens", "total_tokens", "prompt_tokens",
        "completion_tokens_details", "input_tokens", "n_tokens", "max_new_tokens", "token_count", "tokenCount",
        "token_type", "x-ratelimit-remaining-tokens", "cache_read_input_tokens",
    ])
    func `the number of tokens of a text is not a secret`(name: String) {
        #expect(Redaction.url("?\(name)=7") == "?\(name)=7")
    }

    @Test(arguments: [
        "tokens", "new_tokens", "access_tokens", "max_access_tokens", "refresh_token_count_secret", "token_value",
        "input_token", "maxtokens", "secret_count", "tokens_key", "session_tokens_total",
    ])
    func `what only resembles a count of tokens stays a secret`(name: String) {
        #expect(Redaction.url("?\(name)=7") == "?\(name)=<redacted>")
    }

    @Test(arguments: [
        "monkey", "MONKEY", "turkey", "keyword", "key_id", "keyId", "keyboard", "primaryKey", "primary_key",
        "foreign-key", "sort_key", "sortKey", "partitionKey", "LastEvaluatedKey", "object_key", "cacheKey",
        "idempotency_key", "issueKey", "publicKey", "publishable-key", "barcode", "zip_code", "assertions", "signal",
        "hash_key",
        "ExclusiveStartKey", "start_key", "end_key", "next_key", "spaceKey", "fileKey", "flagKey", "userKey",
        "meta_key", "s3_key", "storageKey", "configKey", "localeKey", "i18nKey", "shard_key", "business_key",
        "sha256Key", "keys", "keys[0]", "key_value", "key_data", "keyValues", "primary_keys", "partition_key_value",
        "rangekey", "private_key_id", "ssh_key_name", "keyName1", "donkey", "hotkeys", "mykey", "xkey",
    ])
    func `what only resembles a key, or identifies a thing, is not a secret`(name: String) {
        #expect(Redaction.url("?\(name)=7") == "?\(name)=7")
    }

    @Test(arguments: [
        ("https://a/?x=1,https://b/?token=s3cret", "https://a/?x=1,https://b/?token=<redacted>"),
        ("https://a/,https://kim:s3cret@b/x", "https://a/,https://<redacted>@b/x"),
        ("[https://a/|https://kim:s3cret@b/]", "[https://a/|https://<redacted>@b/]"),
        ("lost: 'https://a/?sig=s3cret'", "lost: 'https://a/?sig=<redacted>"),
        ("why?https://a/?sig=s3cret", "why?https://a/?sig=<redacted>"),
        ("https://a/?next=https://b/?code=s3cret&y=1", "https://a/?next=https://b/?code=<redacted>&y=1"),
        ("https://a/?token=s3crethttps://b/", "https://a/?token=<redacted>"),
        ("https://a/#/cb?code=s3cret", "https://a/#/cb?code=<redacted>"),
        ("https://a/?next=https%3A%2F%2Fb%2F%3Fcode%3Ds3cret&y=1", "https://a/?next=<redacted>&y=1"),
        ("https://a/?next=https%3A%2F%2Fb%2F&y=1", "https://a/?next=https%3A%2F%2Fb%2F&y=1"),
        ("one\n two\thttps://a/?x=1\n", "one\n two\thttps://a/?x=1\n"),
        ("no URL: page=seen", "no URL: page=seen"), ("://", "://"), ("", ""),
    ])
    func `each URL in a text loses its secrets`(text: String, masked: String) {
        #expect(Redaction.text(text) == masked)
    }

    @Test
    func `URLs within values of one another are masked, however many there are`() {
        let nested = String(repeating: "https://a/?x=", count: 50_000) + "https://a/?token=s3cret"
        #expect(!Redaction.text(nested).contains("s3cret"))
        #expect(!Redaction.url(nested).contains("s3cret"))
        let encoded = (0..<8)
            .reduce("https://a/?token=s3cret") { text, _ in
                "https://a/?x=\(PercentEncoding.encode(text))"
            }
        #expect(!Redaction.url(encoded).contains("s3cret"))
        let many = String(repeating: "://", count: 50_000)
        #expect(Redaction.text(many) == many)
    }

    @Test(arguments: ["author", "Authors", "co_author", "authority", "authored_by", "author-id", "coauthorName"])
    func `the author of something is not a secret`(name: String) {
        let url = "https://example.com/a?\(name)=kim"
        #expect(Redaction.url(url) == url)
        #expect(Redaction.url("?\(name)=kim") == "?\(name)=kim")
    }

    @Test(arguments: [
        ("https://example.com/a", "https://example.com/a"),
        ("https://example.com/a?", "https://example.com/a?"),
        ("https://example.com/a?page=2&&x", "https://example.com/a?page=2&&x"),
        ("https://kim:s3cret@example.com/a@b?c@d", "https://<redacted>@example.com/a@b?c@d"),
        ("kim:s3cret@example.com", "<redacted>@example.com"),
        ("kim:s3cret@example.com?next=https://x/", "<redacted>@example.com?next=https://x/"),
        ("https://example.com/#access_token=s3cret&x=1", "https://example.com/#access_token=<redacted>&x=1"),
        ("https://example.com/?a=1#id_token=s3cret", "https://example.com/?a=1#id_token=<redacted>"),
        ("/cb?code=s3cret", "/cb?code=<redacted>"),
        ("?TOKEN=s3cret", "?TOKEN=<redacted>"),
        ("", ""),
        ("//kim:s3cret@files.example/x?key=s3cret", "//<redacted>@files.example/x?key=<redacted>"),
        ("https:/kim:s3cret@example.com/@b", "https:/<redacted>@example.com/@b"),
        ("ftp:///kim:s3cret@example.com", "ftp:///<redacted>@example.com"),
        ("https: //kim:s3cret@example.com", "https: //<redacted>@example.com"),
        (#"a\b://kim:s3cret@example.com"#, #"a\b://<redacted>@example.com"#),
        ("://kim:s3cret@example.com", "://<redacted>@example.com"),
        ("mailto:kim@example.com", "<redacted>@example.com"),
    ])
    func `a URL loses its secrets and nothing else`(url: String, masked: String) {
        #expect(Redaction.url(url) == masked)
    }

    @Test(arguments: [
        ("//kim:s3cret@files.example/x", "//<redacted>@files.example/x"),
        ("///kim:s3cret@a.example/", "///<redacted>@a.example/"),
        ("https:///kim:s3cret@a.example/", "https:///<redacted>@a.example/"),
        ("https:/kim:s3cret@a.example", "https:/<redacted>@a.example"),
        ("HTTPS:/kim:s3cret@a.example#x", "HTTPS:/<redacted>@a.example#x"),
        ("https:kim:s3cret@a.example/x", "<redacted>@a.example/x"),
        (#"https:\\kim:s3cret@a.example\x"#, #"<redacted>@a.example\x"#),
        (#"https:\kim:s3cret@a.example/x"#, "<redacted>@a.example/x"),
        (#"https:\/kim:s3cret@a.example"#, #"https:\/<redacted>@a.example"#),
        (#"https:/\kim:s3cret@a.example"#, #"https:/\<redacted>@a.example"#),
        (#"https://\kim:s3cret@a.example"#, #"https://\<redacted>@a.example"#),
        (#"\\kim:s3cret@a.example/x"#, "<redacted>@a.example/x"),
        (#"/\kim:s3cret@a.example/x"#, #"/\<redacted>@a.example/x"#),
        (#"\/kim:s3cret@a.example/x"#, #"\/<redacted>@a.example/x"#),
        ("\u{1} //kim:s3cret@a.example", "\u{1} //<redacted>@a.example"),
        ("\u{1}\thttps:/\t/kim:s3cret@a.example", "\u{1}\thttps:/\t/<redacted>@a.example"),
        ("/\n/kim:s3cret@a.example", "/\n/<redacted>@a.example"),
        ("ht\ntps\r:/kim:s3cret@a.example", "ht\ntps\r:/<redacted>@a.example"),
        ("//kim:s3@cret@a.example/@b", "//<redacted>@a.example/@b"),
        ("https:/kim:s3@cret@a.example", "https:/<redacted>@a.example"),
    ])
    func `user information is masked wherever the lenient parser finds it`(url: String, masked: String) throws {
        let base = try HTTPURL("http://base.example/")
        let parsed = try HTTPURL(url, relativeTo: base)

        #expect(!parsed.userInfo.isEmpty)
        #expect(Redaction.url(url) == masked)
    }

    @Test(arguments: [
        "https://example.com/@kim/x", "https://example.com?to=kim@example.com", "https://example.com#@kim",
        "https:///example.com/@kim", "https:/users/@kim", "https:users/@kim", #"https:\\example.com/@kim"#,
        "//example.com/@kim", "///example.com/@kim", #"/\example.com/@kim"#, "/@kim", "/users/@kim", " /@kim",
        "users/@kim", "users/kim@example.com", "users//kim@example.com", "//?@kim", "urn:/@kim", "file:///@kim",
    ])
    func `an at sign elsewhere stays`(url: String) {
        #expect(Redaction.url(url) == url)
    }

    @Test(arguments: ["Authorization", "proxy-authorization", "Cookie", "SET-COOKIE", "X-API-Key", "X-Auth-Token"])
    func `the values of secret header fields are masked`(name: String) throws {
        let field = try #require(HTTPField.Name(name))
        let text = Redaction.headers([field: "s3cret", .accept: "text/plain"])
        #expect(text == "\(name): <redacted>\nAccept: text/plain")
    }

    // MARK: - Everything that can be printed

    private struct Credentials: Codable, Sendable {
        var password = "s3cret"
    }

    private static func failures() async -> [any Error] {
        var failures: [any Error] = []
        func fail(_ answer: RawResponse?, _ describe: (RequestNode<Int>) -> RequestNode<Int>) async {
            let transport = StubTransport { _ in
                guard let answer else {
                    throw RestClientError(.transportFailed, "cut", underlying: Failing(url: "https://x/?token=s3cret"))
                }
                return answer
            }
            let client = StubbedClient(transport)
            client.manager.options = client.manager.options.header(.cookie, "session=s3cret")
            let node = describe(client.manager.request(Int.self).endpoint("/a").query(["access_token": "s3cret"]))
            do {
                _ = try await node.bearer("s3cret").send()
            } catch {
                failures.append(error)
            }
        }
        await fail(.text("no number")) { $0 }
        await fail(.status(.unauthorized, headers: [.setCookie: "session=s3cret"])) { $0 }
        await fail(.redirect(302, to: "https://other.example/?code=s3cret")) { $0 }
        await fail(.redirect(302, to: "ftp://kim:s3cret@other.example/")) { $0 }
        await fail(.redirect(302, to: "//kim:s3cret@other.example/")) { $0 }
        await fail(nil) { $0 }
        await fail(nil) { $0.server("unknown") }
        await fail(nil) { $0.server("unknown").endpoint("/a?token=s3cret") }
        await fail(nil) { $0.endpoint("/a/{x}?token=s3cret") }
        await fail(nil) { $0.endpoint("/a/{x?token=s3cret") }
        await fail(nil) { $0.endpoint("https://example.com/?token=s3cret") }
        await fail(nil) { $0.serverAddress("https://kim:s3cret@example.com") }
        await fail(nil) { $0.serverAddress("https:/kim:s3cret@example.com") }
        await fail(nil) { $0.url("https://kim:s3cret@example.com/?token=s3cret") }
        await fail(nil) { $0.url("//kim:s3cret@example.com/x") }
        await fail(nil) { $0.cache(.cacheOnly()) }
        await fail(nil) { $0.post().dogma(.raw).body(Credentials()) }
        await fail(nil) { $0.post().dogma(.form).body([Credentials()]) }
        await fail(nil) { $0.body(Credentials()) }
        await fail(nil) { $0.header("X-Token", "s3cret\n") }
        await fail(nil) { $0.endpoint("/{id}").parameter("id", "") }
        return failures
    }

    /// An error of a layer below that shows its URL, as those of Foundation do.
    private struct Failing: Error {
        let url: String
    }

    @Test(arguments: [
        ("Location", "ftp://kim:s3cret@example.com/a", "ftp://<redacted>@example.com/a"),
        ("Content-Location", "/a?page=2&token=s3cret", "/a?page=2&token=<redacted>"),
        ("Referer", "https://example.com/#id_token=s3cret", "https://example.com/#id_token=<redacted>"),
        (
            "Link", "</a?key=s3cret>; rel=\"next\", </b?x=1>; title=\"a?key=1\"",
            "</a?key=<redacted>>; rel=\"next\", </b?x=1>; title=\"a?key=<redacted>"
        ),
        (
            "Link", "</a>; rel=\"next\"; anchor=\"https://example.com/?key=s3cret\"",
            "</a>; rel=\"next\"; anchor=\"https://example.com/?key=<redacted>"
        ),
        ("X-Note", "/a?token=s3cret", "/a?token=<redacted>"),
    ])
    func `URLs in header fields lose their secrets, and nothing else changes`(
        name: String,
        value: String,
        masked: String
    ) throws {
        let fields = HTTPFields([HTTPField(name: try #require(HTTPField.Name(name)), value: value)])

        #expect(Redaction.headers(fields) == "\(name): \(masked)")
        #expect(Redaction.masked(fields).map(\.value) == [masked])
    }

    @Test
    func `no error shows a credential`() async {
        let failures = await Self.failures()
        #expect(failures.count == 21)
        for failure in failures {
            #expect(!"\(failure)".contains("s3cret"), "\(failure)")
            #expect(!String(reflecting: failure).contains("s3cret"))
        }
    }

    @Test
    func `no event shows a credential`() async throws {
        let client = StubbedClient(
            answering: .redirect(302, to: "/b?token=s3cret"),
            .text("x", headers: [.setCookie: "s3cret"])
        )
        let log = EventRecorder(client.manager)
        _ = try await client.manager.request(String.self).endpoint("/a").query(["password": "s3cret"]).bearer("s3cret")
            .cache(.elseNetwork()).send()
        _ = await client.failure { $0.server("x").endpoint("/a?token=s3cret").bearer("s3cret") }
        #expect(log.events.count > 8)
        for event in log.events {
            #expect(!"\(event)".contains("s3cret"), "\(event)")
            #expect(event.request.map { !"\($0)".contains("s3cret") } ?? true)
        }
    }

    @Test(arguments: [
        "https://kim:s3cret@\u{301}a.example/", "https://\u{301}kim:s3cret@a.example/",
        "https://a.example/?page=2&\u{301}token=s3cret", "https://a.example/?token=\u{301}s3cret",
        "https://a.example/?page=2#\u{301}token=s3cret", "https://a.example/#/cb?\u{301}token=s3cret",
        "https://a.example/?next=https://\u{301}kim:s3cret@b.example/",
    ])
    func `a combining mark hides no separator of a URL`(url: String) {
        #expect(!Redaction.url(url).contains("s3cret"))
        #expect(!Redaction.text("see \(url) and \(url)").contains("s3cret"))
    }

    @Test
    func `a combining mark hides no separator of a link`() {
        let value = "<https://a.example/>; rel=a, <\u{301}/b?x=s3cret>\u{301}; rel=b"

        let shown = Redaction.links(in: value, masking: { _ in "…" }, parameters: { $0 })

        #expect(shown == "…<…>; rel=a, <…>\u{301}; rel=b")
    }

    @Test
    func `nothing that carries header fields shows credentials when it is printed`() async throws {
        let capture = CapturingInterceptor()
        let transport = StubTransport(answering: [.text("1", headers: [.setCookie: "session=s3cret"])])
        let client = StubbedClient(transport) { $0 = $0.interceptors(capture) }
        let secrets: HTTPFields = [.authorization: "Bearer s3cret", .cookie: "session=s3cret"]
        let node = client.manager.request(Int.self).endpoint("/a").query(["token": "s3cret"]).bearer("s3cret")
            .values(["password": "s3cret"])
        let response = try await node.response()
        let request = try #require(client.requests.first)
        let outgoing = try #require(capture.requests.elements.first)
        let printed: [Any] = [
            node, node.specification.target, response, response.raw, response.request, request, outgoing,
            Server("https://example.com").headers(secrets), API(.get, "/a?token=s3cret").headers(secrets),
            CallOptions().headers(secrets), DummyResponse(headers: secrets),
        ]
        for value in printed {
            #expect(!"\(value)".contains("s3cret"), "\(type(of: value))")
        }
    }

    @Test
    func `a masked description is still useful`() async throws {
        let client = StubbedClient(answering: .text("1", headers: [.eTag: "x"]))
        let node = client.manager.request(Int.self).post().endpoint("/a/{id}").parameter("id", 7)
        let response = try await node.values(["a": 1]).response()
        #expect("\(node)" == "POST /a/{id}")
        #expect("\(response)" == "200 OK\nETag: x\n(1 bytes)")
        let request = try #require(client.requests.first)
        #expect(
            "\(request)" == """
                POST https://api.example.com/v1/a/7
                User-Agent: swift-rest-client/1
                Accept: application/json
                Content-Type: application/json
                (7 bytes)
                """
        )
    }
}
