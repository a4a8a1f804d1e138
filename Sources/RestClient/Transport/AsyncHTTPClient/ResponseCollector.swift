// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import HTTPTypes
import HTTPWire
import JobGraphs
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import RestEssentials
import Synchronization

/// Collects a response as it arrives, and ends the exchange when its body exceeds the limit.
///
/// The delegate's methods run on the event loop of the connection; other work, like decompressing the body, is left to
/// the task that waits for the response.
final class ResponseCollector: HTTPClientResponseDelegate, TimedExchange, SendingExchange {
    typealias Response = ResponseCollector

    private struct State {
        var head: HTTPResponseHead?
        var body: ByteBuffer?
        var wireLimit = 0
        /// The waiter for the end; taken by the one that resumes it.
        var continuation: CheckedContinuation<Void, any Error>?
        var task: HTTPClient.Task<Response>?
        var clock = WireClock()
        var upload: Task<Void, Never>?
        var isUploading = false
        var hasEnded = false
        /// The size of the response, if it arrived before the request's body was sent.
        var earlyLength: Int?
        var latest: UInt64 = 0
        var reason: (any Error)?
    }

    private let limit: Int
    private let isHead: Bool
    private let hasBody: Bool
    private let streamsBody: Bool
    private let asksForUpgrade: Bool
    private let decompressionLimit: Int?
    let pace: PaceRule
    private let state = Mutex(State())

    init(_ request: TransportRequest) {
        limit = request.responseLimit
        isHead = request.method == .head
        hasBody = request.body != nil
        streamsBody = hasBody && request.body?.bytes == nil
        asksForUpgrade = request.headers.contains(.upgrade)
        decompressionLimit = request.decompressionLimit
        pace = PaceRule(firstByte: request.firstByteTimeout, nextByte: request.idleTimeout)
    }

    func response() throws(RestClientError) -> RawResponse {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        guard let head = state.head else {
            throw RawResponse.withoutStatus
        }
        let codings = head.headers["Content-Encoding"]
        let bytes = state.body.map { Data(buffer: $0) } ?? Data()
        let body =
            codings.isEmpty
            ? bytes
            : try ContentCoding.decode(
                bytes,
                codings,
                status: Int(head.status.code),
                limit: limit,
                factor: decompressionLimit
            )
        return try RawResponse(head, body: body, state.clock)
    }

    var isSent: Bool { state.withLock { $0.clock.isSent } }

    // MARK: - Beginning and end

    /// Sets the waiter for the end, before the exchange begins.
    ///
    /// The delegate's own methods report the end: the future of the exchange would cost one more thread switch for each
    /// request.
    func begin(_ continuation: CheckedContinuation<Void, any Error>) {
        state.withLock { state in
            state.continuation = continuation
            state.clock.begin()
        }
    }

    /// Stores the exchange, so that it can be ended early; ends it if that was requested meanwhile.
    func began(_ task: HTTPClient.Task<Response>) {
        let reason = state.withLock { state in
            if state.continuation != nil {
                state.task = task
            }
            return state.reason
        }
        if let reason {
            task.fail(reason: reason)
        }
    }

    func cancel() {
        end(early: HTTPClientError.cancelled)
    }

    func expire() {
        end(early: HTTPClientError.deadlineExceeded)
    }

    /// Ends the exchange before the response is complete; repeated or late calls have no effect.
    private func end(early reason: any Error) {
        let task = state.withLock { state in
            state.reason = state.reason ?? reason
            return state.task
        }
        task?.fail(reason: reason)
    }

    func uploads(_ upload: Task<Void, Never>) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded {
                state.upload = upload
                state.isUploading = true
            }
            return state.hasEnded
        }
        if hasEnded {
            upload.cancel()
        }
    }

    private func end(_ result: Result<Void, any Error>) {
        let (continuation, upload) = state.withLock { state in
            state.clock.end()
            state.hasEnded = true
            defer {
                state.continuation = nil
                state.task = nil
                state.upload = nil
            }
            return (state.continuation, state.upload)
        }
        upload?.cancel()
        continuation?.resume(with: result)
    }

    // MARK: - Delegate

    func didSendRequestHead(task: HTTPClient.Task<Response>, _ head: HTTPRequestHead) {
        state.withLock { $0.clock.sendHead() }
        // If the request body of an exchange cannot be ended, it fails without informing the delegate. Requesting the
        // future here, on its event loop, costs no thread switch.
        guard hasBody else {
            return
        }
        task.futureResult.whenFailure { error in
            self.end(.failure(error))
        }
    }

    func didSendRequest(task: HTTPClient.Task<Response>) {
        if hasBody {
            state.withLock { state in
                state.clock.sendRequest()
                state.isUploading = false
            }
        }
    }

    func didReceiveHead(task: HTTPClient.Task<Response>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let ceiling = Int(clamping: UInt32.max)
        let allowed = min(max(0, limit), ceiling)
        // The limit applies to the decompressed bytes.
        let isCoded = head.headers.contains(name: "Content-Encoding")
        let wireLimit = isCoded ? min(ContentCoding.wireLimit(allowed), ceiling) : allowed
        state.withLock { state in
            state.head = head
            state.wireLimit = wireLimit
            state.clock.receiveHead()
            state.earlyLength = state.isUploading ? EarlyResponse.length(of: head, isHead: isHead) : nil
        }
        finishIfEarly(task)
        if head.status == .switchingProtocols, !asksForUpgrade {
            return task.eventLoop.makeFailedFuture(TransportFailure.unaskedUpgrade)
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
            if pace.nextByte != nil {
                state.latest = NIODeadline.now().uptimeNanoseconds
            }
            if state.body == nil {
                state.body = part
            } else {
                var part = part
                state.body?.writeBuffer(&part)
            }
            return true
        }
        finishIfEarly(task)
        return isWithinLimit
            ? task.eventLoop.makeSucceededVoidFuture()
            : task.eventLoop.makeFailedFuture(TransportFailure.bodyOverLimit(limit))
    }

    /// Ends the exchange if its response is complete although the body of the request has not been sent.
    ///
    /// AsyncHTTPClient would wait for a stream that may never end.
    private func finishIfEarly(_ task: HTTPClient.Task<Response>) {
        guard streamsBody else {
            return
        }
        let isWhole = state.withLock { state in
            state.isUploading && state.earlyLength == state.body?.readableBytes ?? 0
        }
        if isWhole {
            end(.success(()))
            task.fail(reason: HTTPClientError.cancelled)
        }
    }

    func didFinishRequest(task: HTTPClient.Task<Response>) throws -> Response {
        end(.success(()))
        return self
    }

    func didReceiveError(task: HTTPClient.Task<Response>, _ error: any Error) {
        end(.failure(error))
    }
}

extension ResponseCollector: PacedExchange {
    var progress: PaceRule.Progress {
        state.withLock { $0.clock.progress(awaitsBody: hasBody, latest: $0.latest) }
    }

    func expire(because delay: PaceRule.Delay) {
        end(early: delay.error)
    }
}

#endif
