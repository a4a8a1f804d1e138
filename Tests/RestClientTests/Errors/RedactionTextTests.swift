// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Secrets in field values and in texts of others, without a URL around them.
@Suite
struct RedactionTextTests {
    @Test(arguments: [
        ("a=1&access_token=s3cret", "a=1&access_token=<redacted>"),
        ("access_token=s3cret&a=1", "access_token=<redacted>&a=1"),
        ("token=s3cret; user=1", "token=<redacted>; user=1"),
        ("user=1;token=s3cret;x=2", "user=1;token=<redacted>;x=2"),
        ("token=s3;cret x=1", "token=<redacted> x=1"),
        ("user=1,token=s3cret", "user=1,token=<redacted>"),
        ("token = s3cret", "token = <redacted>"),
        ("token == s3cret", "token == <redacted>"),
        (#"token="s3 cret"; user=1"#, #"token="<redacted>"; user=1"#),
        (#"token="s3\" cret"; user=1"#, #"token="<redacted>"; user=1"#),
        ("sid='s3 cret'", "sid='<redacted>'"),
        ("(session=s3cret)", "(session=<redacted>)"),
        ("auth=Bearer s3cret", "auth=<redacted>"),
        ("Authorization = Basic s3cret==", "Authorization = <redacted>"),
        (#"{"token"=>"s3cret"}"#, #"{"token"=>"<redacted>"}"#),
        (#"error {"token": "s3cret", "a": 1}"#, #"error {"token": "<redacted>", "a": 1}"#),
        (#"error {'pin': 's3cret'}"#, #"error {'pin': '<redacted>'}"#),
        (#"error {\"pin\":\"s3cret\"}"#, #"error {\"pin\":\"<redacted>\"}"#),
        (#"error {"secret":["s3cret", "s3cret"]}"#, #"error {"secret":<redacted>"#),
        ("msg:token=s3cret", "msg:token=<redacted>"), ("--key=s3cret", "--key=<redacted>"),
        ("access%5Ftoken=s3cret", "access%5Ftoken=<redacted>"),
        ("token%3Ds3cret", "<redacted>"), ("x token%3Ds3cret y", "x <redacted> y"),
        ("a=1&x=token%253Ds3cret", "<redacted>"), ("pin%20%3D%20s3cret", "<redacted>"),
        ("https%3A%2F%2Fu:s3cret@h%2F%3Ftoken%3Ds3cret", "<redacted>"),
        ("https%3A%2F%2Fh%2F%3Ftoken%3Ds3cret", "<redacted>"),
        ("%2Fapp%3Bjsessionid%3Ds3cret", "<redacted>"),
    ])
    func `a field and a close reason lose the secrets of their items, however they are written`(
        text: String,
        masked: String
    ) throws {
        let name = try #require(HTTPField.Name("X-Q"))
        let fields: HTTPFields = [name: text]

        #expect(Redaction.text(text) == masked)
        #expect(Redaction.text(masked) == masked)
        #expect(Redaction.headers(fields) == "X-Q: \(masked)")
        #expect(Redaction.masked(fields).map(\.value) == [masked])
        #expect(Redaction.value(of: "not a name", text) == masked)
        #expect(Redaction.holdsSecret(HTTPField(name: name, value: text)))
        #expect(!CurlCommand(method: .get, url: "https://a.example/", headers: fields).description.contains("s3cret"))
    }

    @Test(arguments: [
        "a=1; b=2", "max-age=600, must-revalidate", "\"abc==\"", "text/html; charset=utf-8", "50% of 7 = 3",
        "page%3D2", "https%3A%2F%2Fh%2F%3Fpage%3D2", "unexpected token: }", "token", "token=", "token=; a=1",
        "primary_key=7", "max_tokens=7", "a == b", "Mon, 21 Nov 2026 09:00:00 GMT", "status code=401",
        "Error Domain=NSURLErrorDomain Code=-1001 \"The request timed out.\"", "h3=\":443\"; ma=86400",
        "kim@example.com", "\"a\":1", "'key': is missing", "",
    ])
    func `what only resembles an item with a secret stays`(text: String) {
        #expect(Redaction.text(text) == text)
    }

    // MARK: - JSON

    /// JSON, and what is shown of it in place of a value.
    private static let secretJSON = [
        #"{"token":"s3cret"}"#, #" {"token": "s3cret"}"#, #"[{"a":[{"password":"s3cret"}]}]"#,
        #"{"a":"{\"token\":\"s3cret\"}"}"#, #"{"a":"{\"b\":\"{\\\"pin\\\":\\\"s3cret\\\"}\"}"}"#,
        #"{"tok\u0065n":"s3cret"}"#, #"{"next":"/cb?code=s3cret"}"#, #"{"a":"token=s3cret"}"#,
        #"{"a":"%7B%22token%22%3A%22s3cret%22%7D"}"#,
    ]

    @Test(arguments: secretJSON)
    func `JSON with a secret is masked in a field, in an item and in an encoded item`(json: String) throws {
        let name = try #require(HTTPField.Name("X-Filter"))
        let encoded = PercentEncoding.encode(json)

        #expect(Redaction.headers([name: json]) == "X-Filter: <redacted>")
        #expect(Redaction.headers([name: encoded]) == "X-Filter: <redacted>")
        #expect(Redaction.url("https://a/?filter=\(json)&y=1") == "https://a/?filter=<redacted>&y=1")
        #expect(Redaction.url("https://a/?filter=\(encoded)&y=1") == "https://a/?filter=<redacted>&y=1")
        #expect(!Redaction.text("see https://a/?filter=\(json)").contains("s3cret"))
        #expect(Redaction.url("https://a/?\(encoded)") == "https://a/?<redacted>")
        let body = Redaction.body(Data(json.utf8), contentType: nil)
        #expect(body != nil && body?.contains("s3cret") == false)
    }

    @Test(arguments: [
        #"{"page":2,"sort":"name"}"#, #"[1,2]"#, #"{"a":"{\"b\":1}"}"#, #"{"next":"https://a/?x=1"}"#,
        #"{"primary_key":"7"}"#, "{}", "{no JSON}", #"{"page": 2, "a": "b c"}"#,
    ])
    func `JSON without a secret stays readable`(json: String) throws {
        let name = try #require(HTTPField.Name("X-Filter"))
        let encoded = PercentEncoding.encode(json)

        #expect(Redaction.headers([name: json]) == "X-Filter: \(json)")
        #expect(Redaction.headers([name: encoded]) == "X-Filter: \(encoded)")
        #expect(Redaction.url("https://a/?filter=\(encoded)&y=1") == "https://a/?filter=\(encoded)&y=1")
    }

    @Test
    func `nested JSON in a body is masked in its place`() {
        let body = Data(#"{"a":"{\"token\":\"s3cret\"}","b":"{\"c\":1}"}"#.utf8)
        #expect(Redaction.body(body, contentType: nil) == #"{"a":"<redacted>","b":"{\"c\":1}"}"#)
    }

    // MARK: - What is printed

    @Test
    func `no field, reason or message of a server shows a secret`() async throws {
        let name = try #require(HTTPField.Name("X-Debug"))
        let fields: HTTPFields = [
            name: "user=1; token=s3cret", .location: "https%3A%2F%2Fu:s3cret@h%2F%3Ftoken%3Ds3cret",
        ]
        let refused = HTTPResponse.Status(code: 403, reasonPhrase: "No token=s3cret here")
        let client = StubbedClient(answering: .status(refused, headers: fields), .text("x", headers: fields))
        let log = EventRecorder(client.manager)
        let error = try #require(await client.failure { $0.endpoint("/a").header(name, "sid = \"s3cret\"") })
        let response = try await client.manager.request(String.self).endpoint("/b").response()
        let envelope = EnvelopeError(code: "token=s3cret", message: "bad pin=s3cret")

        var texts = ["\(error)", error.message, error.explain(), "\(response)", response.explain(), "\(envelope)"]
        texts += [envelope.errorDescription ?? ""] + log.events.map { "\($0)" }
        for text in texts {
            #expect(!text.contains("s3cret"), "\(text)")
        }
        #expect(error.message.contains("No token=<redacted> here"))
        #expect("\(response)".contains("X-Debug: user=1; token=<redacted>"))
    }

    @Test(arguments: [
        String(repeating: "token=", count: 20_000), String(repeating: "\\\"pin\\\":", count: 20_000),
        String(repeating: "sid = ", count: 20_000), String(repeating: "\"key\":\"", count: 20_000),
        String(repeating: "a=%25", count: 20_000), String(repeating: "=", count: 100_000),
    ])
    func `long texts are masked without effort and without a trap`(text: String) {
        #expect(!Redaction.text("\(text)x &token=s3cret").contains("s3cret"))
    }
}
