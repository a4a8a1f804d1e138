// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording

@Suite struct SecretScanTests {
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
