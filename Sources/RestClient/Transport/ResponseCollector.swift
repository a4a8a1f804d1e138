// SPDX-License-Identifier: MIT

import AsyncHTTPClient
import HTTPTypes
import NIOCore
import NIOHTTP1
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Collects an answer as it arrives, and ends the exchange when its body exceeds the limit.
///
/// The methods run on the event loop of the connection; what can wait, like making header fields of our kind, is left to
/// the task that waits for the answer.
final class ResponseCollector: HTTPClientResponseDelegate {
    /// An answer as the wire brought it.
    struct Collected: Sendable {
        var head: HTTPResponseHead?
        var body: ByteBuffer?

        /// The answer in the library's own terms.
        func response() throws(RestClientError) -> RawResponse {
            guard let head, (100..<1_000).contains(head.status.code) else {
                throw RestClientError(.malformedResponse, "the answer has no valid status")
            }
            var headers = HTTPFields()
            headers.reserveCapacity(head.headers.count)
            for (name, value) in head.headers {
                guard let name = HTTPField.Name(name) else {
                    throw RestClientError(.malformedResponse, "the answer has a header field without a valid name")
                }
                headers.append(HTTPField(name: name, value: value))
            }
            return RawResponse(
                status: HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
                headers: headers,
                body: body.map { Data($0.readableBytesView) } ?? Data()
            )
        }
    }

    typealias Response = Collected

    private let limit: Int
    private let collected = Mutex(Collected())

    init(limit: Int) {
        self.limit = limit
    }

    func didReceiveHead(task: HTTPClient.Task<Response>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        collected.withLock { $0.head = head }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Response>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let size = collected.withLock { collected in
            let size = (collected.body?.readableBytes ?? 0) + part.readableBytes
            guard size <= limit, size <= Int(UInt32.max) else {
                return size
            }
            if collected.body == nil {
                collected.body = part
            } else {
                var part = part
                collected.body?.writeBuffer(&part)
            }
            return size
        }
        guard size <= limit, size <= Int(UInt32.max) else {
            return task.eventLoop.makeFailedFuture(TransportFailure.bodyOverLimit(limit))
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Response>) throws -> Response {
        collected.withLock { $0 }
    }
}
