// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording

@Suite
struct RecordingRulesTests {
    private func entry(
        url: String = "https://api.example.com/a",
        headers: [HAR.Field] = [],
        type: String = "application/json",
        body: String
    ) -> HAR.Entry {
        HAR.Entry(
            startedAt: Date(timeIntervalSince1970: 0),
            request: HAR.Request(method: "GET", url: url, headers: headers),
            response: HAR.Response(status: 200, headers: headers, body: HAR.Body(Data(body.utf8), mimeType: type))
        )
    }

    private func body(_ body: String, type: String = "application/json", _ rules: RecordingRules) -> String? {
        rules.masked(entry(type: type, body: body)).response.body.text
    }

    @Test
    func `by default only harmless header fields are written down`() {
        let masked = RecordingRules()
            .masked(
                entry(
                    url: "https://user:secret@api.example.com/a?page=2&flag&token=x#frag",
                    headers: [
                        HAR.Field("Authorization", "Bearer x"), HAR.Field("ETag", "\"1\""), HAR.Field("X-Own", "x"),
                        HAR.Field("Location", "/b?token=x"),
                    ],
                    body: #"{"a": "x", "b": 7, "c": 1.25, "d": true, "e": null, "f": [{"a": "y"}, "z"]}"#
                )
            )

        #expect(
            masked.request.url
                == "https://<redacted>@api.example.com/a?page=%3Credacted%3E&%3Credacted%3E&token=%3Credacted%3E"
        )
        #expect(
            masked.request.headers.map(\.value) == ["<redacted>", "\"1\"", "<redacted>", "/b?token=%3Credacted%3E"]
        )
        #expect(
            masked.response.body.text
                == #"{"a":"<redacted>","b":0,"c":0.5,"d":false,"e":null,"f":[{"a":"<redacted>"},"<redacted>"]}"#
        )
    }

    @Test
    func `allowed values are recorded as they are`() {
        var rules = RecordingRules()
        rules.bodyFields = .only(["ID", "items"])
        rules.query = .only(["page"])

        #expect(
            body(#"{"id": 7, "name": "x", "items": [1, {"id": 2}]}"#, rules)
                == #"{"id":7,"items":[1,{"id":2}],"name":"<redacted>"}"#
        )
        #expect(rules.masked(url: "https://a.example/?page=2&x=1") == "https://a.example/?page=2&x=%3Credacted%3E")
    }

    @Test
    func `all allows all names but those that look like secrets`() {
        var rules = RecordingRules()
        rules.bodyFields = .all
        rules.headers = .all

        #expect(
            body(#"{"id":7,"access_token":"x","nested":{"password":"y"}}"#, rules)
                == #"{"access_token":"<redacted>","id":7,"nested":{"password":"<redacted>"}}"#
        )
        #expect(
            body(#"{ "b" : 1.50, "a" : 12345678901234567890 }"#, rules)
                == #"{ "b" : 1.50, "a" : 12345678901234567890 }"#
        )
        let masked = rules.masked(entry(headers: [HAR.Field("Set-Cookie", "x"), HAR.Field("X-Own", "y")], body: ""))
        #expect(masked.request.headers.map(\.value) == ["<redacted>", "y"])
    }

    @Test(arguments: [
        "Authorization", "Cookie", "Ocp-Apim-Subscription-Key", "X-Functions-Key", "DD-APPLICATION-KEY", "X-Master-Key",
        "DPoP", "dpop", "X-Auth-Email", "WWW-Authenticate", "X-Hub-Signature-256",
    ])
    func `all allows no header field that holds a credential, and a list of names does`(name: String) {
        var rules = RecordingRules()
        rules.headers = .all
        let entry = entry(headers: [HAR.Field(name, "0123456789abcdef0123456789abcdef")], body: "")
        let masked = rules.masked(entry)

        #expect(masked.request.headers.map(\.value) == ["<redacted>"])
        #expect(masked.response.headers.map(\.value) == ["<redacted>"])
        rules.headers = .only([name])
        #expect(rules.masked(entry) == entry)
    }

    @Test(arguments: [RecordingRules.Allowance.all, .only(["link", "location", "content-location", "referer"])])
    func `URLs in allowed header fields are masked like the request's`(headers: RecordingRules.Allowance) {
        var rules = RecordingRules()
        rules.headers = headers
        rules.query = .only(["page"])
        let url = "https://kim:s3cret@a.example/?page=2&key=s3cret#s3cret"
        let names = ["Location", "content-location", "Referer"]
        let link = "<\(url)>; rel=\"next\", </b?page=3>; title=\"a, b\"; anchor=\"https://a.example/?sig=s3cret\""
        let fields = names.map { HAR.Field($0, url) } + [HAR.Field("Link", link)]

        let once = rules.masked(entry(headers: fields, body: ""))

        let masked = "https://<redacted>@a.example/?page=2&key=%3Credacted%3E"
        let values = once.response.headers.map(\.value)
        #expect(values.dropLast() == [masked, masked, masked])
        let target = masked.replacing("<redacted>", with: "%3Credacted%3E")
        #expect(values.last?.hasPrefix("<\(target)>; rel=\"next\", </b?page=3>; title=\"a, b\"; anchor=") == true)
        #expect(!"\(values)".contains("s3cret"))
        #expect(once.request.headers == once.response.headers)
        #expect(rules.masked(once) == once)
    }

    @Test(arguments: [
        ("page=2&\u{301}token=s3cret", "page=2&\u{301}token=%3Credacted%3E"),
        ("page=2&token=\u{301}s3cret", "page=2&token=%3Credacted%3E"),
        ("\u{301}token=s3cret&page=2", "\u{301}token=%3Credacted%3E&page=2"),
    ])
    func `a combining mark hides no separator of a form or a query`(items: String, masked: String) {
        var rules = RecordingRules()
        rules.query = .only(["page"])

        // A form has no such bytes, so that what calls itself one is something else.
        #expect(body(items, type: "application/x-www-form-urlencoded", rules) == "<redacted>")
        #expect(rules.masked(url: "https://a.example/?\(items)#\u{301}s3cret") == "https://a.example/?\(masked)")
    }

    @Test
    func `a combining mark hides no target of a link`() {
        var rules = RecordingRules()
        rules.headers = .only(["link"])
        let link = "<https://a.example/>; rel=a, <\u{301}/b?page=s3cret>; rel=b"

        let masked = rules.masked(entry(headers: [HAR.Field("Link", link)], body: "")).response.headers

        let shown = "<https://a.example/>; rel=a, <\u{301}/b?page=%3Credacted%3E>; rel=b"
        #expect(masked == [HAR.Field("Link", shown)])
    }

    @Test(arguments: ["subscription-key", "access_key", "privateKey", "client_assertion", "passphrase", "pwd"])
    func `names of keys and passwords are masked in queries, forms and JSON where all names are allowed`(name: String) {
        var rules = RecordingRules()
        rules.query = .all
        rules.bodyFields = .all

        #expect(rules.masked(url: "/?\(name)=s3cret&page=2") == "/?\(name)=%3Credacted%3E&page=2")
        #expect(body(#"{"\#(name)":"s3cret"}"#, rules) == #"{"\#(name)":"<redacted>"}"#)
        #expect(
            body("\(name)=s3cret&a=1", type: "application/x-www-form-urlencoded", rules)
                == "\(name)=%3Credacted%3E&a=1"
        )
        #expect(rules.masked(url: "/?primary_key=7&monkey=8") == "/?primary_key=7&monkey=8")
    }

    @Test
    func `bodies of other types are masked whole, unless allowed`() {
        var rules = RecordingRules()

        #expect(body("hello", type: "text/plain", rules) == "<redacted>")
        #expect(
            body("a=1&b=2", type: "application/x-www-form-urlencoded; charset=utf-8", rules)
                == "a=%3Credacted%3E&b=%3Credacted%3E"
        )
        rules.allowsOtherBodies = true
        #expect(body("hello", type: "text/plain", rules) == "hello")
        #expect(body("", type: "text/plain", rules) == "")
    }

    @Test(arguments: [
        #"{"a": [1, 2.5, "x", {"token": true}]}"#, "plain", "a=1&b", "7", "", #""text""#, "{broken",
    ])
    func `masking again changes nothing`(text: String) {
        let rules = RecordingRules()
        let once = rules.masked(entry(url: "https://u:p@a.example/?a=1", headers: [HAR.Field("X", "y")], body: text))

        #expect(rules.masked(once) == once)
    }

    // MARK: - Secrets within what is allowed

    @Test(arguments: [
        ("/app;jsessionid=s3cret/a?page=1", "/app;jsessionid=MASK/a?page=1"),
        ("/app%3Bsid%3Ds3cret/a", "/MASK/a"),
        ("/?next=/cb?token=s3cret&page=2", "/?next=/cb?token=MASK&page=2"),
        ("/?next=%2Fcb%3Ftoken%3Ds3cret&page=2", "/?next=MASK&page=2"),
        ("/?next=https://kim:s3cret@b/&page=2", "/?next=https://MASK@b/&page=2"),
        (#"/?next={"token":"s3cret"}&page=2"#, "/?next=MASK&page=2"),
        ("/?page=2;token=s3cret&next=x", "/?page=2;token=MASK&next=x"),
        ("/?https://kim:s3cret@b/?page=2&page=3", "/?MASK&page=3"),
        ("/?sessiontoken&page=2", "/?MASK&page=2"), ("/?s3cret", "/?MASK"), ("/?s3cret=1&page", "/?s3cret=MASK&page"),
        ("/?page=2&&next=/a?x=1", "/?page=2&&next=/a?x=1"), ("/?", "/?"), ("/a", "/a"),
    ])
    func `an item is shown only if its name is allowed, and then without the secrets in it`(
        path: String,
        masked: String
    ) {
        var rules = RecordingRules()
        rules.query = .only(["page", "next"])
        let shown = "https://a.example" + masked.replacing("MASK", with: "%3Credacted%3E")

        #expect(rules.masked(url: "https://a.example\(path)") == shown)
        #expect(rules.masked(url: shown) == shown)
    }

    @Test
    func `all shows no item that descriptions mask`() {
        var rules = RecordingRules()
        rules.query = .all
        for query in [
            "code=x&state=s3cret", "a;sid=s3cret", "sid%3Ds3cret", "next=%2F%3Fpin%3Ds3cret", "x=1,otp=s3cret",
        ] {
            let url = "https://a.example/?\(query)"
            #expect(!Redaction.url(url).contains("s3cret"), "\(query)")
            #expect(!rules.masked(url: url).contains("s3cret"), "\(query)")
        }
        #expect(rules.masked(url: "https://a.example/?state=open&flag") == "https://a.example/?state=open&flag")
    }

    @Test
    func `requests with masked parts are found again in their recording`() async throws {
        var rules = RecordingRules()
        rules.query = .only(["next", "page"])
        let urls = [
            "https://api.example.com/v1/app;jsessionid=s3cret/a?page=1",
            "https://api.example.com/v1/app?next=/cb?token=s3cret&page=2",
            "https://api.example.com/v1/app?next=%2Fcb%3Ftoken%3Ds3cret&page=3",
            "https://api.example.com/v1/app?s3cret&page=4",
        ]
        func send(_ client: StubbedClient) async throws {
            for url in urls {
                try await client.manager.run(client.manager.request(Void.self).url(url))
            }
        }
        let recorder = HARRecorder(rules: rules)
        try await recorder.record { try await send(StubbedClient(answering: .text("a"))) }
        let data = try recorder.archive.data()
        #expect(!String(decoding: data, as: UTF8.self).contains("s3cret"))

        let replay = HARReplay(try HAR(data: data), rules: rules, order: .strict)
        let offline = StubbedClient()
        try await replay.replay { try await send(offline) }

        #expect(replay.unused.isEmpty)
        #expect(offline.requests.isEmpty)
    }

    @Test
    func `fields, reasons and errors are recorded without the secrets of their items`() {
        var rules = RecordingRules()
        rules.headers = .all
        rules.allowsOtherBodies = true
        var entry = entry(
            headers: [
                HAR.Field("X-Q", "a=1&access_token=s3cret"), HAR.Field("X-Debug", "sid=s3cret; user=1"),
                HAR.Field("X-Next", "https%3A%2F%2Fu:s3cret@h%2F%3Ftoken%3Ds3cret"),
            ],
            body: ""
        )
        entry.response.statusText = "No token=s3cret here"
        entry.response.error = "cut after pin=s3cret"
        entry.webSocketEnd = HAR.WebSocketEnd(code: 1008, reason: "token=s3cret; x=1", isByServer: true)

        let masked = rules.masked(entry)

        let values = ["a=1&access_token=<redacted>", "sid=<redacted>; user=1", "<redacted>"]
        #expect(masked.request.headers.map(\.value) == values)
        #expect(masked.response.headers.map(\.value) == values)
        #expect(masked.response.statusText == "No token=<redacted> here")
        #expect(masked.response.error == "cut after pin=<redacted>")
        #expect(masked.webSocketEnd?.reason == "token=<redacted>; x=1")
        #expect("\(entry.webSocketEnd as Any)".contains("token=<redacted>; x=1"))
        #expect(rules.masked(masked) == masked)
        // A list of names allows even a credential as it is.
        rules.headers = .only(["Set-Cookie"])
        let cookie = HAR.Field("Set-Cookie", "session=s3cret; Path=/")
        #expect(rules.masked(self.entry(headers: [cookie], body: "")).response.headers == [cookie])
    }
}
