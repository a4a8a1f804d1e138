// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

@Suite
struct ResponseDecodingTests {
    struct User: Codable, Sendable, Equatable {
        struct Address: Codable, Sendable, Equatable {
            var city: String
        }

        var name: String
        var addresses: [Address] = []
    }

    private func model<Model: Decodable & Sendable>(
        _ type: Model.Type,
        from response: RawResponse
    ) async throws -> Model {
        try await StubbedClient(answering: response).manager.request(type).endpoint("/a").send()
    }

    @Test
    func `JSON is decoded to the model`() async throws {
        let user = try await model(User.self, from: .text(#"{"name":"Kim","addresses":[{"city":"Seoul"}]}"#))
        #expect(user == User(name: "Kim", addresses: [.init(city: "Seoul")]))
    }

    @Test
    func `data is the bytes as they are, whatever the response says`() async throws {
        let json: HTTPFields = [.contentType: "application/json"]
        #expect(try await model(Data.self, from: .text("not JSON")) == Data("not JSON".utf8))
        #expect(try await model(Data.self, from: .text(#""aGk=""#, headers: json)) == Data(#""aGk=""#.utf8))
        #expect(try await model(Data.self, from: .status(.noContent)) == Data())
    }

    @Test(
        arguments: [
            (nil, "plain", "plain"),
            ("text/plain", #""quoted""#, #""quoted""#),
            ("application/json", #""from JSON""#, "from JSON"),
            ("application/problem+JSON", #""from JSON""#, "from JSON"),
            (nil, "", ""),
        ] as [(String?, String, String)]
    )
    func `a string is the text, unless the response says that it is JSON`(
        contentType: String?,
        body: String,
        text: String
    ) async throws {
        var headers: HTTPFields = [:]
        headers[.contentType] = contentType
        #expect(try await model(String.self, from: .text(body, headers: headers)) == text)
    }

    @Test
    func `a string whose bytes are no UTF-8 is an error`() async {
        let bytes = RawResponse(body: Data([0xC3, 0x28]))
        let error = await #expect(throws: RestClientError.self) { try await model(String.self, from: bytes) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.response?.body == Data([0xC3, 0x28]))
    }

    @Test(arguments: [RawResponse.status(.noContent), .status(.ok), .status(.created), .text("no JSON")])
    func `Void takes whatever body there is`(response: RawResponse) async throws {
        try await StubbedClient(answering: response).manager.request(Void.self).endpoint("/a").send()
    }

    @Test
    func `an optional may be empty, and is decoded otherwise`() async throws {
        #expect(try await model(User?.self, from: .status(.noContent)) == nil)
        #expect(try await model(User?.self, from: .status(.ok)) == nil)
        #expect(try await model(User?.self, from: .text(#"{"name":"Kim","addresses":[]}"#)) == User(name: "Kim"))
        #expect(try await model(User?.self, from: .text("null")) == nil)
    }

    @Test(arguments: ["", " ", "\r\n", "\t \u{0B}\u{0C}\n", "\u{FEFF}", "\u{FEFF} \n"])
    func `a blank body is nothing for a dogma, and what it is for others`(body: String) async throws {
        let envelope = StubbedClient(answering: .text(body))
        envelope.manager.dogmas[.json] = EnvelopeDogma()
        let json = RawResponse.text(body, headers: [.contentType: "application/json"])

        #expect(try await model(User?.self, from: .text(body)) == nil)
        #expect(try await model([User]?.self, from: .text(body, .created)) == nil)
        #expect(try await model(String?.self, from: json) == nil)
        #expect(try await envelope.manager.request(User?.self).endpoint("/a").send() == nil)
        try await envelope.manager.request(Void.self).endpoint("/a").send()
        #expect(try await model(Data?.self, from: .text(body)) == (body.isEmpty ? nil : Data(body.utf8)))
        let text = String(body.unicodeScalars.drop { $0 == "\u{FEFF}" })
        #expect(try await model(String?.self, from: .text(body)) == (text.isEmpty ? nil : text))
        let error = await #expect(throws: RestClientError.self) { try await model(User.self, from: .text(body)) }
        #expect(error?.message.contains("its body is empty; use an optional model, or Void") == true)
    }

    @Test
    func `optional data and optional text are taken as they are, too`() async throws {
        #expect(try await model(Data?.self, from: .text("not JSON")) == Data("not JSON".utf8))
        #expect(try await model(String?.self, from: .text("plain")) == "plain")
        #expect(try await model(Data?.self, from: .status(.noContent)) == nil)
        #expect(try await model(String?.self, from: .status(.noContent)) == nil)
    }

    @Test(arguments: [HTTPResponse.Status.noContent, .ok])
    func `an empty body for a model that is not optional says what to do`(status: HTTPResponse.Status) async {
        let error = await #expect(throws: RestClientError.self) { try await model(User.self, from: .status(status)) }
        #expect(error?.code == .decodingFailed)
        #expect(error?.status == status)
        #expect(error?.message.contains("its body is empty; use an optional model, or Void") == true)
        #expect(error?.message.contains("User") == true)
    }

    @Test(arguments: [
        (#"{"addresses":[]}"#, "the member 'name' is missing"),
        (#"{"name":null,"addresses":[]}"#, "is null at name"),
        (#"{"name":"Kim","addresses":[{"city":"a"},{"city":5}]}"#, "a String was expected at addresses[1].city"),
        (#"{"name":"Kim","addresses":[{}]}"#, "the member 'city' is missing at addresses[0]"),
        (#"{"name":"#, "not valid JSON"),
        ("<html>", "not valid JSON"),
    ])
    func `a decoding error names the place and keeps the bytes`(body: String, reason: String) async throws {
        let thrown = await #expect(throws: RestClientError.self) {
            try await model(User.self, from: .text(body, headers: [.eTag: "x"]))
        }
        let error = try #require(thrown)
        #expect(error.code == .decodingFailed)
        #expect(error.message.contains(reason), "\(error.message)")
        #expect(error.response?.body == Data(body.utf8))
        #expect(error.response?.headers[.eTag] == "x")
        #expect(error.status == .ok)
        #expect(error.attempts == 1)
        #expect(error.underlying is DecodingError)
        #expect(error.request?.url == "https://api.example.com/v1/a")
    }

    @Test
    func `a decoding closure replaces the dogma`() async throws {
        let client = StubbedClient(answering: .text("a,b,c"))
        let parts = try await client.manager.request([String].self).endpoint("/a")
            .decode { String(decoding: $0.body, as: UTF8.self).split(separator: ",").map(String.init) }
            .send()
        #expect(parts == ["a", "b", "c"])
    }

    @Test
    func `what a decoding closure throws is kept as the cause`() async {
        struct Unreadable: Error {}
        let client = StubbedClient(answering: .text("x"))
        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.request(Int.self).endpoint("/a").decode { _ in throw Unreadable() }.send()
        }
        #expect(error?.code == .decodingFailed)
        #expect(error?.underlying is Unreadable)
    }

    @Test
    func `a body is decoded only after its status was accepted`() async {
        let client = StubbedClient(answering: .text("{}", .badRequest))
        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.request(User.self).endpoint("/a")
                .decode { _ in
                    Issue.record("a refused response was decoded")
                    return User(name: "")
                }
                .send()
        }
        #expect(error?.code == .unacceptableStatus)
    }

    @Test
    func `two nested types of the same name are told apart`() async throws {
        enum First {
            struct Item: Decodable, Sendable { var id: Int }
        }
        enum Second {
            struct Item: Decodable, Sendable { var name: String }
        }
        let client = StubbedClient(answering: .text(#"{"id":1,"name":"x"}"#))
        async let first = client.manager.request(First.Item.self).endpoint("/a").send()
        async let second = client.manager.request(Second.Item.self).endpoint("/a").send()
        #expect(try await first.id == 1)
        #expect(try await second.name == "x")
    }
}
