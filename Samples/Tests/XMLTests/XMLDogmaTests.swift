// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import RestClientXML
import Testing

/// The dogma for XML, which is behind a trait that this package enables.
@Suite
struct XMLDogmaTests {
    struct Order: Codable, Sendable, Equatable {
        var orderID: Int
        var placedAt: Date
        var note: String?
        var line: [Line]
    }

    struct Line: Codable, Sendable, Equatable {
        var article: String
        var count: Int
    }

    private static let order = Order(
        orderID: 7,
        placedAt: Date(timeIntervalSince1970: 1_772_368_200),
        note: "less & <more>",
        line: [Line(article: "pen", count: 2), Line(article: "ink", count: 1)]
    )

    private let manager = RestClientManager()

    init() {
        manager.servers["legacy"] = "https://legacy.example.com"
        manager.defaultServer = "legacy"
        manager.dogmas["xml"] = XMLDogma()
        manager.options = manager.options.dogma("xml")
        manager.dummies.mode = .strict
    }

    /// Lets a dummy respond with a text.
    private func respond(_ text: String, _ contentType: String = "application/xml", status: Int = 200) {
        manager.dummies.register(.get, "/order") { _ in
            .bytes(text.utf8, contentType: contentType, status: .init(code: status))
        }
    }

    private func failure<Model: Decodable & Sendable>(_ type: Model.Type) async -> RestClientError? {
        await #expect(throws: RestClientError.self) {
            try await manager.request(type).endpoint("/order").send()
        }
    }

    // MARK: - Models

    @Test(arguments: [
        ("", "application/xml; charset=iso-8859-1"),
        (#"<?xml version="1.0" encoding="UTF-8"?>"#, "text/xml; charset=latin1"),
        (#"<?xml version="1.0" encoding="ISO-8859-1"?>"#, "application/xml"),
    ])
    func `the charset of a response counts more than what its document declares`(
        declaration: String,
        contentType: String
    ) async throws {
        let head = Array((declaration + "<line><article>caf").utf8)
        let bytes = head + [0xE9] + Array("</article><count>1</count></line>".utf8)
        manager.dummies.register(.get, "/order") { _ in .bytes(bytes, contentType: contentType) }

        let line = try await manager.request(Line.self).endpoint("/order").send()

        #expect(line == Line(article: "café", count: 1))
    }

    @Test(arguments: ["application/xml", "text/xml; charset=utf-8", "application/vnd.example+xml", "text/plain"])
    func `a response is decoded from elements`(contentType: String) async throws {
        respond(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- An order. -->
            <order>
              <orderID>7</orderID><placedAt>2026-03-01T12:30:00Z</placedAt><note>less &amp; &lt;more&#62;</note>
              <line><article>pen</article><count>2</count></line>
              <line><article><![CDATA[ink]]></article><count>1</count></line>
            </order>
            """,
            contentType
        )
        let order = try await manager.request(Order.self).endpoint("/order").send()

        #expect(order == Self.order)
    }

    @Test
    func `a request is encoded as elements, and says that it is XML`() async throws {
        manager.dummies.register(.post, "/order") { request in
            .json([
                "body": String(decoding: request.body ?? Data(), as: UTF8.self),
                "type": request.headers[.contentType] ?? "", "accept": request.headers[.accept] ?? "",
            ])
        }
        let echo = try await manager.request(Data.self).method(.post).endpoint("/order")
            .body(Line(article: "a < b", count: 2)).send()
        let sent = try JSONDecoder().decode([String: String].self, from: echo)

        #expect(sent["body"]?.hasSuffix("<Line><article>a &lt; b</article><count>2</count></Line>") == true)
        #expect(sent["type"] == "application/xml")
        // No dogma decodes the bytes of a response.
        #expect(sent["accept"] == "*/*")
    }

    @Test
    func `what is encoded decodes to the same model`() async throws {
        let api: APIAlias<Order> = "order"
        manager.apis[api] = API(.get, "/order")
        manager.dogmas["xml"] = XMLDogma(rootElement: "order")
        manager.dummies.register(Dummy(api, responding: Self.order))
        let order = try await manager.request(api).send()

        #expect(order == Self.order)
    }

    @Test
    func `spaces between references are kept`() async throws {
        respond("<a><b> &lt;i&gt; &amp;\n&quot;x&quot; </b></a>")
        let found = try await manager.request([String: String].self).endpoint("/order").send()

        #expect(found == ["b": " <i> &\n\"x\" "])
    }

    @Test
    func `names and dates follow the strategies of the call`() async throws {
        respond("<o><order_id>7</order_id><placed_at>1772368200</placed_at></o>")
        struct Placed: Codable, Sendable {
            var orderId: Int
            var placedAt: Date
        }
        let placed = try await manager.request(Placed.self).endpoint("/order")
            .coding(keys: .snakeCase, dates: .secondsSince1970).send()

        #expect(placed.orderId == 7)
        #expect(placed.placedAt == Self.order.placedAt)
    }

    @Test
    func `dates may be texts in a format of the call`() async throws {
        let day = DateStrategy.text { _ in
            "first of March"
        } parse: { text in
            text == "first of March" ? Self.order.placedAt : nil
        }
        struct Day: Codable, Sendable { var day: Date }
        respond("<o><day>first of March</day></o>")
        let found = try await manager.request(Day.self).endpoint("/order").coding(dates: day).send()
        #expect(found.day == Self.order.placedAt)

        respond("<o><day>tomorrow</day></o>")
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request(Day.self).endpoint("/order").coding(dates: day).send()
        }
        #expect(error?.code == .decodingFailed)
    }

    @Test
    func `the body of an error is decoded too`() async {
        struct Problem: Decodable { var code: Int }
        respond("<problem><code>17</code></problem>", status: 409)
        let error = await failure(Order.self)

        #expect(error?.code == .unacceptableStatus)
        #expect(error?.decodedBody(as: Problem.self)?.code == 17)
    }

    // MARK: - What cannot be XML

    @Test(arguments: ["<a><b>1</b>", "<a><b>1</a></b>", "<a/><a/>", "<a></a></a>", "", "hello", "<a b='1", "<a b=1/>"])
    func `a document that is not one complete element is an error`(text: String) async {
        respond(text)
        let error = await failure([String: String].self)

        #expect(error?.code == .decodingFailed)
    }

    @Test(arguments: ["application/json", "text/html; charset=utf-8", "application/problem+json"])
    func `a response of another media type is an error that names it`(contentType: String) async {
        respond("<a><b>1</b></a>", contentType)
        let error = await failure([String: String].self)

        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains("not XML") == true)
    }

    @Test
    func `a model that XML cannot represent is an error`() async {
        for node in [
            manager.request().body(7),
            manager.request().values(["a><b": 1]),
            manager.request().body(Line(article: "\u{1}", count: 1)),
        ] {
            let error = await #expect(throws: RestClientError.self) {
                try await node.method(.post).endpoint("/order").send()
            }
            #expect(error?.code == .encodingFailed)
        }
    }
}
