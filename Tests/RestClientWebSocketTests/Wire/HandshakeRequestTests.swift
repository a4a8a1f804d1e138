// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOHTTP1
import RestClient
import Testing

@testable import RestClientWebSocket

@Suite
struct HandshakeRequestTests {
    private static func headers(_ fields: HTTPFields) throws -> HTTPHeaders {
        let request = TransportRequest(method: .get, url: "https://api.example.com:8443/feed", headers: fields)
        return try HandshakeRequest(request, HTTPURL(request.url), WebSocketOptions()).head.headers
    }

    @Test
    func `the request has one host, that of the URL or the call's own`() throws {
        let host = try #require(HTTPField.Name("host"))

        #expect(try Self.headers([:])["host"] == ["api.example.com:8443"])
        #expect(try Self.headers([host: "tenant.example"])["host"] == ["tenant.example"])
    }

    @Test
    func `fields of the handshake are its own, and other fields go along`() throws {
        let headers = try Self.headers([.upgrade: "h2c", .secWebSocketVersion: "12", .userAgent: "a"])

        #expect(headers["upgrade"] == ["websocket"])
        #expect(headers["sec-websocket-version"] == ["13"])
        #expect(headers["user-agent"] == ["a"])
    }

    @Test(arguments: ["/a/../b", "/a\\..\\b", "/a{b}|c?d=[e]^`f", "/%zz//x;y", "/"])
    func `the target is sent as it is written`(target: String) throws {
        let request = TransportRequest(method: .get, url: "https://api.example.com" + target)

        let handshake = try HandshakeRequest(request, HTTPURL(sent: request.url), WebSocketOptions())

        #expect(handshake.head.uri == target)
    }
}
