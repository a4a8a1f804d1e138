// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording

@Suite
struct HARTests {
    private static let entry = HAR.Entry(
        startedAt: Date(timeIntervalSince1970: 1_795_251_600.25),
        request: HAR.Request(
            method: "POST",
            url: "https://api.example.com/orders?page=2&q=a%20b",
            headers: [HAR.Field("Content-Type", "application/json")],
            body: HAR.Body(Data(#"{"id":7}"#.utf8), mimeType: "application/json")
        ),
        response: HAR.Response(
            status: 201,
            statusText: "Created",
            headers: [HAR.Field("Location", "/orders/7"), HAR.Field("X-Mark", "1"), HAR.Field("X-Mark", "2")],
            body: HAR.Body(Data([0xFF, 0x00, 0x7F]), mimeType: "application/octet-stream")
        ),
        timings: HAR.Timings(blocked: 0.5, connect: 3, send: 1, wait: 20.25, receive: 2)
    )

    private func read(_ json: String) throws -> HAR {
        try HAR(data: Data(json.utf8))
    }

    private func archive(_ entries: String) -> String {
        #"{"log": {"version": "1.2", "creator": {"name": "t", "version": "1"}, "entries": ["# + entries + "]}}"
    }

    @Test
    func `an archive that was written is read as the same one`() throws {
        let archive = HAR(entries: [Self.entry])

        #expect(try HAR(data: archive.data()) == archive)
    }

    @Test
    func `a time does not wander, however often its archive is read and written`() throws {
        for millisecond in 0..<1_000 {
            var entry = Self.entry
            let digits = "\(1_000 + millisecond)".dropFirst()
            entry.startedAt = try #require(HAR.Entry.date("2026-11-23T08:00:00.\(digits)Z"))
            let first = try HAR(entries: [entry]).data()

            let third = try HAR(data: HAR(data: first).data()).data()

            #expect(String(decoding: third, as: UTF8.self).contains("08:00:00.\(digits)Z"))
        }
    }

    @Test
    func `the form is the one of the format`() throws {
        #expect(
            String(decoding: try HAR(entries: [Self.entry]).data(), as: UTF8.self) == """
                {
                  "log" : {
                    "creator" : {
                      "name" : "swift-rest-client",
                      "version" : "1"
                    },
                    "entries" : [
                      {
                        "cache" : {

                        },
                        "request" : {
                          "bodySize" : 8,
                          "cookies" : [

                          ],
                          "headers" : [
                            {
                              "name" : "Content-Type",
                              "value" : "application/json"
                            }
                          ],
                          "headersSize" : -1,
                          "httpVersion" : "HTTP/1.1",
                          "method" : "POST",
                          "postData" : {
                            "mimeType" : "application/json",
                            "params" : [

                            ],
                            "text" : "{\\"id\\":7}"
                          },
                          "queryString" : [
                            {
                              "name" : "page",
                              "value" : "2"
                            },
                            {
                              "name" : "q",
                              "value" : "a b"
                            }
                          ],
                          "url" : "https://api.example.com/orders?page=2&q=a%20b"
                        },
                        "response" : {
                          "bodySize" : -1,
                          "content" : {
                            "encoding" : "base64",
                            "mimeType" : "application/octet-stream",
                            "size" : 3,
                            "text" : "/wB/"
                          },
                          "cookies" : [

                          ],
                          "headers" : [
                            {
                              "name" : "Location",
                              "value" : "/orders/7"
                            },
                            {
                              "name" : "X-Mark",
                              "value" : "1"
                            },
                            {
                              "name" : "X-Mark",
                              "value" : "2"
                            }
                          ],
                          "headersSize" : -1,
                          "httpVersion" : "HTTP/1.1",
                          "redirectURL" : "/orders/7",
                          "status" : 201,
                          "statusText" : "Created"
                        },
                        "startedDateTime" : "2026-11-21T09:00:00.250Z",
                        "time" : 26.75,
                        "timings" : {
                          "blocked" : 0.5,
                          "connect" : 3,
                          "dns" : -1,
                          "receive" : 2,
                          "send" : 1,
                          "ssl" : -1,
                          "wait" : 20.25
                        }
                      }
                    ],
                    "version" : "1.2"
                  }
                }
                """
        )
    }

    @Test
    func `an archive of a browser is read, and its own members are ignored`() throws {
        let har = try read(
            """
            \u{FEFF}{"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"},
            "pages": [{"id": "page_1", "title": "x", "startedDateTime": "2026-01-02T03:04:05.678Z",
            "pageTimings": {"onLoad": null}}], "entries": [{"_initiator": {"type": "script"}, "_priority": "High",
            "pageref": "page_1", "startedDateTime": "2026-01-02T03:04:05.678Z", "time": 12.3, "connection": "443",
            "serverIPAddress": "[::1]", "cache": {}, "request": {"method": "POST", "url": "https://a.example/b",
            "httpVersion": "h3", "headers": [{"name": ":authority", "value": "a.example"}], "queryString": [],
            "cookies": [], "headersSize": -1, "bodySize": 3, "postData": {"mimeType":
            "application/x-www-form-urlencoded", "params": [{"name": "a b", "value": "1&2"}, {"name": "c"}]}},
            "response": {"status": 200, "statusText": "", "httpVersion": "h3", "headers": [], "cookies": [],
            "content": {"size": 4, "mimeType": "text/plain", "text": "aGkh", "encoding": "base64"}, "redirectURL": "",
            "headersSize": -1, "bodySize": -1, "_transferSize": 99, "_error": null},
            "timings": {"blocked": -1, "dns": 1.5, "connect": 4, "ssl": 2, "send": 0.1, "wait": 5, "receive": 1,
            "_blocked_queueing": 0.2}}]}}
            """
        )

        let entry = try #require(har.entries.first)
        #expect(har.creator.name == "WebInspector")
        #expect(abs(entry.startedAt.timeIntervalSince1970 - 1_767_323_045.678) < 0.000_01)
        #expect(
            entry.request.body == HAR.Body(Data("a%20b=1%262&c=".utf8), mimeType: "application/x-www-form-urlencoded")
        )
        #expect(entry.response.body.text == "hi!")
        #expect(entry.timings == HAR.Timings(dns: 1.5, connect: 4, send: 0.1, wait: 5, receive: 1, ssl: 2))
        #expect(try entry.response.rawResponse().source == .dummy)
        #expect(entry.request.transportRequest?.headers.isEmpty == true)
    }

