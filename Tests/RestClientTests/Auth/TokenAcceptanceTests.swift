// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Which responses show that a server accepted a token, so that its later rejection means that it has expired.
@Suite(.timeLimit(.minutes(5)))
struct TokenAcceptanceTests {
    /// The results of calls, one after the other, to a server whose tokens are good for two calls each.
    private struct Run {
        /// The statuses of the responses.
        var statuses: [Int] = []
        /// The number of tokens that the server issued.
        var tokens = 0
    }

    /// Sends 30 calls within one minute.
    ///
    /// - Parameters:
    ///   - first: The response to a request with a good token at the address of the calls.
    ///   - second: The response wherever it redirects to.
    ///   - method: The method of the calls.
    /// - Returns: The results of the calls.
    /// - Throws: The error of a call.
    private static func run(
        _ first: RawResponse,
        then second: RawResponse = .text("7"),
        method: HTTPRequest.Method = .get
    ) async throws -> Run {
        let uses = Counter()
        let transport = StubTransport { request in
            guard request.url == "https://api.example.com/v1/a" else {
                return second
            }
            let number = request.headers[.authorization].flatMap { Int($0.dropFirst("Bearer ".count)) } ?? 0
            // The third request with a token is rejected, and is sent again with the next token.
            return uses.next() <= number * 3 ? first : .status(.unauthorized)
        }
        let wall = WallClock()
        let client = StubbedClient(transport) { $0.now = { wall.now } }
        let issued = Counter()
        let session = TokenSource { _ in AccessToken("\(issued.next())") }
        let node = client.manager.request(Void.self).method(method).endpoint("/a").accepting(.any).bearer(session)
        var run = Run()
        for _ in 0..<30 {
            run.statuses.append(try await node.response().status.code)
        }
        run.tokens = issued.value
        return run
    }

    @Test(arguments: [200, 204, 304, 404, 409, 410, 412, 416, 422, 423, 424, 428])
    func `a status that a server gives to those it knows accepts the token`(status: Int) async throws {
        let run = try await Self.run(.status(.init(code: status)))

        #expect(run.statuses == Array(repeating: status, count: 30))
        #expect(run.tokens == 15)
    }

    @Test(arguments: [400, 403, 405, 408, 415, 425, 429, 431, 500, 502, 503, 504])
    func `a status that may come from before the token was examined does not`(status: Int) async throws {
        let run = try await Self.run(.status(.init(code: status)))

        #expect(run.statuses.suffix(20) == Array(repeating: 401, count: 20)[...])
        // The first one, and three that replaced rejected ones.
        #expect(run.tokens == 4)
    }

    @Test(
        arguments: [301, 302, 303, 307, 308],
        ["/v1/a/", "https://api.example.com/b", "https://files.example.net/a"]
    )
    func `a redirect accepts the token`(redirect: Int, location: String) async throws {
        let run = try await Self.run(.redirect(redirect, to: location))

        #expect(run.statuses == Array(repeating: 200, count: 30))
        #expect(run.tokens == 15)
    }

    @Test
    func `a POST that is redirected accepts the token`() async throws {
        let run = try await Self.run(.redirect(303, to: "/receipt"), method: .post)

        #expect(run.statuses == Array(repeating: 200, count: 30))
        #expect(run.tokens == 15)
    }

    @Test(arguments: [("/v1/a/", 404, 15), ("/v1/a/", 503, 4), ("https://files.example.net/a", 503, 15)])
    func `a redirect within the origin is judged by the response to which it leads`(
        location: String,
        status: Int,
        tokens: Int
    ) async throws {
        let run = try await Self.run(.redirect(308, to: location), then: .status(.init(code: status)))

        #expect(run.statuses.first == status)
        #expect(run.tokens == tokens)
    }

    @Test
    func `a poll whose tokens live three seconds ends when the resource is there`() async throws {
        let wall = WallClock()
        let issued = Recorder<Date>()
        let polls = Counter()
        let transport = StubTransport { request in
            let number = request.headers[.authorization].flatMap { Int($0.dropFirst("Bearer ".count)) } ?? 0
            guard let time = issued.elements.last, number == issued.count, wall.now.timeIntervalSince(time) < 3 else {
                return .status(.unauthorized)
            }
            return polls.next() < 40 ? .status(.notFound) : .text("7")
        }
        let client = StubbedClient(transport) { $0.now = { wall.now } }
        let session = TokenSource { _ in
            issued.record(wall.now)
            return AccessToken("\(issued.count)")
        }
        let node = client.node.bearer(session)

        var statuses: Set<Int> = []
        for _ in 0..<39 {
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            statuses.insert(error?.status?.code ?? 0)
            wall.advance(by: 1)
        }

        #expect(statuses == [404])
        #expect(try await node.send() == 7)
    }
}
