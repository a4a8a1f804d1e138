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
}
