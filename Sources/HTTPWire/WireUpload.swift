// SPDX-License-Identifier: MIT

package import NIOCore

/// Takes the chunks of one exchange's body, as fast as its connection does.
package final class WireUpload: Sendable {
    private let exchange: WireExchange
    private let connection: WireConnection

    init(_ exchange: WireExchange, over connection: WireConnection) {
        self.exchange = exchange
        self.connection = connection
    }

    /// Sends a chunk, and waits until there is room for another one.
    ///
    /// One task writes one chunk at a time.
    ///
    /// - Parameter chunk: The bytes; an empty chunk sends nothing.
    /// - Throws: `CancellationError` if the exchange has ended; ``WireFault/invalidRequest(_:)`` if the body has more
    ///   bytes than announced.
    package func write(_ chunk: ByteBuffer) async throws {
        guard chunk.readableBytes > 0 else {
            return
        }
        try await withCheckedThrowingContinuation { continuation in
            connection.write(chunk, of: exchange, continuation)
        }
    }

    /// Reports the end of the body, or the reason why there is none; the exchange fails for that reason.
    package func end(_ result: Result<Void, any Error>) {
        switch result {
        case .success: connection.endBody(of: exchange)
        case .failure(let error): exchange.end(early: error)
        }
    }
}
