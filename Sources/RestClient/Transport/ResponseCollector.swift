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
/// The delegate's methods run on the event loop of the connection; what can wait, like unfolding the body, is left to the
/// task that waits for the answer.
final class ResponseCollector: HTTPClientResponseDelegate {
    typealias Response = ResponseCollector

    private struct State {
        var head: HTTPResponseHead?
        var body: ByteBuffer?
        /// How many bytes may come over the wire.
        var wireLimit = 0
    }

    private let limit: Int
    private let isHead: Bool
    private let state = Mutex(State())

    /// Creates a collector for the answer to a request.
    init(_ request: TransportRequest) {
        limit = request.responseLimit
        isHead = request.method == .head
    }

    /// The answer in the library's own terms.
    ///
    /// - Throws: ``RestClientError`` when its status is none, or its body does not unfold.
    func response() throws(RestClientError) -> RawResponse {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        guard let head = state.head, (100..<1_000).contains(head.status.code) else {
            throw RestClientError(.malformedResponse, "the answer has no valid status")
        }
        let codings = head.headers["Content-Encoding"]
        let bytes = state.body.map { Data($0.readableBytesView) } ?? Data()
        return RawResponse(
            status: HTTPResponse.Status(code: Int(head.status.code), reasonPhrase: head.status.reasonPhrase),
            lines: head.headers.map { ($0.name, $0.value) },
            body: codings.isEmpty ? bytes : try ContentCoding.decode(bytes, codings: codings, limit: limit)
        )
    }

    // MARK: Delegate

    func didReceiveHead(task: HTTPClient.Task<Response>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let ceiling = Int(clamping: UInt32.max)
        let allowed = min(max(0, limit), ceiling)
        // The limit is that of the unfolded bytes, and compressing makes short bodies longer.
        let isCoded = head.headers.contains(name: "Content-Encoding")
        let wireLimit = isCoded ? min(allowed + allowed / 64 + 4_096, ceiling) : allowed
        state.withLock { state in
            state.head = head
            state.wireLimit = wireLimit
        }
        if !isHead, head.status != .notModified, allowed < ceiling,
            let announced = head.headers.first(name: "Content-Length").flatMap({ Int($0) }), announced > wireLimit
        {
            return task.eventLoop.makeFailedFuture(TransportFailure.bodyOverLimit(limit))
        }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Response>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        let isWithinLimit = state.withLock { state in
            guard part.readableBytes <= state.wireLimit - (state.body?.readableBytes ?? 0) else {
                return false
            }
            if state.body == nil {
                state.body = part
            } else {
                var part = part
                state.body?.writeBuffer(&part)
            }
            return true
        }
        return isWithinLimit
            ? task.eventLoop.makeSucceededVoidFuture()
            : task.eventLoop.makeFailedFuture(TransportFailure.bodyOverLimit(limit))
    }

    func didFinishRequest(task: HTTPClient.Task<Response>) throws -> Response {
        self
    }
}
