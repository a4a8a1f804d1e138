// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClientWebSocket
import RestEssentials
import Testing

@testable import RestClient
@testable import RestClientRecording
@testable import RestClientWebSocket

/// Four times the bytes take at most eight times as long, for everything that reads what others write.
///
/// A synchronous parser holds up a thread of Swift concurrency, and neither a deadline nor a cancellation ends it.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct GrowthTests {
    struct Parser: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let parse: @Sendable (String) -> Void

        init(_ name: String, _ parse: @escaping @Sendable (String) -> Void) {
            testDescription = name
            self.parse = parse
        }
    }

    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// Text that is repeated up to the length of an input.
    ///
    /// Swift sorts the marks of the first two.
    private static let patterns = [
        "\u{315}\u{300}\u{5AE}\u{59A}", "\u{F73}\u{F75}", "\u{1F1E6}", "e\u{301}", ",", ";", "\"", "=", "\\", " ", "/",
        "a", "0", "%cc%95", "a;", "a,", ";title", ";title*=UTF-8''a", "<a>;rel=a,", "a=b;", "\"a\",", "../", "&a=b",
        "://",
        "a.", "{\"a\":", "\n", "data: a\n", "\"key", "-",
    ]

    private static func fields(_ name: String, _ value: String) -> HTTPFields {
        HTTPField.Name(name).map { HTTPFields([HTTPField(name: $0, value: value)]) } ?? [:]
    }

    private static func decode<Model: Decodable>(_ type: Model.Type, _ json: String) {
        let request = DogmaRequest(
            method: .get,
            api: nil,
            server: nil,
            template: "",
            keyStrategy: nil,
            dateStrategy: nil
        )
        _ = try? JSONDogma().decode(type, from: RawResponse(body: Data(json.utf8)), for: request)
    }

    /// Returns a text between the quotation marks of JSON.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\"", "\\":
                escaped += "\\"
                escaped.unicodeScalars.append(scalar)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private struct Model: Decodable {
        enum Kind: String, Decodable { case one, other }

        let kind: Kind?
        let kinds: Set<String>?
        let name: String?
    }

    static let parsers: [Parser] = [
        Parser("Content-Encoding") { _ = try? DecodingPlan([$0], status: 200, hasBody: true) },
        Parser("Set-Cookie name") { text in
            var store = CookieStore(.common)
            if let url = try? HTTPURL("https://example.com/a") {
                for line in [text, text + "=a; Path=/", "a=b;" + text, "a=b; Domain=" + text, "a=b; Expires=" + text] {
                    store.take([line], from: url, at: now)
                }
                _ = try? store.field(for: url, at: now)
            }
        },
        Parser("stored cookies") { text in
            var store = CookieStore(.common)
            let cookies = [
                Cookie(text, "b", domain: "example.com"), Cookie("a", text, domain: "example.com"),
                Cookie("a", "b", domain: text), Cookie("a", "b", domain: "example.com", path: "/" + text),
            ]
            if let url = try? HTTPURL("https://example.com/a") {
                store.set(cookies, at: now)
                store.take(["a=b"], from: url, at: now)
                _ = try? store.field(for: url, at: now)
            }
        },
        Parser("Cache-Control") { text in
            for value in [text, text + "=1", "no-cache=\"" + text + "\"", "max-age=" + text] {
                let control = CacheControl(fields("Cache-Control", value))
                _ = control.seconds(.maxAge)
                _ = control.isUnqualified(.noCache)
                _ = StoredFields.storable(fields("Connection", value), control: control)
            }
        },
        Parser("Vary") { text in
            _ = SelectingFields.names(variedBy: fields("Vary", text))
            _ = SelectingFields.normalized([text], of: "accept")
        },
        Parser("ETag") { text in
            let tag = EntityTag("\"" + text)
            _ = tag.map { tag in EntityTag(text)?.matchesWeakly(tag) }
            let stored = Validators(fields("ETag", text))
            _ = stored.areConfirmed(by: Validators(fields("ETag", text + "a")))
            _ = Preconditions.isKnown(stored, to: fields("If-None-Match", text + "a"), now: now)
        },
        Parser("dates") { text in
            _ = HTTPDate.date(text, now: now)
            _ = CookieDate.date(text[...])
            _ = fields("Retry-After", text).retryDelay(at: now)
        },
        Parser("Content-Range") { text in
            for value in [text, "bytes " + text] {
                _ = ContentRange(value)
                _ = HeldBytes(status: .partialContent, headers: fields("Content-Range", value), count: 1)
            }
        },
        Parser("digests") { _ = DigestField.strongest(in: [$0, "sha-256=" + $0]) },
        Parser("RateLimit") { text in
            for name in ["RateLimit", "RateLimit-Policy", "X-RateLimit-Remaining"] {
                _ = RateHints(status: .init(code: 429), headers: fields(name, text), now: now)
                _ = RateHints(status: .init(code: 429), headers: fields(name, "\"a\";" + text), now: now)
            }
        },
        Parser("Link") { text in
            for line in [text, "<u>" + text, "<u>;" + text, "<u>;rel=\"" + text] {
                _ = WebLink.links(in: [line]).first { $0.hasRelation("next") }
            }
        },
        Parser("Location") { text in
            let base = try? HTTPURL("https://example.com/a")
            for reference in [text, "//" + text, "/" + text, "?" + text] {
                _ = (try? HTTPURL(reference, relativeTo: base))?.textForSending
                _ = Redaction.url(reference)
                _ = Redaction.text("at https://h/?" + reference)
                _ = Redaction.text("token = \"" + reference + "\": " + reference)
                _ = Redaction.links(in: reference, masking: { $0 }, parameters: { $0 })
            }
        },
        Parser("names") { text in
            for name in [text, "key" + text, text + "key", "auth" + text] {
                _ = Credentials.isSecret(name)
                _ = RecordingRules.Allowance.only(["a"]).allows(name)
            }
        },
        Parser("paths and queries") { text in
            _ = PathPattern("/a/{b}").match("/a/" + text)
            _ = PathPattern("/a/b").match("/a/" + text)
            _ = QueryItems.decode(text)
            _ = PercentEncoding.encode(text)
        },
        Parser("multipart") { text in
            _ = try? MultipartForm(Data(text.utf8), contentType: text)
            _ = try? MultipartForm(Data(text.utf8), contentType: "multipart/form-data; boundary=a;" + text)
            let body = "--a\r\nContent-Disposition: form-data;" + text + "\r\n" + text + ": b\r\n\r\n\r\n--a--"
            _ = try? MultipartForm(Data(body.utf8), contentType: "multipart/form-data; boundary=a")
        },
        Parser("events") { text in
            var parser = ServerSentEventParser()
            parser.receive(Data((text + "\n\nid: " + text + "\n" + text + ": a\n\n").utf8))
            while (try? parser.next()) != nil {}
        },
        Parser("JSON keys") { text in
            let key = escaped(text)
            decode([String: Int].self, "{\"\(key)\": 1}")
            decode(Model.self, "{\"\(key)\": 1, \"\(key)a\": 1}")
            decode(JSONValue.self, "{\"\(key)\": 1}")
            _ = try? JSONText.value(of: Data("{\"\(key)\": 1}".utf8))
            _ = Redaction.body(Data("{\"\(key)\": 1}".utf8), contentType: "application/json")
            _ = try? HAR(data: Data("{\"\(key)\": 1}".utf8))
            // A text that this library leaves to Foundation.
            decode([String: Int].self, "\u{FEFF}{\"\(key)\": 1}")
            decode([String: Int].self, "{\"\(key)\": 1,}")
        },
        Parser("JSON texts") { text in
            let value = escaped(text)
            decode(Model.self, "{\"kind\": \"\(value)\", \"kinds\": [\"\(value)\", \"\(value)a\"]}")
            decode(Model.self, "{\"kinds\": [\"\(value)\", \"\(value)a\"], \"name\": \"\(value)\"}")
        },
        Parser("JSON") { decode(JSONValue.self, $0) },
        Parser("handshake") { text in
            for name in ["Upgrade", "Connection", "Sec-WebSocket-Accept", "Sec-WebSocket-Extensions"] {
                var response: HTTPFields = [.upgrade: "websocket", .connection: "upgrade"]
                response[.secWebSocketAccept] = HandshakeRules.accept(for: "k")
                response.append(contentsOf: fields(name, text))
                _ = try? HandshakeRules.check(response, key: "k", offered: ["a"], offersCompression: true)
            }
            _ = try? HandshakeRules.subprotocol(in: fields("Sec-WebSocket-Protocol", text), offered: ["a"])
            _ = try? CompressionTerms(["permessage-deflate;" + text])
        },
        Parser("media types") { text in
            var machine = ReconnectionStateMachine()
            _ = machine.start()
            _ = machine.responded(status: 200, contentType: text, random: 0)
            _ = Redaction.body(Data("a".utf8), contentType: text)
        },
    ]

    private static func time(_ parser: Parser, _ text: String) -> Duration {
        let times = (0..<3)
            .map { _ in
                let start = processorTime
                parser.parse(text)
                return processorTime - start
            }
        return times.min() ?? .zero
    }

    /// The time for which the thread has had a processor: other tests run beside this one.
    private static var processorTime: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    private static func isLinear(_ parser: Parser, _ short: String, _ long: String) -> Bool {
        (0..<8)
            .contains { _ in
                let time = Self.time(parser, long)
                // What is done in a moment says nothing about growth.
                return time < .milliseconds(5) || time < Self.time(parser, short) * 8
            }
    }

    @Test(arguments: parsers)
    func `four times the bytes take at most eight times as long`(parser: Parser) {
        for pattern in Self.patterns {
            let short = String(repeating: pattern, count: 8_000 / pattern.utf8.count)
            let long = String(repeating: pattern, count: 32_000 / pattern.utf8.count)

            #expect(Self.isLinear(parser, short, long), "\(parser.testDescription) of '\(pattern.debugDescription)'")
        }
    }

    /// Cookies beyond the limits, which are those of a few hosts, of a site each, or of one site.
    static let jars: [Parser] = [
        Parser("hosts") { Self.fill(count: $0.utf8.count) { "h\($0 % 5).example" } },
        Parser("sites") { Self.fill(count: $0.utf8.count) { "h\($0).example" } },
        Parser("a site") { Self.fill(count: $0.utf8.count) { "h\($0).one.example" } },
    ]

    private static func fill(count: Int, _ domain: (Int) -> String) {
        var store = CookieStore(.common)
        store.set((0..<count).map { Cookie("n\($0)", "v", domain: domain($0)) }, at: now)
    }

    @Test(arguments: jars)
    func `four times the cookies take at most eight times as long`(jar: Parser) {
        let (short, long) = (String(repeating: "a", count: 8_000), String(repeating: "a", count: 32_000))
        #expect(Self.isLinear(jar, short, long), "\(jar.testDescription)")
    }
}
