// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// The fields and the cookies of a request that follows a redirect.
@Suite
struct RedirectFieldTests {
    private static let elsewhere = "https://other.example/b"

    private static func fields(_ names: [String]) throws -> HTTPFields {
        var fields = HTTPFields()
        for name in names {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: "x"))
        }
        return fields
    }

    /// Returns the names of the fields that arrive at another server.
    private static func arriving(
        _ names: [String],
        _ method: HTTPRequest.Method = .get,
        free: HTTPField.Name = .accept
    ) async throws -> Set<String> {
        let client = StubbedClient(answering: .redirect(307, to: elsewhere), .status(.ok))
        let fields = try fields(names)
        try await client.manager.request(Void.self).method(method).endpoint("/a").headers(fields)
            .fieldsForAnyOrigin(free)
            .send()
        let request = try #require(client.requests.last)
        #expect(request.url == elsewhere)
        return Set(names.filter { name in request.headers.contains { $0.name.canonicalName == name.lowercased() } })
    }

    @Test
    func `no field goes along to another server unless it means the same to every server`() async throws {
        let secrets = [
            "X-OTP", "X-GitHub-OTP", "X-TOTP-Code", "X-MFA-Code", "X-Pin", "X-Passcode", "X-Pass", "X-User-Pass",
            "X-Bearer", "Bearer", "X-SID", "X-Ticket", "X-WP-Nonce", "X-XSRF", "X-Account-Pw", "X-MAC", "X-HMAC",
            "PHPSESSID", "X-Sessid", "SAMLResponse", "X-Client-Cert", "X-Forwarded-Client-Cert", "X-Login", "Baggage",
            "Signature", "Signature-Input", "Authorization", "Cookie", "Origin", "Referer", "From", "Traceparent",
            "X-Anything", "Content-Pass", "Accept-Pin", "If-Secret",
        ]

        #expect(try await Self.arriving(secrets) == [])
    }

    @Test
    func `what describes the message goes along, and what a level names`() async throws {
        let message = [
            "Accept", "Accept-Language", "Accept-Encoding", "Cache-Control", "Content-Type", "Idempotency-Key",
            "If-Range", "Last-Event-ID", "Prefer", "Range", "User-Agent", "Want-Repr-Digest",
        ]
        let mark = try #require(HTTPField.Name("X-Mark"))

        #expect(try await Self.arriving(message) == Set(message))
        #expect(try await Self.arriving(["X-Mark", "X-Other"], free: mark) == ["X-Mark"])
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, ["If-Range"]), (.head, ["If-Range"]),
        (.put, ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"]),
    ])
    func `validators of a stored response stay behind, and preconditions of a change go along`(
        method: HTTPRequest.Method,
        kept: [String]
    ) async throws {
        let names = ["If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"]

        let arrived = try await Self.arriving(names, method)

        #expect(arrived.isSuperset(of: kept))
        #expect(arrived.contains("If-None-Match") == (method == .put))
        #expect(arrived.contains("If-Modified-Since") == (method == .put))
    }

    @Test
    func `a next page at another server gets what describes the message only`() async throws {
        let link = RawResponse.text("[1]", headers: [.init("Link")!: "<\(Self.elsewhere)>; rel=next"])
        let client = StubbedClient(answering: link, .text("[2]"))
        let names = try ["X-OTP", "X-Mark", "X-Named"].map { try #require(HTTPField.Name($0)) }
        client.manager.options = client.manager.options.header(names[0], "1").fieldsForAnyOrigin(names[2])

        let node = client.manager.request([Int].self).endpoint("/a").header(names[1], "1").header(names[2], "1")
            .header(.acceptLanguage, "ko").header(.userAgent, "test/1")
        for try await _ in node.pages(.link).items {}

        let page = try #require(client.requests.last)
        #expect(page.url == Self.elsewhere)
        #expect(names.map { page.headers.contains($0) } == [false, false, true])
        #expect(page.headers[.acceptLanguage] == "ko")
        #expect(page.headers[.userAgent] == "test/1")
        #expect(names.map { client.requests.first?.headers.contains($0) } == [true, true, true])
    }

    // MARK: - Cookies

    @Test(arguments: 1...8)
    func `a chain with new cookies is no loop`(count: Int) async throws {
        let step = HTTPField.Name.cookie
        let client = StubbedClient(
            StubTransport { request in
                let number = request.headers[step].flatMap { Int($0.dropFirst(2)) } ?? 0
                return number == count
                    ? .status(.ok)
                    : .status(.found, headers: [.location: "/v1/a", .setCookie: "n=\(number + 1); Path=/"])
            }
        )

        try await client.manager.request(Void.self).endpoint("/a").cookies(CookieJar()).send()

        #expect(client.requests.count == count + 1)
    }

    @Test
    func `a chain with the same cookies is a loop`() async {
        let client = StubbedClient(
            StubTransport { _ in .status(.found, headers: [.location: "/v1/a", .setCookie: "n=1; Path=/"]) }
        )

        let error = await client.failure { $0.endpoint("/a").cookies(CookieJar()) }

        // Once without the cookie, and twice with it.
        #expect(error?.code == .redirectLoop)
        #expect(client.requests.map { $0.headers[.cookie] } == [nil, "n=1", "n=1"])
    }

    @Test
    func `a call's own Cookie field is not replaced along a chain`() async throws {
        let client = StubbedClient(
            answering: .status(.found, headers: [.location: "/v1/b", .setCookie: "n=1; Path=/"]),
            .status(.ok)
        )

        try await client.manager.request(Void.self).endpoint("/a").cookies(CookieJar()).header(.cookie, "own=1").send()

        #expect(client.requests.map { $0.headers[.cookie] } == ["own=1", "own=1"])
    }

    @Test(
        arguments: [[0x80], [0x61, 0xE9], [0xFF, 0xFE], [0xC3, 0xA9, 0xC3], [0xF4, 0x8F, 0xBF, 0xBF]] as [[UInt8]]
    )
    func `the bytes of a cookie along a chain are those that were set`(value: [UInt8]) async throws {
        var fields: HTTPFields = [.location: "/v1/b"]
        fields.append(HTTPField(name: .setCookie, value: Array("n=".utf8) + value + Array("; Path=/".utf8)))
        let client = StubbedClient(answering: .status(.found, headers: fields), .status(.ok))
        let node = client.manager.request(Void.self).endpoint("/a").cookies(CookieJar())

        try await node.send()
        try await node.send()

        let sent = client.requests.map { $0.headers.text(.cookie).map { FieldText.bytes(of: $0) } }
        #expect(sent == [nil, Array("n=".utf8) + value, Array("n=".utf8) + value])
    }

    @Test
    func `cookies that differ in a byte outside of UTF-8 are new ones`() async throws {
        let bytes: [UInt8] = [0x80, 0x81, 0x82, 0x83]
        let count = Recorder<Void>()
        let client = StubbedClient(
            StubTransport { _ in
                count.record(())
                guard count.count <= bytes.count else {
                    return .status(.ok)
                }
                var fields: HTTPFields = [.location: "/v1/a"]
                fields.append(HTTPField(name: .setCookie, value: Array("n=".utf8) + [bytes[count.count - 1]]))
                return .status(.found, headers: fields)
            }
        )

        try await client.manager.request(Void.self).endpoint("/a").cookies(CookieJar()).send()

        #expect(client.requests.count == bytes.count + 1)
    }
}
