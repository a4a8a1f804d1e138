// SPDX-License-Identifier: MIT

#if AsyncHTTPClient

import AsyncHTTPClient
import HTTPTypes
import HTTPWire
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import RestEssentials
import Synchronization

final class ResponseStreamer: HTTPClientResponseDelegate {
    typealias Response = Void

    private struct State {
        /// The waiter for the head; taken by the one that resumes it.
        var headWaiter: CheckedContinuation<HTTPResponseHead, any Error>?
        var waiter: CheckedContinuation<ByteBuffer?, any Error>?
        var flow = ChunkFlow<ByteBuffer>(limit: 256 << 10)
        var demand: EventLoopPromise<Void>?
        var task: HTTPClient.Task<Void>?
        var upload: Task<Void, Never>?
        var isUploading = false
        var hasEnded = false
        /// The size of the response, if it arrived before the request's body was sent, and the number of bytes
        /// received.
        var earlyLength: Int?
        var receivedCount = 0
        var clock = WireClock()
        var reason: (any Error)?
        /// Keeps the connections open until the end.
        var transport: AsyncHTTPClientTransport?
    }

    private let url: String
    private let hasBody: Bool
    private let isHead: Bool
    private let streamsBody: Bool
    private let idleTimeout: Duration?
    /// The pace that the server has to keep until the head of the response is there.
    let pace: PaceRule
    private let deadlines: DeadlineWatch
    private let state: Mutex<State>

    init(_ request: TransportRequest, _ deadlines: DeadlineWatch, of transport: AsyncHTTPClientTransport) {
        url = request.url
        hasBody = request.body != nil
        isHead = request.method == .head
        streamsBody = hasBody && request.body?.bytes == nil
        idleTimeout = request.idleTimeout
        pace = PaceRule(firstByte: request.firstByteTimeout)
        self.deadlines = deadlines
        state = Mutex(State(transport: transport))
    }

    var isSent: Bool { state.withLock { $0.clock.isSent } }

    var clock: WireClock { state.withLock { $0.clock } }

    // MARK: - Beginning and end

    func begin(_ continuation: CheckedContinuation<HTTPResponseHead, any Error>) {
        state.withLock { state in
            state.headWaiter = continuation
            state.clock.begin()
        }
    }

    func began(_ task: HTTPClient.Task<Void>) {
        let reason = state.withLock { state in
            if !state.hasEnded {
                state.task = task
            }
            return state.reason
        }
        if let reason {
            task.fail(reason: reason)
        }
    }

    private func end(early reason: any Error) {
        let task = state.withLock { state in
            state.reason = state.reason ?? reason
            return state.task
        }
        task?.fail(reason: reason)
    }

    private func end(_ end: ChunkFlow<ByteBuffer>.End) {
        let (headWaiter, waiter, upload, transport) = state.withLock { state in
            if !state.hasEnded {
                state.clock.end()
            }
            state.hasEnded = true
            let waiter = state.flow.finish(end) ? state.waiter : nil
            defer {
                state.headWaiter = nil
                state.waiter = nil
                state.task = nil
                state.upload = nil
                state.transport = nil
            }
            return (state.headWaiter, waiter, state.upload, state.transport)
        }
        upload?.cancel()
        switch end {
        case .complete:
            headWaiter?.resume(throwing: HTTPClientError.remoteConnectionClosed)
            waiter?.resume(returning: nil)
        case .failed(let error):
            headWaiter?.resume(throwing: error)
            waiter?.resume(throwing: error)
        }
        // The last reference may close the connections, which must not happen under the lock.
        withExtendedLifetime(transport) {}
    }

    // MARK: - Delegate

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        state.withLock { $0.clock.sendHead() }
        // If the request body of an exchange cannot be ended, it fails without informing the delegate.
        guard hasBody else {
            return
        }
        task.futureResult.whenFailure { error in
            self.end(.failed(error))
        }
    }

    func didSendRequest(task: HTTPClient.Task<Void>) {
        if hasBody {
            state.withLock { state in
                state.clock.sendRequest()
                state.isUploading = false
            }
        }
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        let waiter = state.withLock { state in
            state.clock.receiveHead()
            state.earlyLength = state.isUploading ? EarlyResponse.length(of: head, isHead: isHead) : nil
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: head)
        finishIfEarly(task)
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ part: ByteBuffer) -> EventLoopFuture<Void> {
        guard part.readableBytes > 0 else {
            return task.eventLoop.makeSucceededVoidFuture()
        }
        let (waiter, demand) = state.withLock { state in
            state.receivedCount += part.readableBytes
            switch state.flow.receive(part, count: part.readableBytes) {
            case .handOver:
                defer { state.waiter = nil }
                return (state.waiter, nil as EventLoopPromise<Void>?)
            case .hold:
                state.demand = task.eventLoop.makePromise()
                return (nil, state.demand)
            case .keep, .drop:
                return (nil, nil)
            }
        }
        waiter?.resume(returning: part)
        finishIfEarly(task)
        return demand?.futureResult ?? task.eventLoop.makeSucceededVoidFuture()
    }

    private func finishIfEarly(_ task: HTTPClient.Task<Void>) {
        guard streamsBody else {
            return
        }
        let isWhole = state.withLock { $0.isUploading && $0.earlyLength == $0.receivedCount }
        if isWhole {
            end(.complete)
            task.fail(reason: HTTPClientError.cancelled)
        }
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        end(.complete)
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        end(.failed(error))
    }
}

extension ResponseStreamer: TimedExchange {
    func expire() {
        end(early: HTTPClientError.deadlineExceeded)
    }
}

extension ResponseStreamer: PacedExchange {
    var progress: PaceRule.Progress {
        state.withLock { $0.clock.progress(awaitsBody: hasBody, latest: 0) }
    }

    func expire(because delay: PaceRule.Delay) {
        end(early: delay.error)
    }
}

extension ResponseStreamer: SendingExchange {
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
}

// MARK: - Chunks

extension ResponseStreamer: ByteSource {
    func next() async throws -> Data? {
        do {
            return try await nextBuffer().map { Data(buffer: $0) }
        } catch {
            throw error is CancellationError ? error : TransportFailure.errorAfterHead(error, url: url)
        }
    }

    private func nextBuffer() async throws -> ByteBuffer? {
        let ticket = idleTimeout.map { deadlines.add(self, until: NIODeadline.now() + TimeAmount($0)) }
        defer {
            if let ticket {
                deadlines.remove(ticket)
            }
        }
        return try await withCheckedThrowingContinuation { continuation in
            let (delivery, demand) = state.withLock { state in
                let delivery = state.flow.ask()
                var demand: EventLoopPromise<Void>?
                switch delivery {
                case .chunk(_, resumes: true):
                    demand = state.demand
                    state.demand = nil
                case .wait:
                    state.waiter = continuation
                case .chunk, .end:
                    break
                }
                return (delivery, demand)
            }
            demand?.succeed()
            switch delivery {
            case .chunk(let chunk, _): continuation.resume(returning: chunk)
            case .end(.complete): continuation.resume(returning: nil)
            case .end(.failed(let error)): continuation.resume(throwing: error)
            case .wait: break
            }
        }
    }

    func cancel() {
        let (waiter, demand) = state.withLock { state in
            let waiter = state.flow.cancel() ? state.waiter : nil
            defer {
                state.waiter = nil
                state.demand = nil
            }
            return (waiter, state.demand)
        }
        waiter?.resume(throwing: CancellationError())
        demand?.succeed()
        end(early: HTTPClientError.cancelled)
    }
}

#endif
