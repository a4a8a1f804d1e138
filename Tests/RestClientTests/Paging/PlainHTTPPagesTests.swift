// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import RestClient

/// Listings that lead from HTTPS to plain HTTP.
@Suite
struct PlainHTTPPagesTests {
    private static let first = "https://api.example.com/v1/orders"
    private static let plain = "http://api.example.com/v1/orders?after=c2"

    /// A client whose first page names a URL of the second one in its field `Link`.
    private static func client(
        next: String = Self.plain,
        redirectedTo location: String? = nil
    ) throws -> StubbedClient {
        let link = try #require(HTTPField.Name("Link"))
        let client = StubbedClient(
            StubTransport { request in
                if let location, request.url == Self.first {
                    return .redirect(302, to: location)
                }
                let isFirst = request.url == Self.first || request.url == location
                return isFirst ? .text("[1]", headers: [link: "<\(next)>; rel=next"]) : .text("[2]")
            }
        )
        client.manager.servers["store"] = Server("https://api.example.com/v1").bearer("of-store")
        return client
    }

    @Test
    func `the next page does not lead from https to http, and the page before it is delivered`() async throws {
        let client = try Self.client()
        let pager = client.manager.request([Int].self).endpoint("/orders").pages(.link).pager()

        #expect(try await pager.moveNext()?.items == [1])
        let error = await #expect(throws: RestClientError.self) { try await pager.moveNext() }

        #expect(error?.code == .pageRefused)
        #expect(error?.message.contains("from https to 'http://api.example.com'") == true)
        #expect(client.requests.map(\.url) == [Self.first])
    }

    @Test
    func `a stored position does not lead from https to http`() async throws {
        let client = try Self.client()
        let pages = try client.manager.request([Int].self).endpoint("/orders").pages(.link)
            .starting(from: PagingState(position: .url(Self.plain), pageCount: 1, itemCount: 1))

        let error = await #expect(throws: RestClientError.self) { for try await _ in pages {} }

        #expect(error?.code == .pageRefused)
        #expect(client.requests.isEmpty)
    }

    @Test
    func `where the redirects of a call may lead to http its pages may, without credentials`() async throws {
        let client = try Self.client()
        let key = try #require(HTTPField.Name("X-Tenant-Key"))
        let jar = CookieJar()
        jar.take(["session=1; Path=/"], from: Self.first)
        let node = client.manager.request([Int].self).endpoint("/orders").redirects(.follow.allowingPlainHTTP())
            .header(key, "of-node").fieldsForAnyOrigin(key).cookies(jar)

        var items: [Int] = []
        for try await page in node.pages(.link) {
            items += page.items
        }

        #expect(items == [1, 2])
        #expect(client.requests.map(\.url) == [Self.first, Self.plain])
        #expect(client.requests.first?.headers[key] == "of-node")
        #expect(client.requests.map { $0.headers[.cookie] } == ["session=1", nil])
        #expect(client.requests.last?.headers[.authorization] == nil)
        #expect(client.requests.last?.headers[key] == nil)
    }

    @Test(arguments: [CallOptions.Level.environment, .manager], [nil, "http://api.example.com/v1"])
    func `no credential of the manager goes to a page in plain http, also if it may go to any origin`(
        level: CallOptions.Level,
        registered: String?
    ) async throws {
        let client = try Self.client()
        let key = try #require(HTTPField.Name("X-Tenant-Key"))
        let badge = try #require(HTTPField.Name("X-Badge"))
        let token = AccessToken("of-manager")
        let outer = CallOptions().header(key, "of-manager").header(badge, "of-manager").header(.userAgent, "app/1")
            .header(.proxyAuthorization) { "of-manager" }.fieldsForAnyOrigin(key, badge, .proxyAuthorization)
            .authentication(.bearer(TokenSource(token) { _ in token }))
        if level == .manager {
            client.manager.options = outer
        } else {
            var environment = ClientEnvironment()
            environment.options = outer
            client.manager.environments["here"] = environment
            try client.manager.environments.use("here")
        }
        client.manager.servers["store"] = Server("https://api.example.com/v1").credentialFields(badge)
        if let registered {
            client.manager.servers["plain"] = Server(registered).header(.cookie, "of-plain")
        }
        let node = client.manager.request([Int].self).endpoint("/orders").redirects(.follow.allowingPlainHTTP())

        for try await _ in node.pages(.link) {}

        #expect(client.requests.map(\.url) == [Self.first, Self.plain])
        let (first, second) = (try #require(client.requests.first), try #require(client.requests.last))
        #expect(first.headers[.authorization] == "Bearer of-manager")
        #expect(second.headers[.authorization] == nil)
        for name in [key, badge, .proxyAuthorization] {
            #expect(first.headers[name] == "of-manager")
            #expect(second.headers[name] == nil)
        }
        #expect(second.headers[.userAgent] == "app/1")
        // A server that is registered without TLS has its own.
        #expect(second.headers[.cookie] == (registered == nil ? nil : "of-plain"))
    }

    @Test
    func `a call cannot name a field of the manager's for a page in plain http, but for one by https`() async throws {
        let secure = "https://files.example.com/orders?after=c2"
        let key = try #require(HTTPField.Name("X-Tenant-Key"))
        for (next, sent) in [(Self.plain, nil), (secure, "of-manager")] {
            let client = try Self.client(next: next)
            client.manager.options = client.manager.options.header(key, "of-manager")
            let node = client.manager.request([Int].self).endpoint("/orders").fieldsForAnyOrigin(key)
                .redirects(.follow.allowingPlainHTTP())

            for try await _ in node.pages(.link) {}

            #expect(client.requests.map(\.url) == [Self.first, next])
            #expect(client.requests.last?.headers[key] == sent)
        }
    }

    @Test
    func `a page in plain http does not share the request of a call to the same URL`() async throws {
        let client = try Self.client()
        let key = try #require(HTTPField.Name("X-Tenant-Key"))
        client.manager.options = client.manager.options.header(key, "of-manager").fieldsForAnyOrigin(key)
            .redirects(.follow.allowingPlainHTTP())

        _ = try await client.manager.request([Int].self).get().url(Self.plain).send()
        for try await _ in client.manager.request([Int].self).endpoint("/orders").pages(.link) {}

        #expect(client.requests.map { $0.headers[key] } == ["of-manager", "of-manager", nil])
    }

    @Test
    func `a page whose redirect has left https goes on without it`() async throws {
        let client = try Self.client(redirectedTo: "http://api.example.com/v2/orders")
        let node = client.manager.request([Int].self).endpoint("/orders").redirects(.follow.allowingPlainHTTP())

        for try await _ in node.pages(.link) {}

        #expect(client.requests.map(\.url) == [Self.first, "http://api.example.com/v2/orders", Self.plain])
    }

    @Test
    func `a page leads from http to https without being asked`() async throws {
        let client = try Self.client()
        let secure = "https://api.example.com/v1/orders?after=c3"
        let pages = try client.manager.request([Int].self).url("http://api.example.com/v1/orders").pages(.link)
            .starting(from: PagingState(position: .url(secure), pageCount: 1, itemCount: 1))

        for try await _ in pages {}

        #expect(client.requests.map(\.url) == [secure])
    }
}
