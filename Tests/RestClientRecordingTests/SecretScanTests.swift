// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording

@Suite
struct SecretScanTests {
    /// Put together here, so that scanners of this repository find nothing.
    private static let key = "AKIA" + "ABCDEFGHIJ234567"
    private static let webToken = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk"

    private func archive(url: String = "https://a.example/", _ headers: [HAR.Field] = [], body: String = "") -> HAR {
        let message = HAR.Body(Data(body.utf8), mimeType: "application/json")
        return HAR(entries: [
            HAR.Entry(
                startedAt: Date(timeIntervalSince1970: 0),
                request: HAR.Request(method: "POST", url: url, headers: headers, body: message),
                response: HAR.Response(status: 200, headers: headers, body: message)
            )
        ])
    }

    @Test(arguments: [
        key, webToken, "ghp" + "_abcdefghijklmnopqrstuvwxyz0123456789", "Bearer abcdefgh", "x Basic dXNlcjpwYXNz",
        "sk" + "_live_abcdefghijklmnop1234", "see https://user:pass@host.example/", "key=" + key,
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
        // A combining mark makes another character of the one before it.
        key + "\u{301}", "\u{301}" + key, "-----BEGIN \u{301}RSA PRIVATE KEY-----",
        "https://\u{301}user:pass@a.example/",
    ])
    func `values that look like secrets are found`(text: String) {
        #expect(SecretScan(RecordingRules()).holdsSecret(text))
    }

    @Test(arguments: [
        "", "<redacted>", "hello world", "2026-11-21T09:00:00Z", "https://a.example/x?y=z", "Bearer",
        "Bearer <redacted>",
        "sk-short", "d41d8cd98f00b204e9800998ecf8427e", "7f3c1100-0000-4000-8000-000000000000", "basic idea",
        "https://<redacted>@a.example/",
    ])
    func `harmless values are not found`(text: String) {
        #expect(!SecretScan(RecordingRules()).holdsSecret(text))
    }

    // MARK: - Keys of known services

    /// Common kinds of key, put together here for the reason above.
    private static let keys = [
        "ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a",
        "github" + "_pat_11ABCDEFG0abcdefghijkl_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW",
        "glpat" + "-abcDEF123456-_ghiJKL",
        key,
        "xoxb" + "-123456789012-1234567890123-abcdefghijABCDEFGHIJklmn",
        "sk" + "_live_4eC39HqLyjWDarjtT1zdp7dc",
        "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "npm" + "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
        webToken,
        "SG" + ".ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr",
        "sk" + "-proj-abcdEFGH1234ijklMNOP5678",
        "sk" + "-0123456789abcdef0123456789abcdef",
        "hvs" + ".CAESIJ0123456789abcdefghijkl",
    ]

