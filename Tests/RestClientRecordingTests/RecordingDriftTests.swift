// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording

@Suite
struct RecordingDriftTests {
    private func shape(_ json: String) throws -> JSONShape {
        JSONShape(try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)))
    }

    @Test(arguments: [
        (#"{"a": 1}"#, #"{"a": 2.5}"#, []),
        (#"{"a": 1}"#, #"{"a": "x"}"#, ["$.a is string, was number"]),
        (
            #"{"a": 1, "b": 2}"#, #"{"a": 1, "c": {"d": 1}}"#,
            ["$.b is missing, was number", "$.c is new, object", "$.c.d is new, number"]
        ),
        (#"[{"id": 1}, {"id": 2}]"#, #"[{"id": 3}]"#, []),
        (#"[{"id": 1}]"#, #"[]"#, []),
        (#"[{"id": 1}]"#, #"[{"id": 1, "x": []}]"#, ["$[].x is new, array"]),
        (#"{"a": null}"#, #"{"a": {"b": 1}}"#, []),
        (#"{"a": {"b": 1}}"#, #"{"a": null}"#, []),
        (#"{"a": [1, "x"]}"#, #"{"a": [true]}"#, ["$.a[] is boolean, was number or string"]),
        (#"{"a": 1}"#, #"[1]"#, ["$ is array, was object", "$.a is missing, was number", "$[] is new, number"]),
    ])
    func `shapes differ in members and types, not in values`(
        before: String,
        after: String,
        differences: [String]
    ) throws {
        #expect(try shape(before).differences(to: shape(after)) == differences)
    }

    @Test(arguments: [
        ("/?x=%3Credacted%3E&y=1", "/?y=1"), ("/?x=%3Credacted%3E", "/"), ("/a", "/a"),
        ("/?x=%3Credacted%3E&\u{301}y=1", "/?\u{301}y=1"), ("/?\u{301}x=%3Credacted%3E&y=1", "/?y=1"),
        ("/?%3Credacted%3E&y=1", "/?y=1"), ("/?next=/x?token=%3Credacted%3E&y=1", "/?y=1"),
        ("/a;jsessionid=%3Credacted%3E/b?y=1", "/a/b?y=1"), ("/a;v=1;sid=%3Credacted%3E", "/a;v=1"),
    ])
    func `masked items are left out of a URL`(url: String, rest: String) {
        #expect(RecordingDrift.withoutMaskedItems(url) == rest)
    }

    @Test
    func `a response that differs only in values is not a drift`() async throws {
        let client = StubbedClient(
            answering: .text(#"{"id": 9}"#, headers: [.contentType: "application/json", .date: "now"])
        )

        #expect(try await client.manager.recording.drift(of: recording(#"{"id": 7}"#)).isEmpty)
    }

    @Test
    func `status, header fields and shape are compared`() async throws {
        let client = StubbedClient(
            answering: .text(
                #"{"id": "x"}"#,
                .accepted,
                headers: [.contentType: "application/problem+json", .server: "b"]
            )
        )

        let drift = try await client.manager.recording.drift(of: recording(#"{"id": 7}"#, HAR.Field("X-Mark", "1")))

        #expect(
            drift.map(\.description) == [
                """
                GET https://api.example.com/a:
                  status: was 200, is 202
                  header field content-type: was 'application/json', is 'application/problem+json'
                  header field server: is new
                  header field x-mark: is missing
                  body: $.id is string, was number
                """
            ]
        )
    }

    @Test
    func `masked values are not sent, and can be restored`() async throws {
        let client = StubbedClient(answering: .text("{}", headers: [.contentType: "application/json"]))
        var archive = recording("{}")
        archive.entries[0].request.headers = [
            HAR.Field("Authorization", "<redacted>"), HAR.Field("Accept", "application/json"),
        ]
        archive.entries[0].request.url = "https://api.example.com/a?token=%3Credacted%3E&page=2"

        _ = try await client.manager.recording.drift(of: archive) { request in
            request.headers[.userAgent] = "drift"
            request.url += "&token=t"
        }

        #expect(client.requests.first?.headers == [.accept: "application/json", .userAgent: "drift"])
        #expect(client.requests.first?.url == "https://api.example.com/a?page=2&token=t")
    }

    @Test
    func `requests that may change something are left out unless they are wanted`() async throws {
        let client = StubbedClient(answering: .text("{}", headers: [.contentType: "application/json"]))
        var archive = recording("{}")
        archive.entries[0].request.method = "DELETE"

        _ = try await client.manager.recording.drift(of: archive)
        #expect(client.requests.isEmpty)
        _ = try await client.manager.recording.drift(of: archive, includesUnsafe: true)
        #expect(client.requests.map(\.method) == [.delete])
    }

    @Test(arguments: ["QUERY", "SEARCH", "PROPFIND"])
    func `requests with any safe method are sent again`(method: String) async throws {
        let client = StubbedClient(answering: .text("{}", headers: [.contentType: "application/json"]))
        var archive = recording("{}")
        archive.entries[0].request.method = method

        _ = try await client.manager.recording.drift(of: archive)
        #expect(client.requests.map(\.method.rawValue) == [method])
    }

    @Test
    func `a server that does not respond is a difference`() async throws {
        let client = StubbedClient(StubTransport { _ in throw RestClientError(.connectionFailed, "refused") })

        let drift = try await client.manager.recording.drift(of: recording("{}"))

        #expect(drift.first?.differences == ["no response: connectionFailed: refused"])
        #expect(drift.first?.index == 0)
    }

    private func recording(_ body: String, _ fields: HAR.Field...) -> HAR {
        let headers = [HAR.Field("Content-Type", "application/json")] + fields
        return HAR(entries: [
            HAR.Entry(
                startedAt: Date(timeIntervalSince1970: 0),
                request: HAR.Request(method: "GET", url: "https://api.example.com/a"),
                response: HAR.Response(
                    status: 200,
                    headers: headers,
                    body: HAR.Body(Data(body.utf8), mimeType: "application/json")
                )
            )
        ])
    }

    @Test
    func `a server with a pinned key gets no request over a transport that does not check it`() async throws {
        let client = StubbedClient(answering: .text("{}", headers: [.contentType: "application/json"]))
        client.manager.servers["store"] = Server("https://api.example.com")
            .pinnedKeys(["sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="])

        let drift = try await client.manager.recording.drift(of: recording("{}")) { request in
            request.headers[.authorization] = "Bearer t0ken"
        }

        #expect(client.requests.isEmpty)
        #expect(drift.first?.differences.first?.contains("does not check pinned keys") == true)
    }
}
