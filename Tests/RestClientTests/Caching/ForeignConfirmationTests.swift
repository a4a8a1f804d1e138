// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Only the resource that sent a stored response can confirm it, change it, or add to it.
@Suite(.timeLimit(.minutes(5)))
struct ForeignConfirmationTests {
    /// Where the server redirects to, once the response is stored.
    struct Redirect: Sendable, CustomTestStringConvertible {
        let location: String
        var headers: HTTPFields = [:]

        var testDescription: String { "\(location) \(headers.map(\.value))" }
    }

    private static let redirects = [
        Redirect(location: "https://evil.example/b"),
        Redirect(location: "https://evil.example/b", headers: [.cacheControl: "max-age=600"]),
        Redirect(location: "/v1/b"),
        Redirect(location: "/v1/b", headers: [.cacheControl: "max-age=600"]),
    ]

    private let wall = WallClock()

    /// A server whose responses to `/a` are these, and which redirects it after the first one; the target confirms
    /// whatever it is asked, for a year.
    private func client(_ first: RawResponse, _ redirect: Redirect) -> StubbedClient {
        let (wall, counter) = (wall, Counter())
        let transport = StubTransport { request in
            guard request.url.hasSuffix("/a") else {
                let forever: HTTPFields = [.cacheControl: "max-age=31536000, immutable", .eTag: #""v1""#]
                if request.headers.contains(.ifNoneMatch) { return .status(.notModified, headers: forever) }
                if request.method == .head { return .status(.ok, headers: forever) }
                if let range = request.headers[.range] {
                    var part = forever
                    part[.contentRange] = "\(range.replacing("=", with: " ").replacing("-", with: "-9"))/10"
                    return .text("evil!", .partialContent, headers: part)
                }
                return .text("elsewhere", headers: forever)
            }
            guard counter.next() > 1 else {
                return first
            }
            var headers = redirect.headers
            headers[.location] = redirect.location
            return RawResponse(status: .found, headers: headers)
        }
        return StubbedClient(transport) { $0.now = { wall.now } }
    }

    private func node(_ client: StubbedClient) -> RequestNode<String> {
        client.manager.request(String.self).endpoint("/a").dogma(.raw)
    }

    private static let validated = RawResponse.text(
        "first",
        headers: [.eTag: #""v1""#, .cacheControl: "no-cache"]
    )

    @Test(arguments: redirects, [CachePolicy.http, .elseNetwork(maxAge: .milliseconds(500)), .revalidate])
    func `a 304 from another URL confirms nothing`(redirect: Redirect, policy: CachePolicy) async throws {
        let client = client(Self.validated, redirect)
        _ = try await node(client).cache(policy).send()
        wall.advance(by: 1)

        let response = try await node(client).cache(policy).response()

        #expect(response.model == "elsewhere")
        #expect(response.source == .network)
        #expect(client.requests.last?.headers[.ifNoneMatch] == nil)
    }

    @Test(arguments: redirects)
    func `nor does it in the background`(redirect: Redirect) async throws {
        let first = RawResponse.text("first", headers: [.eTag: #""v1""#, .cacheControl: "max-age=10"])
        let client = client(first, redirect)
        let policy = CachePolicy.staleWhileRevalidate(maxAge: .seconds(10))
        _ = try await node(client).cache(policy).send()
        wall.advance(by: 11)
        #expect(try await node(client).cache(policy).send() == "first")
        await client.manager.core.cache.background.finished()

        // By the rules of HTTP it is as old as it was.
        wall.advance(by: 1)
        let next = try await node(client).cache().response()
        #expect(next.source != .revalidatedCache)
        #expect(next.model == "elsewhere")
    }

    @Test(arguments: redirects)
    func `a response to HEAD from another URL refreshes nothing`(redirect: Redirect) async throws {
        let first = RawResponse.text("first", headers: [.eTag: #""v1""#, .cacheControl: "max-age=10"])
        let client = client(first, redirect)
        _ = try await node(client).cache().send()
        wall.advance(by: 11)
        try await client.manager.request(Void.self).head().endpoint("/a").cache().send()

        let next = try await node(client).cache(.cacheOnly(maxAge: .seconds(5))).cache().response()
        #expect(!next.source.isCache)
    }

    @Test(arguments: redirects)
    func `a part from another URL is not added to a stored part`(redirect: Redirect) async throws {
        let first = RawResponse.text(
            "01234",
            .partialContent,
            headers: [.eTag: #""v1""#, .cacheControl: "max-age=60", .contentRange: "bytes 0-4/10"]
        )
        let client = client(first, redirect)
        _ = try await node(client).header(.range, "bytes=0-4").accepting([.partialContent]).cache().send()

        let whole = try await node(client).cache().response()
        #expect(whole.model == "elsewhere")
    }

    @Test
    func `the URL behind a redirect that holds confirms its own response`() async throws {
        let (wall, counter) = (wall, Counter())
        let transport = StubTransport { request in
            guard request.url.hasSuffix("/b") else {
                return RawResponse(status: .found, headers: [.location: "/v1/b", .cacheControl: "max-age=15"])
            }
            guard counter.next() > 1 else {
                return .text("first", headers: [.eTag: #""v1""#, .cacheControl: "max-age=10"])
            }
            return .status(.notModified, headers: [.eTag: #""v1""#, .cacheControl: "max-age=100"])
        }
        let client = StubbedClient(transport) { $0.now = { wall.now } }
        _ = try await node(client).cache().send()
        wall.advance(by: 11)
        #expect(try await node(client).cache().response().source == .revalidatedCache)
        // The redirect was confirmed too, for fifteen seconds from then on.
        wall.advance(by: 14)
        #expect(try await node(client).cache().response().source.isCache)
        wall.advance(by: 2)
        #expect(try await node(client).cache().response().source == .revalidatedCache)
    }

    @Test
    func `the validators of another origin's response are not sent`() async throws {
        let transport = StubTransport { request in
            request.url.hasSuffix("/b")
                ? .text("first", headers: [.eTag: #""v1""#, .cacheControl: "max-age=10"])
                : RawResponse(
                    status: .found,
                    headers: [.location: "https://other.example/b", .cacheControl: "max-age=600"]
                )
        }
        let wall = wall
        let client = StubbedClient(transport) { $0.now = { wall.now } }
        _ = try await node(client).cache().send()
        wall.advance(by: 11)
        #expect(try await node(client).cache().response().source == .network)
        #expect(client.requests.allSatisfy { $0.headers[.ifNoneMatch] == nil })
    }

    @Test
    func `URLs whose items are in another order share no response`() async throws {
        let client = StubbedClient(StubTransport { .text($0.query ?? "", headers: [.cacheControl: "max-age=60"]) })
        for query in ["rotate=90&crop=10", "crop=10&rotate=90", "crop=10&&rotate=90", "crop=10&rotate=90&"] {
            let node = client.manager.request(String.self).url("https://img.example/a?\(query)").dogma(.raw)
            for policy in [CachePolicy.http, .elseNetwork()] {
                #expect(try await node.cache(policy).send() == query)
            }
            #expect(try await client.manager.cache.read(node)?.model == query)
        }
    }
}
