// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LoopbackPortTests {
    @Test
    func `a refusing port refuses`() async throws {
        let port = try LoopbackPort(.refusing)
        #expect(port.url == "http://127.0.0.1:\(port.number)")
        await #expect(throws: (any Error).self) { try await LoopbackConnection.open(port: port.number) }
    }

    @Test
    func `a port that does not respond keeps clients waiting until they give up`() async throws {
        let port = try LoopbackPort(.unanswering)
        await #expect(throws: (any Error).self) {
            try await LoopbackConnection.open(port: port.number, timeout: .milliseconds(50))
        }
    }
}
