// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import Testing

@testable import RestClient

@Suite
struct RequestBodyTests {
    struct Order: Codable, Sendable {
        var id: Int
    }

    @Test(arguments: [HTTPRequest.Method.get, .head])
    func `a dictionary is the query on GET and HEAD`(method: HTTPRequest.Method) async throws {
        let request = try await sent { node in
            node.method(method).endpoint("/a").values(["b": "x y", "a": 1, "l": [1, 2]])
        }
        #expect(request.url == "https://api.example.com/v1/a?a=1&b=x%20y&l=1&l=2")
        #expect(request.body == nil)
        #expect(request.headers[.contentType] == nil)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func `a dictionary is the body elsewhere`(method: HTTPRequest.Method) async throws {
        let request = try await sent { node in
            node.method(method).endpoint("/a").values(["b": "x/y", "a": 1])
        }
        #expect(request.url == "https://api.example.com/v1/a")
        #expect(request.bodyText == #"{"a":1,"b":"x/y"}"#)
        #expect(request.headers[.contentType] == "application/json")
    }

    @Test
    func `a dictionary of one type is taken like a mixed one`() async throws {
        let numbers = ["b": 2, "a": 1]
        let get = try await sent { $0.endpoint("/a").values(numbers) }
        let post = try await sent { $0.post().endpoint("/a").values(numbers) }
        let literal = try await sent { $0.endpoint("/a").values(["a": 1]) }
        #expect(get.query == "a=1&b=2")
        #expect(post.bodyText == #"{"a":1,"b":2}"#)
        #expect(literal.query == "a=1")
    }

    @Test
    func `the call's own query stands before the dictionary's`() async throws {
        let request = try await sent { $0.endpoint("/a").values(["m": 1]).query(["z": 2]) }
        #expect(request.query == "z=2&m=1")
    }

    @Test
    func `an empty dictionary is an empty object on POST and nothing on GET`() async throws {
        let empty: [String: JSONValue] = [:]
        let post = try await sent { $0.post().endpoint("/a").values(empty) }
        let get = try await sent { $0.endpoint("/a").values(empty) }
        #expect(post.bodyText == "{}")
        #expect(get.body == nil)
        #expect(get.url == "https://api.example.com/v1/a")
    }

    @Test
    func `a model is encoded by the dogma`() async throws {
        let request = try await sent { $0.post().endpoint("/a").body(Order(id: 1)) }
        #expect(request.bodyText == #"{"id":1}"#)
    }

    @Test
    func `a body that is insisted on is sent with GET`() async throws {
        let request = try await sent { $0.endpoint("/a").body(Order(id: 1)) }
        #expect(request.method == .get)
        #expect(request.bodyText == #"{"id":1}"#)
        #expect(request.headers[.contentType] == "application/json")
    }

    @Test
    func `bytes are sent as they are`() async throws {
        let plain = try await sent { $0.post().endpoint("/a").body(Data("x".utf8)) }
        let typed = try await sent { $0.post().endpoint("/a").body(Data("x".utf8), contentType: "text/csv") }
        let untyped = try await sent { $0.post().endpoint("/a").body(Data("x".utf8), contentType: nil) }
        #expect(plain.bodyText == "x")
        #expect(plain.headers[.contentType] == "application/octet-stream")
        #expect(typed.headers[.contentType] == "text/csv")
        #expect(untyped.headers[.contentType] == nil)
    }

    @Test
    func `a content type with a line break is refused`() async {
        let error = await failure { $0.post().endpoint("/a").body(Data(), contentType: "a\r\nb: c") }
        #expect(error?.code == .invalidHeader)
        #expect(error?.message.contains("'Content-Type'") == true)
    }

    @Test
    func `the last model set wins`() async throws {
        let request = try await sent { $0.post().endpoint("/a").body(Order(id: 1)).values(["b": 2]) }
        #expect(request.bodyText == #"{"b":2}"#)
    }

    @Test
    func `a model that cannot be encoded is an error that names it and keeps the cause`() async {
        let error = await failure { $0.post().endpoint("/a").values(["a": JSONValue.double(.infinity)]) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.message.contains("JSONDogma") == true)
        #expect(error?.underlying is EncodingError)
    }

    @Test
    func `without a model there is no body`() async throws {
        let request = try await sent { $0.post().endpoint("/a") }
        #expect(request.body == nil)
    }

    // MARK: - Models that encode themselves

    private struct Refused: Error {}

    private struct Rows: RequestPayload {
        var rows: [String]

        func requestBody() throws -> RequestBody {
            guard !rows.isEmpty else {
                throw Refused()
            }
            return .bytes(Data(rows.joined(separator: "\n").utf8), contentType: "text/csv")
        }
    }

    private struct Both: RequestPayload, Encodable {
        var id = 1

        func requestBody() -> RequestBody {
            .multipart(MultipartForm().field("id", "\(id)"))
        }
    }

    @Test(arguments: [HTTPRequest.Method.get, .post, .put])
    func `a payload encodes itself, with any method`(method: HTTPRequest.Method) async throws {
        let request = try await sent { $0.method(method).endpoint("/a").body(Rows(rows: ["a", "b"])) }
        #expect(request.bodyText == "a\nb")
        #expect(request.headers[.contentType] == "text/csv")
    }

    @Test
    func `a payload that the dogma could encode, too, encodes itself as a body`() async throws {
        let own = try await sent { $0.post().endpoint("/a").body(Both()) }
        let model: some Encodable & Sendable = Both()
        let dogmas = try await sent { $0.post().endpoint("/a").body(model) }
        #expect(own.headers[.contentType]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(dogmas.bodyText == #"{"id":1}"#)
    }

    @Test
    func `a payload that cannot encode itself is an error that names it and keeps the cause`() async {
        let error = await failure { $0.post().endpoint("/a").body(Rows(rows: [])) }
        #expect(error?.code == .encodingFailed)
        #expect(error?.message.contains("Rows") == true)
        #expect(error?.underlying is Refused)
    }
}
