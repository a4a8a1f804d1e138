// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import Testing

@testable import RestClientWebSocket

@Suite
struct HandshakeRulesTests {
    @Test
    func `the proof is that of the standard's example`() {
        #expect(HandshakeRules.accept(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test
    func `fields of the handshake are its own, and other fields go along`() throws {
        let host = try #require(HTTPField.Name("host"))

        let fields = try HandshakeRules.fields(
            [.upgrade: "h2c", .secWebSocketVersion: "12", .userAgent: "a", host: "tenant.example"],
            key: "k",
            offered: []
        )

        #expect(fields[values: .upgrade] == ["websocket"])
        #expect(fields[values: .secWebSocketVersion] == ["13"])
        #expect(fields[values: .userAgent] == ["a"])
        #expect(fields[values: host] == ["tenant.example"])
    }
}
