// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClientTesting
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct EnvelopeDogmaTests {
    private struct Order: Codable, Equatable, Sendable {
        var id: Int
    }

    private func client(_ body: String, _ dogma: EnvelopeDogma = EnvelopeDogma()) -> StubbedClient {
        let client = StubbedClient(answering: .text(body))
        client.manager.dogmas["envelope"] = dogma
        client.manager.options = client.manager.options.dogma("envelope")
        return client
    }

    @Test(arguments: [
        #"{"code":0,"message":"ok","data":{"id":7}}"#, #"{"data":{"id":7}}"#, #"{"data":{"id":7},"code":"0"}"#,
        #"{"code":null,"data":{"id":7}}"#,
    ])
    func `the model is what the envelope holds`(body: String) async throws {
        #expect(try await client(body).manager.request(Order.self).endpoint("/a").send() == Order(id: 7))
    }

    @Test(arguments: [
        (#"{"code":1001,"message":"out of stock"}"#, EnvelopeError(code: "1001", message: "out of stock")),
        (#"{"code":"E7","data":{"id":7}}"#, EnvelopeError(code: "E7", message: nil)),
        (#"{"code":false,"message":7,"data":null}"#, EnvelopeError(code: "false", message: "7")),
    ])
    func `a code that does not mean success fails the call, whatever its model`(
        body: String,
        expected: EnvelopeError
    ) async {
        let client = client(body)

        for error in [
            await #expect(throws: RestClientError.self) {
                try await client.manager.request(Order.self).endpoint("/a").send()
            },
            await #expect(throws: RestClientError.self) {
                try await client.manager.request(Void.self).endpoint("/a").send()
            },
            await #expect(throws: RestClientError.self) {
                try await client.manager.request().endpoint("/a").send()
            },
        ] {
            #expect(error?.code == .rejected)
            #expect(error?.underlying as? EnvelopeError == expected)
            #expect(error?.response?.body == Data(body.utf8))
        }
    }

    @Test
    func `members and codes of success may have other names`() async throws {
        let dogma = EnvelopeDogma(code: "status", message: "info", data: "result", successCodes: ["ok", "true"])
        let body = #"{"status":"ok","result":[{"id":1}]}"#

        #expect(try await client(body, dogma).manager.request([Order].self).endpoint("/a").send() == [Order(id: 1)])
        let error = await #expect(throws: RestClientError.self) {
            try await client(#"{"status":"no","info":"never"}"#, dogma).manager.request(Void.self).endpoint("/a").send()
        }
        #expect(error?.description.contains("the server responded with code no: never") == true)
    }

    @Test
    func `an optional model may be missing, another one may not`() async throws {
        let client = client(#"{"code":0}"#)

        #expect(try await client.manager.request(Order?.self).endpoint("/a").send() == nil)
        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.request(Order.self).endpoint("/a").send()
        }
        #expect(error?.code == .decodingFailed)
    }

    @Test
    func `requests go without an envelope, models that are stored have one`() async throws {
        let client = client(#"{"code":0,"data":{"id":7}}"#)
        let node = client.manager.request(Order.self).endpoint("/a").cache(.cacheOnly())

        _ = try await client.manager.request(Order.self).post().endpoint("/a").body(Order(id: 1)).send()
        try await client.manager.cache.store(Order(id: 9), for: node)

        #expect(client.requests.first?.bodyText == #"{"id":1}"#)
        #expect(try await node.send() == Order(id: 9))
    }

    @Test
    func `a rejected response is not stored`() async throws {
        let client = client(#"{"code":1}"#)
        let node = client.manager.request(Void.self).endpoint("/a").cache(.elseNetwork())

        await #expect(throws: RestClientError.self) { try await node.send() }

        #expect(try await client.manager.cache.entries().isEmpty)
    }
}

@Suite
struct PropertyListDogmaTests {
    private struct Settings: Codable, Equatable, Sendable {
        var name: String
        var since: Date
        var bytes: Data
    }

    @Test(arguments: [false, true])
    func `a model goes and comes as a property list`(isBinary: Bool) async throws {
        let client = StubbedClient(StubTransport { RawResponse(body: $0.body?.bytes ?? Data()) })
        client.manager.dogmas["plist"] = PropertyListDogma(isBinary: isBinary)
        let settings = Settings(name: "ü&<", since: Date(timeIntervalSince1970: 7), bytes: Data([0, 255]))

        let echo = try await client.manager.request(Settings.self).post().endpoint("/a").dogma("plist")
            .body(settings).send()

        #expect(echo == settings)
        let request = try #require(client.requests.first)
        #expect(request.headers[.contentType] == "application/x-plist")
        #expect(request.headers[.accept] == "application/x-plist")
        #expect(request.body?.bytes?.starts(with: Data((isBinary ? "bplist" : "<?xml").utf8)) == true)
    }
}

@Suite
struct CustomModelTests {
    /// A model that is not `Decodable`.
    private final class Photo: Sendable {
        let size: Int
        let kind: String?

        init(_ response: RawResponse) throws {
            guard !response.body.isEmpty else {
                throw CocoaError(.fileReadCorruptFile)
            }
            size = response.body.count
            kind = response.headers[.contentType]
        }
    }

    @Test
    func `any type can be a model, by a closure that sees the whole response`() async throws {
        let client = StubbedClient(answering: .text("abc", headers: [.contentType: "image/png"]), .text(""))
        let alias = APIAlias<Photo>("photo")
        client.manager.apis[alias] = API(.get, "/photo")

        let photo = try await client.manager.request(RequestNode(alias) { response in try Photo(response) }).send()
        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.request(RequestNode(Photo.self) { response in try Photo(response) })
                .endpoint("/photo").send()
        }

        #expect(photo.size == 3)
        #expect(photo.kind == "image/png")
        #expect(error?.code == .decodingFailed)
        #expect(error?.underlying is CocoaError)
    }
}
