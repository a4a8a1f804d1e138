// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import NIOCore
import RestEssentials

/// Sends a body piece by piece, each once the connection has accepted the previous one.
final class BodyUpload: Sendable {
    private let content: RequestBody
    private let loop: any EventLoop
    private let exchange: any SendingExchange

    /// Creates the upload of one exchange.
    ///
    /// - Parameters:
    ///   - content: The body.
    ///   - loop: Any event loop, on which the end is reported.
    ///   - exchange: The exchange, whose end ends the upload.
    init(_ content: RequestBody, loop: any EventLoop, _ exchange: any SendingExchange) {
        self.content = content
        self.loop = loop
        self.exchange = exchange
    }

    /// The body as AsyncHTTPClient sends it.
    var body: HTTPClient.Body {
        .stream(contentLength: content.length) { [self] writer in
            let end = loop.makePromise(of: Void.self)
            let task = Task {
                do {
                    try await write(to: writer)
                    end.succeed()
                } catch {
                    end.fail(error)
                }
            }
            exchange.uploads(task)
            return end.futureResult
        }
    }

    private func write(to writer: HTTPClient.Body.StreamWriter) async throws {
        let reader = try ChunkReader(content)
        while let chunk = try await reader.next() {
            try await writer.write(.byteBuffer(ByteBuffer(bytes: chunk))).get()
        }
    }
}
