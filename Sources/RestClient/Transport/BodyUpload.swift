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
                    let reader = try ChunkReader(content)
                    do {
                        try await write(reader, to: writer)
                        end.succeed()
                    } catch {
                        end.fail(error)
                        await leave(reader)
                    }
                } catch {
                    end.fail(error)
                }
            }
            exchange.uploads(task)
            return end.futureResult
        }
    }

    private func write(_ reader: ChunkReader, to writer: HTTPClient.Body.StreamWriter) async throws {
        while let chunk = try await reader.next() {
            try await writer.write(.byteBuffer(ByteBuffer(bytes: chunk))).get()
        }
    }

    /// Lets the source of the body see that nothing more will be sent, after a chunk could not be sent.
    ///
    /// A source notices only a cancelled task that waits for its next chunk. The end of the exchange cancels this one.
    private func leave(_ reader: ChunkReader) async {
        var wasCancelled = false
        repeat {
            wasCancelled = Task.isCancelled
        } while (try? await reader.next()) != nil && !wasCancelled
    }
}
