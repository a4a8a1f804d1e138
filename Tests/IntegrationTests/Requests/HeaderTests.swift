// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Header fields, as a server receives them.
@Suite(.timeLimit(.minutes(5)))
struct HeaderTests {
    private let mark: HTTPField.Name

    init() throws {
        mark = try #require(HTTPField.Name("X-Mark"))
    }

    @Test
    func `repeated fields stay apart and in order`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            _ = try await client.request(.get, "/").header("X-Mark", "1")
                .header(mark, "2", adding: true)
                .header(mark, "3, 4", adding: true)
                .send()
            #expect(client.server.requests.first?.headers.values("X-Mark") == ["1", "2", "3, 4"])
        }
    }

    /// Who sets a field, from the weakest to the strongest.
    enum Setter: Int, CaseIterable, Comparable {
        case manager, server, api, node

        static func < (left: Setter, right: Setter) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    @Test(arguments: Setter.allCases, [true, false])
    func `the stronger setter of a field wins`(strongest: Setter, isProvided: Bool) async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let manager = client.manager
            manager.updateOptions { isProvided ? $0.header(mark) { "manager" } : $0.header(mark, "manager") }
            if strongest >= .server {
                manager.servers[.loopback] = Server(client.server.url).headers([mark: "server"])
            }
            let key: APIAlias<Data> = "marked"
            manager.apis[key] = API(.get, "/").headers(strongest >= .api ? [mark: "api"] : [:])
            let node = manager.request(key)
            _ = try await (strongest == .node ? node.header(mark, "node") : node).send()
            #expect(client.server.requests.first?.headers.values("X-Mark") == ["\(strongest)"])
        }
    }

    @Test
    func `a media type of one's own wins over the dogma's`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            _ = try await client.request(.post, "/").values(["a": 1])
                .header(.contentType, "application/vnd.api+json")
                .header(.accept, "*/*")
                .send()
            let headers = try #require(client.server.requests.first?.headers)
            #expect(headers.values("Content-Type") == ["application/vnd.api+json"])
            #expect(headers.values("Accept") == ["*/*"])
        }
    }

    @Test
    func `a provider is asked anew for every call, and may leave its field out`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let asked = Recorder<Void>()
            client.manager.options = client.manager.options.header(.authorization) {
                asked.record(())
                return asked.count == 2 ? nil : "Bearer \(asked.count)"
            }
            for _ in 0..<3 {
                _ = try await client.request(.get, "/").send()
            }
            let tokens = client.server.requests.map { $0.headers["Authorization"] }
            #expect(tokens == ["Bearer 1", nil, "Bearer 3"])
        }
    }

    @Test
    func `a provider that fails ends the call before anything is sent`() async throws {
        struct NoToken: Error {}
        try await LoopbackClient.with { client in
            client.manager.options = client.manager.options.header(.authorization) { throw NoToken() }
            await #expect(throws: NoToken.self) { try await client.request(.get, "/").send() }
            #expect(client.server.connectionCount == 0)
        }
    }

    @Test(arguments: ["a\r\nX-Injected: 1", "a\nb", "a\u{0}b", "a\rb"])
    func `a value that would break out of its line is refused, wherever it comes from`(value: String) async throws {
        try await LoopbackClient.with { client in
            let node = client.request(.get, "/")
            for refused in [node.header(mark, value), node.header(mark, value, adding: true), node.bearer(value)] {
                let error = await #expect(throws: RestClientError.self) { try await refused.send() }
                #expect(error?.code == .invalidHeader)
            }
            for options in [CallOptions().header(mark, value), CallOptions().header(mark) { value }] {
                client.manager.options = options
                let error = await #expect(throws: RestClientError.self) { try await node.send() }
                #expect(error?.code == .invalidHeader)
            }
            #expect(client.server.connectionCount == 0)
        }
    }

    @Test(arguments: ["", "two words", "colon:", "zeile\r\n", "ünder"])
    func `a name that is no token is refused`(name: String) async throws {
        try await LoopbackClient.with { client in
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").header(name, "1").send()
            }
            #expect(error?.code == .invalidHeader)
            #expect(client.server.connectionCount == 0)
        }
    }

    @Test
    func `what frames the message is the transport's to say`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in .text(request.text) }
            let answer = try await client.request(String.self, .post, "/")
                .body(Data("twelve bytes".utf8))
                .header(.contentLength, "3")
                .header("Transfer-Encoding", "chunked")
                .send()
            #expect(answer == "twelve bytes")
            #expect(client.server.requests.count == 1)
        }
    }

    @Test
    func `an address in the header can name another host than the connection's`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            _ = try await client.request(.get, "/").header("Host", "virtual.example").send()
            #expect(client.server.requests.map(\.authority) == ["virtual.example"])
        }
    }
}
