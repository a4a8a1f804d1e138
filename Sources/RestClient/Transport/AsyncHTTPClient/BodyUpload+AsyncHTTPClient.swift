// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore

extension BodyUpload {
    /// Returns the body as AsyncHTTPClient sends it.
    ///
    /// - Parameters:
    ///   - loop: Any event loop, on which the end is reported.
    ///   - exchange: The exchange, whose end ends the upload.
    /// - Returns: The body.
    func body(on loop: any EventLoop, of exchange: any SendingExchange) -> HTTPClient.Body {
        .stream(contentLength: content.length) { [self] writer in
            let promise = loop.makePromise(of: Void.self)
            let task = Task {
                await run { chunk in
                    try await writer.write(.byteBuffer(ByteBuffer(bytes: chunk))).get()
                } end: { result in
                    promise.completeWith(result)
                }
            }
            exchange.uploads(task)
            return promise.futureResult
        }
    }
}

#endif