    @Test
    func `missing members are empty`() throws {
        let har = try read(
            archive(
                """
                {"startedDateTime": "2026-01-02T03:04:05Z", "request": {"method": "GET", "url": "https://a.example/"},
                 "response": {"status": 0}}
                """
            )
        )

        let entry = try #require(har.entries.first)
        #expect(entry.request.headers.isEmpty && entry.request.body == nil)
        #expect(entry.response.body == HAR.Body())
        #expect(throws: RestClientError.self) { try entry.response.rawResponse() }
    }

    @Test(arguments: [
        ("2026-01-02T03:04:05Z", 1_767_323_045.0), ("2026-01-02T03:04:05.1234567Z", 1_767_323_045.1234567),
        ("2026-01-02T05:04:05.5+02:00", 1_767_323_045.5), ("2026-01-01T22:04:05-0500", 1_767_323_045.0),
    ])
    func `dates are read as tools write them`(text: String, seconds: Double) throws {
        let date = try #require(HAR.Entry.date(text))

        #expect(abs(date.timeIntervalSince1970 - seconds) < 0.000_01)
    }

    @Test(arguments: ["", "not json", "{}", #"{"log": {}}"#, #"{"log": {"entries": [{}]}}"#, "[]", "null"])
    func `input that is not an archive is refused with its code`(json: String) {
        let error = #expect(throws: RestClientError.self) { try read(json) }

        #expect(error?.code == .invalidRecording)
    }

    @Test
    func `a file that was cut anywhere is refused, and never half read`() throws {
        let whole = try HAR(entries: [Self.entry]).data()

        for length in stride(from: 0, to: whole.count - 1, by: 7) {
            let error = #expect(throws: RestClientError.self) { try HAR(data: whole.prefix(length)) }
            #expect(error?.code == .invalidRecording)
        }
    }

    @Test
    func `the message names the place, not the value`() {
        let error = #expect(throws: RestClientError.self) {
            try read(archive(#"{"startedDateTime": "tops3cret", "request": {}, "response": {}}"#))
        }

        #expect(error?.message.contains("startedDateTime") == true)
        #expect(error?.description.contains("tops3cret") == false)
    }

    @Test
    func `bytes of a field that are not UTF-8 come back`() throws {
        let field = HTTPField(name: .eTag, value: [0x22, 0xE9, 0x22] as [UInt8])
        var written = Self.entry
        written.response = HAR.Response(RawResponse(headers: HTTPFields([field])))

        let entry = try #require(try HAR(data: HAR(entries: [written]).data()).entries.first)

        #expect(try entry.response.rawResponse().headers == HTTPFields([field]))
    }

    @Test
    func `a file that is not there is named`() {
        let error = #expect(throws: RestClientError.self) { try HAR(file: URL(filePath: "nowhere/orders.har")) }

        #expect(error?.code == .invalidRecording)
        #expect(error?.message.contains("nowhere/orders.har") == true)
    }
}