    private static let wrappings: [@Sendable (String) -> String] = [
        { $0 }, { "Token \($0)" }, { "key=\($0)&x=1" }, { #"{"escaped": "\#\n\#($0)\#\n"}"# }, { "<\($0)>" },
        { "a/\($0)/b" },
        { "a%2F\($0)%2Fb" }, { "\u{feff}\($0)" },
    ]

    @Test(arguments: keys)
    func `a key is found in the path, the query, a field and the body, and by its name there`(key: String) {
        let scan = SecretScan(RecordingRules())
        #expect(scan.places(in: archive(url: "https://a.example/v1/\(key)/b")) == ["entries[0].request.url"])
        #expect(scan.places(in: archive(url: "https://a.example/v1%2F\(key)%2Fb")) == ["entries[0].request.url"])
        #expect(scan.places(in: archive(url: "https://a.example/bot-\(key)")) == ["entries[0].request.url"])
        #expect(
            scan.places(in: archive(url: "https://a.example/?x=\(key)&y=1"))
                == ["entries[0].request.url", "entries[0].request.queryString[x]"]
        )
        #expect(
            scan.places(in: archive([HAR.Field("X-Own", "id=\(key);v=1")]))
                == ["entries[0].request.headers[X-Own]", "entries[0].response.headers[X-Own]"]
        )
        let members = ["entries[0].request.postData.text $.a", "entries[0].response.content.text $.a"]
        #expect(scan.places(in: archive(body: #"{"a": "x/\#(key)/y"}"#)) == members)
        let texts = ["entries[0].request.postData.text", "entries[0].response.content.text"]
        #expect(scan.places(in: archive(body: "a=1&b=x%2F\(key)")) == texts)
        #expect(scan.places(in: archive(body: "<a>\(key)</a>")) == texts)
        for wrap in Self.wrappings {
            #expect(scan.holdsSecret(wrap(key)), "\(wrap(key))")
        }
    }

    @Test(arguments: keys)
    func `a key in place of a name is found, and its place does not show it`(key: String) throws {
        let found = archive(url: "https://a.example/?\(key)=1", body: #"{"\#(key)": 1}"#)
        let places = SecretScan(RecordingRules()).places(in: found)
        #expect(
            places == [
                "entries[0].request.url", "entries[0].request.queryString[<redacted>]",
                "entries[0].request.postData.text $.<redacted>", "entries[0].response.content.text $.<redacted>",
            ]
        )
    }

    @Test(arguments: keys)
    func `a recording with a key in a path is not written`(key: String) async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("scan-\(UUID().uuidString).har")
        defer { try? FileManager.default.removeItem(at: file) }
        let client = StubbedClient(answering: .text("7"))
        let recorder = HARRecorder()
        _ = try await recorder.record {
            try await client.manager.request(Int.self).endpoint("/hooks/{key}").parameter("key", key).send()
        }
        let error = #expect(throws: RestClientError.self) { try recorder.write(to: file) }
        #expect(error?.code == .secretInRecording)
        #expect(error?.description.contains(key) == false)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test
    func `a declared credential is masked even where all fields are allowed`() async throws {
        let badge = try #require(HTTPField.Name("X-Badge"))
        var rules = RecordingRules()
        rules.headers = .all
        let recorder = HARRecorder(rules: rules)
        let node = StubbedClient(answering: .text("7")).manager.request(Int.self).endpoint("/a").header(badge, "s3cret")
        try await recorder.record {
            _ = try await node.send()
            _ = try await node.credentialFields(badge).send()
        }
        let values = recorder.archive.entries.map { entry in
            entry.request.headers.first { $0.name == "X-Badge" }?.value
        }
        #expect(values == ["s3cret", "<redacted>"])
    }

    @Test(arguments: [
        "/articles/sk-hynix-reports-record-earnings", "/articles/sk-hynix-reports-record-earnings-in-2026",
        "/task-sk/disk-images-of-the-machine", "npm_config_registry_of_the_machine_2",
        "/npm/pypi-packages-and-their-owners",
        "AKIAH", "/search/SG.html", "key-value-stores-and-their-many-uses", "/eyJust.a.word",
        "/repos/ghp/contents", "Akiabcdefghijklmnopqrst", "AIzaak",
        "0bAKIAABCDEFGHIJ234567", "AKIAabcdefghijklmnop1234",
    ])
    func `a word that only begins like a key is not found`(text: String) {
        #expect(!SecretScan(RecordingRules()).holdsSecret(text))
    }

    @Test
    func `a key in bytes that are not text is found`() {
        var found = archive()
        found.entries[0].response.body = HAR.Body(Data([0xFF, 0xFE]) + Data(Self.keys[0].utf8))
        #expect(SecretScan(RecordingRules()).places(in: found) == ["entries[0].response.content.text"])
    }

    /// The text after each of the prefixes could be a key up to its end: a search from every one of them to there would
    /// read 20 billion bytes.
    @Test(.timeLimit(.minutes(5)), arguments: ["-sk", "-eyJ", "-pypi"])
    func `a text full of prefixes is searched in one pass`(prefix: String) {
        let text = String(repeating: prefix, count: 400_000 / prefix.utf8.count) + "-"

        #expect(!SecretScan(RecordingRules()).holdsSecret(text))
        #expect(SecretScan(RecordingRules()).holdsSecret(text + " " + Self.key))
    }

    // MARK: - Places

    @Test
    func `the places are named, the values are not`() {
        let scan = SecretScan(RecordingRules())
        let found = archive(
            url: "https://a.example/?x=\(Self.webToken)",
            [HAR.Field("X-Own", "Bearer abcdefgh")],
            body: #"{"list": [{"a": "\#(Self.key)"}], "b": 1}"#
        )

        #expect(
            scan.places(in: found) == [
                "entries[0].request.url", "entries[0].request.queryString[x]", "entries[0].request.headers[X-Own]",
                "entries[0].request.postData.text $.list[0].a", "entries[0].response.headers[X-Own]",
                "entries[0].response.content.text $.list[0].a",
            ]
        )
        let error = #expect(throws: RestClientError.self) { try RecordingRules().check(found) }
        #expect(error?.code == .secretInRecording)
        #expect(error?.description.contains("entries[0].request.url") == true)
        #expect(error?.description.contains(Self.key) == false)
    }

    @Test
    func `a value that was reviewed passes`() throws {
        var rules = RecordingRules()
        rules.harmlessValues = [Self.key]

        #expect(throws: Never.self) { try rules.check(archive(body: #"{"a": "\#(Self.key)"}"#)) }
    }
}
