// SPDX-License-Identifier: MIT

import Testing

@testable import RestClientTesting
@testable import TestSupport

/// Servers for tests may get real credentials; what is printed of their requests and responses shows none.
@Suite
struct SecretDescriptionTests {
    private static let headers: LoopbackHeaders = [
        "Cookie": "session=s3cret", "X-Functions-Key": "s3cret", "Location": "/?token=s3cret", "X-Own": "seen",
    ]

    private func expectNoSecret(
        _ value: Any,
        showing visible: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        var dumped = ""
        dump(value, to: &dumped)
        for text in ["\(value)", String(reflecting: value), dumped] {
            #expect(!text.contains("s3cret"), "\(text)", sourceLocation: location)
            #expect(text.contains(visible), "\(text)", sourceLocation: location)
        }
    }

    @Test
    func `requests and responses of the servers show no secret`() {
        let request = LoopbackRequest(
            number: 1,
            connection: 2,
            version: .http11,
            method: .get,
            target: "/a?page=2&subscription-key=s3cret",
            authority: nil,
            headers: Self.headers,
            body: Array("s3cret".utf8)
        )
        expectNoSecret(request, showing: "#1 GET /a?page=2&subscription-key=<redacted> HTTP/1.1")
        expectNoSecret(Self.headers, showing: "X-Own: seen")
        expectNoSecret(LoopbackResponse.text("s3cret", headers: Self.headers), showing: "X-Own: seen")
        let head = "GET /a?page=2&token=s3cret HTTP/1.1\r\nCookie: session=s3cret"
        expectNoSecret(FaultServer.Request(head: head), showing: "GET /a?page=2")
        #expect(request.headers["Cookie"] == "session=s3cret")
    }

    @Test
    func `a test identity shows its names, and not its private key`() throws {
        let identity = try TestIdentity(names: ["localhost"])
        let key = try #require(identity.privateKeyPEM.split(separator: "\n").dropFirst().first)
        var dumped = ""
        dump(identity, to: &dumped)

        for text in ["\(identity)", dumped] {
            #expect(text.contains("localhost"))
            #expect(!text.contains(key) && !text.contains("PRIVATE"))
        }
    }
}
