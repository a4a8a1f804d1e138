// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientAWS

@Suite
struct AWSSignerTests {
    private static let key = AWSCredentials(accessKeyID: "AKID", secretAccessKey: "secret/key+")
    private static let date = Date(timeIntervalSince1970: 1_772_323_199)

    private static func signer(
        _ key: AWSCredentials = key,
        service: String = "execute-api",
        payload: AWSSigner.Payload = .digest
    ) -> AWSSigner {
        var signer = AWSSigner(key, region: "eu-central-1", service: service)
        signer.payload = payload
        signer.now = { date }
        return signer
    }

    /// Returns the signature of a request as it was sent, over the fields that it says are signed.
    private static func signature(of request: TransportRequest, service: String, payload: String) throws -> String {
        let authorization = try #require(request.headers[.authorization])
        let list = try #require(authorization.split(separator: "SignedHeaders=").last?.split(separator: ",").first)
        let names = list.split(separator: ";").map(String.init)
        let url = try HTTPURL(sent: request.url)
        let signature = SignatureV4(
            SignatureV4.Scope(date, region: "eu-central-1", service: service),
            request.method.rawValue,
            target: url.target,
            fields: [("host", url.authority)]
                + request.headers.filter { names.contains($0.name.canonicalName) }
                .map { (name: $0.name.canonicalName, value: $0.value) },
            payload: payload
        )
        #expect(signature.signedFields == String(list))
        #expect(
            authorization.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKID/20260228/eu-central-1/\(service)/aws4_request, SignedHeaders="
            )
        )
        return signature.signature(key.secretAccessKey)
    }

    private static func field(_ name: String, of request: TransportRequest) -> String? {
        HTTPField.Name(name).flatMap { request.headers[$0] }
    }

    // MARK: - Requests

    /// The SHA-256 of `{"a":1}`.
    private static let digest = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"

    @Test
    func `the request is signed as it is sent`() async throws {
        let request = try await sent {
            $0.post().endpoint("/a b/c").query("d", "e+f g").header(.acceptLanguage, "de")
                .body(.bytes(Data(#"{"a":1}"#.utf8), contentType: "application/json")).signing(Self.signer())
        }

        let signature = try Self.signature(of: request, service: "execute-api", payload: Self.digest)
        #expect(request.headers[.authorization]?.hasSuffix(", Signature=\(signature)") == true)
        #expect(request.headers[.authorization]?.contains("accept-language;content-type;host;x-amz-date") == true)
        #expect(Self.field("X-Amz-Date", of: request) == "20260228T235959Z")
        #expect(Self.field("X-Amz-Content-Sha256", of: request) == nil)
        #expect(Self.field("X-Amz-Security-Token", of: request) == nil)
    }

    @Test
    func `fields that proxies change are not signed`() async throws {
        let request = try await sent {
            $0.endpoint("/a").header(.userAgent, "b").header(.cacheControl, "no-cache").signing(Self.signer())
        }

        let authorization = try #require(request.headers[.authorization])
        #expect(!authorization.contains("user-agent"))
        #expect(!authorization.contains("cache-control"))
    }

    @Test(
        arguments: [
            (.digest, SignatureV4.emptyPayload), (.unsigned, SignatureV4.unsignedPayload),
        ] as [(AWSSigner.Payload, String)]
    )
    func `S3 gets the digest of the body, or none`(payload: AWSSigner.Payload, text: String) async throws {
        let request = try await sent { $0.endpoint("/a").signing(Self.signer(service: "s3", payload: payload)) }

        let signature = try Self.signature(of: request, service: "s3", payload: text)
        #expect(request.headers[.authorization]?.hasSuffix(", Signature=\(signature)") == true)
        #expect(Self.field("X-Amz-Content-Sha256", of: request) == text)
    }

    @Test
    func `the token of a temporary key is sent and signed`() async throws {
        var key = Self.key
        key.sessionToken = "token"
        let request = try await sent { [key] in $0.endpoint("/a").signing(Self.signer(key)) }

        #expect(Self.field("X-Amz-Security-Token", of: request) == "token")
        #expect(request.headers[.authorization]?.contains(";x-amz-date;x-amz-security-token,") == true)
    }

    @Test
    func `keys are asked for before each attempt`() async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable), .text("a"))
        let keys = Recorder<String>()
        let signer = AWSSigner(identity: "role", region: "eu-central-1", service: "s3") {
            keys.record("AKID\(keys.count)")
            return AWSCredentials(accessKeyID: keys.elements.last ?? "", secretAccessKey: "s")
        }
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero

        try await client.manager.run(
            client.manager.request(Void.self).endpoint("/a").retry(policy).signing(signer)
        )

        let credentials = client.requests.map { request in
            request.headers[.authorization]?.split(separator: "Credential=").last.map { String($0.prefix(5)) }
        }
        #expect(credentials == ["AKID0", "AKID1"])
    }

    @Test
    func `a body that can be read once needs a signer without its digest`() async throws {
        let body = { @Sendable in RequestBody.stream(AsyncStream<Data> { $0.finish() }) }

        let error = await failure { $0.put().endpoint("/a").body(body()).signing(Self.signer(service: "s3")) }
        let request = try await sent {
            $0.put().endpoint("/a").body(body()).signing(Self.signer(service: "s3", payload: .unsigned))
        }

        #expect(error?.code == .signingFailed)
        #expect(error?.message.contains(".unsigned") == true)
        #expect(Self.field("X-Amz-Content-Sha256", of: request) == "UNSIGNED-PAYLOAD")
    }

    @Test
    func `a request whose URL is signed already is left as it is`() async throws {
        let link = try await Self.signer(service: "s3").signedURL("https://api.example.com/v1/a")
        let request = try await sent { $0.url(link).signing(Self.signer(service: "s3")) }

        #expect(request.url == link)
        #expect(request.headers[.authorization] == nil)
    }

    @Test(
        arguments: [
            ("", "s", "eu", "s3", "name of the key"), ("a/b", "s", "eu", "s3", "name of the key"),
            ("a", "", "eu", "s3", "secret part"), ("a", "s", "", "s3", "region"), ("a", "s", "e u", "s3", "region"),
            ("a", "s", "eu", "s3\n", "service"), ("a", "s", "eü", "s3", "region"),
        ]
    )
    func `what cannot be written in a signature is an error, and nothing is sent`(
        id: String,
        secret: String,
        region: String,
        service: String,
        reason: String
    ) async throws {
        let client = StubbedClient()
        let key = AWSCredentials(accessKeyID: id, secretAccessKey: secret)
        let signer = AWSSigner(key, region: region, service: service)

        let error = await client.failure { $0.endpoint("/a").signing(signer) }

        #expect(error?.code == .signingFailed)
        #expect(error?.message.contains(reason) == true)
        #expect(client.requests.isEmpty)
        await #expect(throws: RestClientError.self) { try await signer.signedURL("https://a.example/b") }
    }

    // MARK: - URLs

    @Test
    func `the signed URL of the documentation of S3 is that`() async throws {
        var signer = AWSSigner(
            AWSCredentials(
                accessKeyID: "AKIAIOSFODNN7EXAMPLE",
                secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
            ),
            region: "us-east-1",
            service: "s3"
        )
        signer.now = { SignatureV4Tests.documentationDate }

        let url = try await signer.signedURL(
            "https://examplebucket.s3.amazonaws.com/test.txt",
            for: .seconds(86_400)
        )

        #expect(
            url == "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        )
    }

    /// The expected value was computed with the HMAC of Python's standard library.
    @Test
    func `a signed URL has its own query, the method and the token of a temporary key in its signature`() async throws {
        var key = Self.key
        key.sessionToken = "tok/en=="

        let url = try await Self.signer(key).signedURL("https://api.example.com/a?a=1#b", method: .put)

        #expect(
            url == "https://api.example.com/a?a=1&X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKID%2F20260228%2Feu-central-1%2Fexecute-api%2Faws4_request"
                + "&X-Amz-Date=20260228T235959Z&X-Amz-Expires=900&X-Amz-SignedHeaders=host"
                + "&X-Amz-Security-Token=tok%2Fen%3D%3D"
                + "&X-Amz-Signature=74ea56caf098b7f1ca77d091d0b8b54e3e65de07521682dd3020e82cf0f51403"
        )
        let shown = Redaction.url(url)
        for secret in ["74ea56ca", "tok%2Fen", "AKID"] {
            #expect(!shown.contains(secret))
        }
    }

    @Test(
        arguments: [
            ("https://a.example/b", Duration.zero), ("https://a.example/b", .milliseconds(999)),
            ("https://a.example/b", .seconds(604_801)), ("https://a.example/b", .seconds(-1)),
            ("ftp://a.example/b", .seconds(1)),
            ("https://a.example/b?X-Amz-Signature=c", .seconds(1)), ("/b", .seconds(1)),
        ]
    )
    func `a URL that cannot be signed is an error`(url: String, time: Duration) async {
        await #expect(throws: RestClientError.self) { try await Self.signer().signedURL(url, for: time) }
    }

    // MARK: - Keys

    @Test(
        arguments: [
            ([:], nil), (["AWS_ACCESS_KEY_ID": "a"], nil), (["AWS_SECRET_ACCESS_KEY": "b"], nil),
            (["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": ""], nil),
            (
                ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": ""],
                AWSCredentials(accessKeyID: "a", secretAccessKey: "b")
            ),
            (
                ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": "c"],
                AWSCredentials(accessKeyID: "a", secretAccessKey: "b", sessionToken: "c")
            ),
        ] as [([String: String], AWSCredentials?)]
    )
    func `a key is read from the environment as a whole`(environment: [String: String], key: AWSCredentials?) {
        #expect((try? AWSCredentials(environment: environment)) == key)
    }

    @Test
    func `descriptions show the name of the key only`() {
        var key = AWSCredentials(accessKeyID: "AKID", secretAccessKey: "s3cret", sessionToken: "t0ken")
        var (text, signer) = ("", Self.signer(key))
        dump(key, to: &text)
        dump(signer, to: &text)
        text += "\(key) \(signer)"

        #expect(text.contains("AKID"))
        #expect(!text.contains("s3cret"))
        #expect(!text.contains("t0ken"))
        key.accessKeyID = "a\nb"
        signer = Self.signer(key)
        #expect(!"\(key) \(signer)".contains("\n"))
    }

    @Test
    func `explanations name the signer and the key`() async throws {
        let client = StubbedClient()

        let response = try await client.manager.request(Void.self).endpoint("/a").signing(Self.signer()).response()

        #expect(response.explain().contains("Requests to the server are signed by AWSSigner as AKID."))
        #expect(!response.explain().contains("had no credentials"))
    }
}
