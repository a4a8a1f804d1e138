// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import NIOCore

extension BodyUpload {
    func body(
        on loop: any EventLoop,
        of exchange: any SendingExchange,
        unless unguarded: UnguardedVersions
    ) -> HTTPClient.Body {
        .stream(contentLength: content.length) { [self] writer in
            let promise = loop.makePromise(of: Void.self)
            let task = Task {
                // A source that can be read only once must be intact for the next connection.
                await unguarded.waitForRefusals()
                guard !Task.isCancelled else {
                    return promise.fail(CancellationError())
                }
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
