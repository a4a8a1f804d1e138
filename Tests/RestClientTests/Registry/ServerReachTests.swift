// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import TestSupport
import Testing

@testable import RestClient

/// Credentials of a server go to that server only, whoever reads the path of the request.
@Suite
struct ServerReachTests {
    /// A way in which servers and gateways read paths; written without the library's own code.
    enum Router: CaseIterable {
        case literal, resolving, decoding, windows, parameters, twice

        private static func decode(_ text: String) -> String {
            var bytes: [UInt8] = []
            var rest = Array(text.utf8)[...]
            while let byte = rest.popFirst() {
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                if byte == UInt8(ascii: "%"), digits.count == 2, let value = UInt8(digits, radix: 16) {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        private static func resolve(_ path: String, merges: Bool) -> [String] {
            var segments: [String] = []
            for segment in path.split(separator: "/", omittingEmptySubsequences: merges).map(String.init) {
                switch segment {
                case ".": break
                case "..": _ = segments.popLast()
                default: segments.append(segment)
                }
            }
            return segments.filter { !$0.isEmpty }
        }

        func segments(_ path: String) -> [String] {
            let plain = path.replacing("%2e", with: ".").replacing("%2E", with: ".")
            return switch self {
            case .literal: path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            case .resolving: Self.resolve(plain, merges: false)
            case .decoding: Self.resolve(Self.decode(path), merges: true)
            case .windows: Self.resolve(Self.decode(path).replacing("\\", with: "/").lowercased(), merges: true)
            case .parameters:
                Self.resolve(
                    path.split(separator: "/", omittingEmptySubsequences: false)
                        .map { Self.decode(String($0.prefix { $0 != ";" })) }.joined(separator: "/"),
                    merges: true
                )
            case .twice: Self.resolve(Self.decode(Self.decode(path)), merges: true)
            }
        }
    }

    private static let pieces = [
        "a", "pay", "mail", "PAY", "%70ay", "..", ".", "%2e%2e", ".%2E", "%2f", "%5c", "\\", "/", "/", "//", ";",
        ";x=1",
        "%252e%252e", "%252f", "%3f", "%23", "%3b", "..;", "v1", "%2F..%2F..%2F",
    ]

    private static func path(_ random: inout SeededGenerator) -> String {
        var path = ["/pay/", "/mail/", "/"].randomElement(using: &random) ?? "/"
        for _ in 0..<Int.random(in: 0...7, using: &random) {
            path += pieces.randomElement(using: &random) ?? ""
        }
        return path
    }

    /// Sets the servers, each with its own token and its own key in the query.
    private static func register(_ servers: [String: String], in client: StubbedClient) {
        for (name, address) in servers {
            client.manager.servers[ServerAlias(rawValue: name)] = Server(address).bearer(name)
                .apiKey(.query("reach-key", name))
        }
    }

    /// Returns the names of the servers that a request may have been for, by the way it is read.
    private static func readers(of url: String) -> Set<String> {
        let path = String(HTTPURL.path(of: url))
        return Set(
            Router.allCases.map { router in
                ["pay", "mail"].first { router.segments(path).first == $0 } ?? "root"
            }
        )
    }

    @Test(arguments: [
        ["pay": "https://gw.example/pay", "mail": "https://gw.example/mail"],
        ["pay": "https://gw.example/pay", "root": "https://gw.example"],
    ])
    func `the token and the key go along only where every reader finds their server`(
        servers: [String: String]
    ) async throws {
        let client = StubbedClient()
        Self.register(servers, in: client)
        var random = SeededGenerator(seed: 1)
        var owned = 0
        for _ in 0..<3_000 {
            let url = "https://gw.example" + Self.path(&random)

            let request = try await client.sent { $0.url(url) }

            #expect(request.url.hasPrefix(url), "'\(url)' was sent as '\(request.url)'")
            guard let token = request.headers[.authorization]?.dropFirst("Bearer ".count) else {
                #expect(!request.url.contains("reach-key="))
                continue
            }
            owned += 1
            let isFound = Self.readers(of: request.url)
                .allSatisfy { $0 == token || (token == "root" && servers[$0] == nil) }
            #expect(isFound, "\(token) went to '\(request.url)'")
        }
        #expect(owned > 300)
    }

    @Test
    func `what a server redirects to gets its token only where every reader finds the server`() async throws {
        var random = SeededGenerator(seed: 2)
        var owned = 0
        for _ in 0..<1_000 {
            let location = Self.path(&random)
            let client = StubbedClient(answering: .redirect(307, to: location), .status(.ok))
            Self.register(["pay": "https://gw.example/pay", "mail": "https://gw.example/mail"], in: client)

            // A location that names no host is refused.
            try? await client.manager.request(Void.self).server("pay").endpoint("/go").send()

            let request = try #require(client.requests.dropFirst().first ?? client.requests.last)
            if client.requests.count == 2, request.headers.contains(.authorization) {
                owned += 1
                #expect(Self.readers(of: request.url) == ["pay"], "'\(location)' took the token to '\(request.url)'")
            }
        }
        #expect(owned > 100)
    }

    @Test(
        arguments: [
            ("/pay/b", "pay"), ("b", "pay"), ("https://GW.example.:443/pay/b", "pay"), ("/mail/steal", nil), ("/", nil),
            ("/pay/../mail/x", nil), ("/pay/x%2f..%2f..%2fmail", nil), ("https://other.example/pay/b", nil),
        ] as [(String, String?)]
    )
    func `a redirect takes what belongs to a server to its path only`(location: String, token: String?) async throws {
        let client = StubbedClient(answering: .redirect(307, to: location), .status(.ok))
        Self.register(["pay": "https://gw.example/pay", "mail": "https://gw.example/mail"], in: client)

        let node = client.manager.request(Void.self).server("pay").endpoint("/go").header("X-API-Key", "call")
        let response = try await node.response()

        let request = try #require(client.requests.last)
        #expect(request.headers[.authorization] == token.map { "Bearer \($0)" })
        #expect(request.headers.contains(try #require(HTTPField.Name("X-API-Key"))) == (token != nil))
        let isTold = response.explain().contains("left the path of the server")
        #expect(isTold == (token == nil && !location.contains("other")))
    }

    @Test
    func `a next page gets the token of the server to which it belongs`() async throws {
        for (next, token) in [
            ("https://gw.example/pay/2", "Bearer pay"), ("https://gw.example/mail/2", "Bearer mail"),
            ("https://gw.example/pay/x%2f..%2f..%2fmail", nil), ("https://gw.example/2", nil),
        ] {
            let link = RawResponse.text("[1]", headers: [.init("Link")!: "<\(next)>; rel=next"])
            let client = StubbedClient(answering: link, .text("[2]"))
            Self.register(["pay": "https://gw.example/pay", "mail": "https://gw.example/mail"], in: client)

            for try await _ in client.manager.request([Int].self).server("pay").endpoint("/1").pages(.link).items {}

            #expect(client.requests.last?.headers[.authorization] == token, "\(next)")
        }
    }

    // MARK: - Endpoints

    @Test(
        arguments: [
            "/../evil/y", "/%2e%2e/evil/y", "/a/./b", "/a/..", "/a/..?x", "/a/..%2f..%2fevil", "/a/..;/b",
            "/a/%252e%252e/b",
            "/a/..{?q}", "/a/..{/more}", "a%5c..%5cb",
        ] as [PathTemplate]
    )
    func `an endpoint with a dot segment is sent nowhere, and lint names it`(endpoint: PathTemplate) async {
        let client = StubbedClient(answering: .status(.ok))
        client.manager.apis[APIAlias<Void>("up")] = API(.get, endpoint)

        let error = await client.failure { $0.endpoint(endpoint) }
        let ofAPI = await client.failure { $0.api("up") }

        // Where a placeholder ends the segment, the error names it.
        #expect(error?.code == .invalidPathTemplate || error?.code == .invalidPathParameter)
        #expect(ofAPI?.code == error?.code)
        #expect(error?.message.contains("dot segment") == true)
        #expect(await client.manager.lint().map(\.kind) == [.invalidPathTemplate])
        #expect(client.requests.isEmpty)
    }

    @Test(
        arguments: [
            ("/a/{id}", "../../evil"), ("/a/{id}", #"..\..\evil"#), ("/a/{id}", "x/../../evil"), ("/a/{id}", "..;"),
            ("/a/{id}", "%2e%2e"), ("/a/{+id}", "x%2f..%2f..%2fevil"), ("/a/{+id}", "%5c..%5cevil"),
            ("/a/{+id}", "..;/x"),
            ("/a/{+id}", "%252e%252e/x"), ("/a{/id}", "../x"), ("/a/{;id}", "/../x"),
        ] as [(PathTemplate, String)]
    )
    func `a value in which some reader finds a dot segment is refused`(template: PathTemplate, value: String) async {
        let client = StubbedClient(answering: .status(.ok))

        let error = await client.failure { $0.endpoint(template).parameter("id", value) }

        #expect(error?.code == .invalidPathParameter)
        #expect(error?.message.contains("evil") == false)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `an interpolated value in which some reader finds a dot segment is refused`() async {
        let client = StubbedClient(answering: .status(.ok))

        let error = await client.failure { $0.endpoint("/a/\("../evil")/b") }

        #expect(error?.code == .invalidPathTemplate)
        #expect(client.requests.isEmpty)
    }

    @Test(arguments: ["a.b", "...", "a..b", ".well-known", "x/y", "100%", "a;b", "v1.2/.hidden"])
    func `other values with dots are sent`(value: String) async throws {
        let client = StubbedClient(answering: .status(.ok))

        try await client.manager.request(Void.self).endpoint("/a/{id}").parameter("id", value).send()

        #expect(client.requests.count == 1)
    }

    @Test(arguments: ["https://gw.example/a/../b", "https://gw.example/a%2f..%2fb", "https://gw.example/a/..;/b"])
    func `the address of a server has no dot segment, whoever reads it`(address: String) async {
        let client = StubbedClient()
        client.manager.servers["up"] = Server(address)

        let error = await client.failure { $0.server("up").endpoint("/x") }

        #expect(error?.code == .invalidServerAddress)
    }
}
