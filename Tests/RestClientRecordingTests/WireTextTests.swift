// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording

/// The masked text of bodies, whole and cut.
@Suite
struct WireTextTests {
    private static func text(limit: Int = 1_000, _ change: (inout RecordingRules) -> Void = { _ in }) -> WireText {
        var rules = RecordingRules.exceptSecrets
        change(&rules)
        return WireText(rules: rules, showsBodies: true, limit: limit)
    }

    private static let json = "application/json"
    private static let events = "text/event-stream"
    private static let form = "application/x-www-form-urlencoded"

    @Test(arguments: [
        (json, #"{"b":1,"a":[]}"#, "{\n  \"b\": 1,\n  \"a\": []\n}"),
        (json, #"{"password":"s3cret"}"#, "{\n  \"password\": \"<redacted>\"\n}"),
        (
            json, #"{"url":"https://a.example/?token=s3cret"}"#,
            "{\n  \"url\": \"https://a.example/?token=<redacted>\"\n}"
        ),
        ("text/plain", #"[1,2]"#, "[\n  1,\n  2\n]"),
        (json, "{\"a\":1}\n{\"b\":2}", "{\n  \"a\": 1\n}\n{\n  \"b\": 2\n}"),
        (json, "123456", "123456"),
        ("text/plain", "123456", "<redacted>"),
        (form, "page=2&password=s3cret", "page=2&password=%3Credacted%3E"),
        ("text/html", "<p>s3cret</p>", "<redacted>"),
        (json, #"{"password":"s3cret""#, "<redacted>"),
        (json, "", ""),
    ])
    func `a whole body is masked by what it contains`(type: String, body: String, shown: String) {
        #expect(Self.text().body(Data(body.utf8), type: type, isWhole: true) == shown)
    }

    @Test(arguments: [
        (json, #"{"id":7,"password":"s3cr"#, "{\n  \"id\": 7,\n  \"password\": \"<redacted>"),
        (json, #"{"id":7,"passw"#, "{\n  \"id\": 7,\n  \"passw"),
        ("application/x-ndjson", "{\"token\":\"s3cret\"}\n{\"id\":", "{\"token\":\"<redacted>\"}\n{\"id\":"),
        (
            events, "event: order\r\ndata: {\"id\":7,\"token\":\"s3cret\"}\r\n\r\nid: s3cret",
            "event: order\ndata: {\"id\":7,\"token\":\"<redacted>\"}\n\n<redacted>"
        ),
        (events, "data: s3cret\n: s3cret\ndata", "data: <redacted>\n<redacted>\ndata: <redacted>"),
        ("text/plain", "s3cret", "<redacted>"),
    ])
    func `the beginning of a body is masked line by line, or as cut JSON`(type: String, body: String, shown: String) {
        #expect(Self.text().body(Data(body.utf8), type: type, isWhole: false) == shown)
    }

    @Test
    func `rules that allow some names show nothing of JSON that is cut`() {
        let text = Self.text { $0.bodyFields = .only(["id"]) }
        let body = Data(#"{"id":7,"name":"kim"}"#.utf8)

        #expect(text.body(body, type: Self.json, isWhole: true) == "{\n  \"id\": 7,\n  \"name\": \"<redacted>\"\n}")
        #expect(text.body(body.dropLast(), type: Self.json, isWhole: false) == "<redacted>")
    }

    @Test
    func `other bodies are shown if the rules allow them, without what looks like a secret`() {
        let text = Self.text { $0.allowsOtherBodies = true }

        #expect(text.body(Data("page=2, token=s3cret".utf8), type: nil, isWhole: true) == "page=2, token=<redacted>")
        #expect(
            text.body(Data([0xFF, 0xFE, 0x80, 0xC0, 0xFF]), type: nil, isWhole: true) == "<bytes that are not text>"
        )
        #expect(text.body(Data("aä".utf8).dropLast(), type: nil, isWhole: false) == "a")
    }

    @Test
    func `a body beyond what is masked as a whole is shown by its beginning`() {
        let text = Self.text(limit: 20)
        let body = Data((#"{"password":"s3cret","a":""# + String(repeating: "a", count: 1 << 20) + "\"}").utf8)

        #expect(text.body(body, type: Self.json, isWhole: true) == "{\n  \"password\": \"<redacted>\"")
    }

    @Test(arguments: [
        ("[]", "[]"), ("{}", "{}"), ("[[],{}]", "[\n  [],\n  {}\n]"), (#"{"a" : 1}"#, "{\n  \"a\": 1\n}"),
        (#"["a,b:{}\"]"]"#, "[\n  \"a,b:{}\\\"]\"\n]"), (#"["\\",1]"#, "[\n  \"\\\\\",\n  1\n]"),
        ("]]", "\n]\n]"), ("", ""), ("[", "["), ("{\n  \"a\": [\n1 ] }", "{\n  \"a\": [\n    1\n  ]\n}"),
    ])
    func `JSON is indented, whole or not`(json: String, shown: String) {
        #expect(Self.text().indented(json) == shown)
    }

    @Test
    func `deep nesting does not make a text much longer than the limit`() {
        let text = Self.text(limit: 100)

        #expect(text.indented(String(repeating: "[", count: 100_000)).utf8.count < 600)
    }

    @Test
    func `a part of a stream says how much has passed, and why there is no more`() {
        let text = Self.text()
        let bytes = Data("[1]".utf8)
        func shown(_ end: WireText.Part.End?, _ count: Int64 = 3) -> String {
            let part = WireText.Part(bytes: bytes, count: count, end: end)
            return text.part(part, type: Self.json, after: .milliseconds(5), "call-1, attempt 1")
        }
        let body = "\n\n  [\n    1\n  ]\n  "

        #expect(shown(.complete) == "<-- the body ended after 5 ms (call-1, attempt 1)\(body)(3 bytes)")
        #expect(shown(nil, 9) == "<-- the body begins after 5 ms (call-1, attempt 1)\(body)(the first 3 bytes)")
        #expect(
            shown(.failed("it was cut"))
                == "<-- the body broke off: it was cut, after 5 ms (call-1, attempt 1)\(body)(3 bytes)"
        )
        #expect(
            shown(.abandoned)
                == "<-- the body was not read to its end, after 5 ms (call-1, attempt 1)\(body)(3 bytes)"
        )
    }
}
