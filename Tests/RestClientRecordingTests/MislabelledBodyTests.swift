// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient
@testable import RestClientRecording

/// Bodies that are not what they call themselves.
@Suite
struct MislabelledBodyTests {
    private static let types = [
        "application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=utf-8",
        "application/x-www-form-urlencoded-not", "application/json", "application/problem+json", "text/plain",
        "text/xml", "multipart/form-data; boundary=x", "application/x-ndjson", "application/octet-stream", "",
        "APPLICATION/X-WWW-FORM-URLENCODED", "nonsense",
    ]

    private static let bodies = [
        #"{"password":"hunter2"}"#, #"[{"password":"hunter2"}]"#, #" {"a":{"password":"hunter2"}} "#,
        "opaque-session-hunter2", "hunter2", "aHVudGVy-hunter2==", "user=kim&password=hunter2", "password=hunter2",
        "hunter2&hunter2", "{\"password\":\"hunter2\"}\n{\"password\":\"hunter2\"}\n",
        #"{"password":"hunter2"} x"#, #"{"password":"hunter2"#, "<a password=\"hunter2\">hunter2</a>",
        "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--x--\r\n", "kim:hunter2",
        "password: hunter2=1", "\u{FEFF}{\"password\":\"hunter2\"}", "{password=hunter2}", "hunter2=", "hunter2 = x",
        "password%3Dhunter2", "data: {\"password\":\"hunter2\"}\n\n", "&&hunter2", "\"hunter2\"", "{\"hunter2",
    ]

    @Test(arguments: types)
    func `no body is recorded in clear because of its type`(type: String) {
        for body in Self.bodies {
            let har = HAR.Body(Data(body.utf8), mimeType: type)
            let entry = HAR.Entry(
                startedAt: Date(timeIntervalSince1970: 0),
                request: HAR.Request(method: "POST", url: "https://a.example/", body: har),
                response: HAR.Response(status: 200, body: har)
            )
            let masked = RecordingRules().masked(entry)

            for bytes in [masked.request.body?.bytes, masked.response.body.bytes] {
                let text = String(decoding: bytes ?? Data(), as: UTF8.self)
                #expect(text.firstRange(of: "hunter2") == nil, "\(type): \(body)")
            }
            #expect(RecordingRules().masked(masked) == masked, "\(type): \(body)")
        }
    }

    @Test(arguments: types)
    func `no body is shown by a curl command because of its type`(type: String) {
        for body in Self.bodies {
            let headers: HTTPFields = type.isEmpty ? [:] : [.contentType: type]

            let line = CurlCommand(
                method: .post,
                url: "https://a.example/",
                headers: headers,
                body: .bytes(Data(body.utf8))
            )
            .description

            #expect(type.hasSuffix("json") && body == "\"hunter2\"" || line.firstRange(of: "hunter2") == nil, "\(line)")
        }
    }

    @Test
    func `a form keeps its allowed items, and JSON lines their structure`() {
        var rules = RecordingRules()
        rules.query = .only(["page", "flag"])
        rules.bodyFields = .only(["id"])
        func text(_ body: String, _ type: String) -> String? {
            rules.masked(
                HAR.Entry(
                    startedAt: Date(timeIntervalSince1970: 0),
                    request: HAR.Request(method: "GET", url: "https://a.example/"),
                    response: HAR.Response(status: 200, body: HAR.Body(Data(body.utf8), mimeType: type))
                )
            )
            .response.body.text
        }

        #expect(
            text("page=2&password=x&flag&other", "application/x-www-form-urlencoded")
                == "page=2&password=%3Credacted%3E&flag&%3Credacted%3E"
        )
        #expect(
            text("{\"id\":1,\"a\":\"x\"}\n{\"id\":2}", "application/x-ndjson")
                == "{\"a\":\"<redacted>\",\"id\":1}\n{\"id\":2}"
        )
    }

    @Test
    func `a URL in a field of any name is masked`() {
        var rules = RecordingRules()
        rules.headers = .all
        let entry = HAR.Entry(
            startedAt: Date(timeIntervalSince1970: 0),
            request: HAR.Request(method: "GET", url: "https://a.example/"),
            response: HAR.Response(
                status: 200,
                headers: [
                    HAR.Field("Operation-Location", "https://kim:s3cret@a.example/?x=s3cret"),
                    HAR.Field("X-Note", "see https://a.example/?token=s3cret or /b?sig=s3cret now"),
                    HAR.Field("X-Plain", "a=b; c"),
                ]
            )
        )

        let masked = rules.masked(entry).response.headers.map(\.value)

        #expect(masked[0] == "https://<redacted>@a.example/?x=%3Credacted%3E")
        #expect(masked[1] == "see https://a.example/?token=<redacted> or /b?sig=<redacted> now")
        #expect(masked[2] == "a=b; c")
    }
}
