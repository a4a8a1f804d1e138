// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOPosix
import Testing

@testable import HTTPWire

@Suite(.timeLimit(.minutes(5)))
struct WireUploadTests {
    @Test
    func `a source that is cancelled waits for its connection no longer`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let client = WireClient(WireConfiguration(), on: loop)
        let pool = try client.pool(to: WireOrigin(isSecure: false, host: "a.test", port: 80))
        let request = try WireRequest(method: "PUT", target: "/", host: "a.test", fields: [:], body: nil)
        let exchange = WireExchange(request, over: pool, limit: 1, codedLimit: 1)
        let connection = try await loop.submit { WireConnection(ConnectionHandler(pool), isShared: false, on: loop) }
            .get()
        for cancelsAtOnce in [true, false] {
            let upload = WireUpload(exchange, over: connection)
            let source = Task { try await upload.write(ByteBuffer(repeating: 1, count: 1 << 20)) }
            if !cancelsAtOnce {
                // The connection is woken by the chunk, and carries another exchange.
                try await loop.submit {}.get()
            }

            source.cancel()

            await #expect(throws: CancellationError.self) { try await source.value }
        }
    }
}
