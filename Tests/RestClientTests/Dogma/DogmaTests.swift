// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

@Suite
struct DogmaTests {
    struct Event: Codable, Sendable, Equatable {
        var dayOff: Bool
        var startsAt: Date
        var link = "a/b"
    }

    private static let event = Event(dayOff: true, startsAt: Date(timeIntervalSince1970: 0))

    // MARK: - JSON

    @Test
    func `JSON has its members in order, its dates in ISO 8601 and its slashes bare`() async throws {
        let request = try await sent { $0.post().endpoint("/a").body(Self.event) }
        #expect(request.bodyText == #"{"dayOff":true,"link":"a/b","startsAt":"1970-01-01T00:00:00Z"}"#)
    }

    @Test
    func `a configured JSON dogma works in both directions`() async throws {
        let client = StubbedClient(answering: .text(#"{"day_off":false,"starts_at":0,"link":"x"}"#))
        client.manager.dogmas["snake"] = JSONDogma(
            configureEncoder: { encoder in
                encoder.keyEncodingStrategy = .convertToSnakeCase
                encoder.dateEncodingStrategy = .secondsSince1970
            },
            configureDecoder: { decoder in
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                decoder.dateDecodingStrategy = .secondsSince1970
            }
        )
        let event = try await client.manager.request(Event.self).post().endpoint("/a").dogma("snake")
            .body(Self.event).send()
        #expect(client.requests.first?.bodyText == #"{"day_off":true,"link":"a/b","starts_at":0}"#)
        #expect(event == Event(dayOff: false, startsAt: Self.event.startsAt, link: "x"))
    }

    // MARK: - Form

    @Test
    func `a form holds the members of a model, encoded so that they arrive intact`() async throws {
        let request = try await sent { node in
            node.post().endpoint("/a").dogma(.form)
                .values(["b": "x&y=z+1 é", "a": 1, "list": [1, 2], "none": nil as Int?, "o": ["k": true]])
        }
        #expect(request.bodyText == "a=1&b=x%26y%3Dz%2B1%20%C3%A9&list=1&list=2&o%5Bk%5D=true")
        #expect(request.headers[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test
    func `a form takes any model that encodes to an object`() async throws {
        let request = try await sent { $0.post().endpoint("/a").dogma(.form).body(Self.event) }
        #expect(request.bodyText == "dayOff=true&link=a%2Fb&startsAt=1970-01-01T00%3A00%3A00Z")
    }

    @Test
    func `a form dogma of one's own writes lists in its own way`() async throws {
        let client = StubbedClient()
        client.manager.dogmas["php"] = FormDogma(encoding: QueryEncoding(lists: .brackets, bools: .digits))
        let request = try await client.sent { node in
            node.post().endpoint("/a").dogma("php").values(["l": [1, 2], "t": true])
        }
        #expect(request.bodyText == "l%5B%5D=1&l%5B%5D=2&t=1")
    }

    @Test
    func `an empty form is an empty body`() async throws {
        let none: [String: JSONValue] = [:]
        let request = try await sent { $0.post().endpoint("/a").dogma(.form).values(none) }
        #expect(request.bodyText?.isEmpty == true)
    }

    @Test
    func `a form without named fields is refused`() async {
        let error = await failure { $0.post().endpoint("/a").dogma(.form).body([1, 2]) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.message.contains("FormDogma") == true)
        #expect(error?.underlying is EncodingError)
    }

    // MARK: - Raw

    @Test
    func `the raw dogma sends data and text as they are`() async throws {
        let data: some Encodable & Sendable = Data([1, 2])
        let text = try await sent { $0.post().endpoint("/a").dogma(.raw).body("grüße") }
        let bytes = try await sent { $0.post().endpoint("/a").dogma(.raw).body(data) }
        #expect(text.bodyText == "grüße")
        #expect(text.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(bytes.body?.bytes == Data([1, 2]))
        #expect(bytes.headers[.contentType] == "application/octet-stream")
    }

    @Test
    func `the raw dogma refuses models in both directions`() async {
        let client = StubbedClient(answering: .text("{}"))
        let encoding = await client.failure { $0.post().endpoint("/a").dogma(.raw).body(Self.event) }
        let decoding = await #expect(throws: RestClientError.self) {
            try await client.manager.request(Event.self).endpoint("/a").dogma(.raw).send()
        }
        #expect(encoding?.code == .encodingFailed)
        #expect(decoding?.code == .decodingFailed)
        #expect(decoding?.response?.body == Data("{}".utf8))
    }

    @Test
    func `the raw dogma gives text even when the response says it is JSON`() async throws {
        let client = StubbedClient(answering: .text(#"{"a":1}"#, headers: [.contentType: "application/json"]))
        let text = try await client.manager.request(String.self).endpoint("/a").dogma(.raw).send()
        #expect(text == #"{"a":1}"#)
    }

    // MARK: - Own dogmas

    /// Says everything backwards, and tells whom it works for.
    private struct Backwards: Dogma {
        let seen: @Sendable (DogmaRequest) -> Void
        var acceptedContentType: String? { "text/backwards" }

        func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
            seen(request)
            return EncodedBody(Data(String(describing: model).utf8.reversed()), contentType: "text/backwards")
        }

        func decode<Model: Decodable>(
            _ type: Model.Type,
            from response: RawResponse,
            for request: DogmaRequest
        ) throws -> Model {
            seen(request)
            return try JSONDecoder().decode(type, from: Data(response.body.reversed()))
        }
    }

    @Test
    func `the body of an error is decoded by the API's dogma, or else as JSON`() async throws {
        let client = StubbedClient(
            answering: .text("]2 ,1[", .notFound),
            .text("[3]", .notFound)
        )
        client.manager.dogmas["backwards"] = Backwards { _ in }
        let key = APIAlias<Void>("number")
        client.manager.apis[key] = API(.get, "/n").dogma("backwards")
        for expected in [[1, 2], [3]] {
            let error = await #expect(throws: RestClientError.self) { try await client.manager.request(key).send() }
            #expect(error?.decodedBody(as: [Int].self) == expected)
        }
    }

    @Test
    func `rules for retries and fallbacks decode the body of an error by the API's dogma, too`() async throws {
        let client = StubbedClient(answering: .text("]2 ,1[", .serviceUnavailable))
        client.manager.dogmas["backwards"] = Backwards { _ in }
        let bodies = Recorder<[Int]?>()
        var policy = RetryPolicy(attempts: 2)
        policy.isRetryable = { error in
            bodies.record((error as? RestClientError)?.decodedBody(as: [Int].self))
            return false
        }
        let key = APIAlias<[Int]>("numbers")
        client.manager.apis[key] = API(.get, "/n").dogma("backwards").retry(policy)
            .fallback(.value([9])) { $0.decodedBody(as: [Int].self) == [1, 2] }
        #expect(try await client.manager.request(key).send() == [9])
        #expect(bodies.elements == [[1, 2]])
    }

    @Test
    func `a dogma of one's own encodes, decodes and knows the call`() async throws {
        let client = StubbedClient(answering: .text("]1 ,12["))
        let requests = Counter()
        client.manager.dogmas["backwards"] = Backwards { request in
            requests.next()
            #expect(request.method == .post)
            #expect(request.api == "numbers")
            #expect(request.server == "store")
            #expect(request.template == "/n/{id}")
        }
        let key: APIAlias<[Int]> = "numbers"
        client.manager.apis[key] = API(.post, "/n/{id}", server: "store").dogma("backwards")

        let numbers = try await client.manager.request(key).parameter("id", 1).body("abc").send()

        #expect(numbers == [21, 1])
        #expect(client.requests.first?.bodyText == "cba")
        #expect(client.requests.first?.headers[.contentType] == "text/backwards")
        #expect(client.requests.first?.headers[.accept] == "text/backwards")
        #expect(requests.value == 2)
    }

    /// Encodes nothing but `{}`, and tells what it decodes for.
    private struct Curious: Dogma {
        let seen: @Sendable (_ isDecoding: Bool, DogmaRequest) -> Void
        var acceptedContentType: String? { nil }

        func encode(_ model: some Encodable, for request: DogmaRequest) throws -> EncodedBody {
            seen(false, request)
            return EncodedBody(Data("{}".utf8), contentType: "text/curious")
        }

        func decode<Model: Decodable>(
            _ type: Model.Type,
            from response: RawResponse,
            for request: DogmaRequest
        ) throws -> Model {
            seen(true, request)
            return try JSONDecoder().decode(type, from: response.body)
        }
    }

    @Test
    func `a dogma that decodes knows the URL, the query, the fields and the body of the request`() async throws {
        let client = StubbedClient(answering: .text("1"))
        let decoded = Counter()
        client.manager.dogmas["curious"] = Curious { isDecoding, request in
            #expect(request.url?.hasSuffix("/n?unit=m%20s&unit=k") == (isDecoding ? true : nil))
            #expect(request.query.map(\.name) == (isDecoding ? ["unit", "unit"] : []))
            #expect(request.query.map(\.value) == (isDecoding ? ["m s", "k"] : []))
            #expect(request.headers[.contentType] == (isDecoding ? "text/curious" : nil))
            #expect(request.headers[.ifMatch] == (isDecoding ? "\"1\"" : nil))
            #expect(request.body == (isDecoding ? Data("{}".utf8) : nil))
            _ = isDecoding ? decoded.next() : 0
        }
        let node = client.manager.request(Int.self).post().endpoint("/n").dogma("curious").body([1])
            .query("unit", "m s").query("unit", "k")
            .header(.ifMatch, "\"1\"")
        #expect(try await node.send() == 1)
        #expect(decoded.value == 1)
    }

    @Test
    func `a dummy's dogma knows the request that it decodes`() async throws {
        let client = StubbedClient()
        let decoded = Counter()
        client.manager.dogmas["curious"] = Curious { isDecoding, request in
            guard isDecoding, request.body == Data("{}".utf8) else {
                return
            }
            #expect(request.query.map(\.value) == ["k"])
            #expect(request.headers[.contentType] == "text/curious")
            decoded.next()
        }
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.post, "/n") { request in
            _ = try request.model([String: String].self)
            return .status(.noContent)
        }
        let node = client.manager.request(Void.self).post().endpoint("/n").dogma("curious").body([1])
        try await node.query("unit", "k").send()
        #expect(decoded.value == 1)
    }

    @Test
    func `the call's dogma wins over the API's, and that over the manager's`() async throws {
        let client = StubbedClient(answering: .text("1"))
        client.manager.dogmas["one"] = Backwards { _ in }
        client.manager.defaultDogma = .raw
        client.manager.apis[APIAlias<Int>("a")] = API(.get, "/a").dogma("one")
        let node = client.manager.request(Int.self)
        for node in [node.endpoint("/a"), node.api("a"), node.api("a").dogma(.json)] {
            _ = try? await node.send()
        }
        #expect(client.requests.map { $0.headers[.accept] } == [nil, "text/backwards", "application/json"])
    }

    @Test
    func `a dogma that is registered anew is used from then on`() async throws {
        let client = StubbedClient()
        client.manager.dogmas[.json] = RawDogma()
        _ = try? await client.manager.request(Int.self).endpoint("/a").send()
        #expect(try #require(client.requests.first).headers[.accept] == nil)
    }
}
