// SPDX-License-Identifier: MIT

package import NIOCore
import Synchronization

/// One request and its response, for a caller that is resumed exactly once.
package final class WireExchange: Sendable, TimedExchange {
    /// Makes a connection that of another protocol, or throws if the response does not allow it.
    ///
    /// It runs on the event loop of the channel, once, and adds its handlers at the end of the pipeline: they get the
    /// bytes that came behind the response. The channel is not of the pool any more, and is closed if this throws.
    package typealias TakeOver = @Sendable (_ response: HeadBytes, _ channel: any Channel) throws -> Void

    private struct State {
        var continuation: CheckedContinuation<WireResponse, any Error>?
        /// A Boolean value that is true if a connection has carried the exchange, now or earlier.
        var wasAttached = false
        /// The connection that carries the exchange.
        var connection: WireConnection?
        /// The place in the queue of the pool.
        var waiter: ConnectionPool.WaiterID?
        /// The reason of an end that came before the caller waited.
        var reason: (any Error)?
        var hasEnded = false
        /// Produces the body of the request.
        var upload: Task<Void, Never>?
        var progress = WireProgress.sending
    }

    let request: WireRequest
    let pool: ConnectionPool
    /// The maximum number of bytes of the response's body, without a content coding and with one.
    let limits: (plain: Int, coded: Int)
    /// True if somebody watches how far the exchange has come, which costs a lock for each part of the response.
    let isWatched: Bool
    /// Takes the connection over if the server agrees; `nil` if the request does not ask for another protocol.
    let takeOver: TakeOver?
    /// The body of the response, if it is read as it comes; `nil` if it is collected.
    let body: WireBody?
    let began = WireTimes.now
    private let state = Mutex(State())

    /// Creates an exchange.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - pool: The connections of its server.
    ///   - limit: The maximum number of bytes of the response's body.
    ///   - codedLimit: The same for a body with a content coding.
    ///   - isWatched: True if ``progress`` is wanted.
    ///   - streams: True if ``response()`` returns with the head, and ``nextChunk()`` reads the body.
    ///   - takeOver: Takes the connection over behind a 101, or behind a success of `CONNECT`; any other response is
    ///     an ordinary one. It is not streamed.
    package init(
        _ request: WireRequest,
        over pool: ConnectionPool,
        limit: Int,
        codedLimit: Int,
        isWatched: Bool = false,
        streams: Bool = false,
        takeOver: TakeOver? = nil
    ) {
        self.request = request
        self.pool = pool
        self.isWatched = isWatched
        self.takeOver = takeOver
        body = streams && takeOver == nil ? WireBody() : nil
        limits = (limit, codedLimit)
    }

    /// Sends the request and waits for the whole response, or for its head if the body is read as it comes.
    ///
    /// - Returns: The response; with an empty body if that is read as it comes.
    /// - Throws: ``WireFault``, an error of SwiftNIO, or `CancellationError`.
    package func response() async throws -> WireResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let reason = state.withLock { state in
                    if !state.hasEnded {
                        state.continuation = continuation
                    }
                    return state.reason
                }
                if let reason {
                    continuation.resume(throwing: reason)
                } else {
                    pool.acquire(for: self)
                }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Waits for the next bytes of a body that is read as it comes.
    ///
    /// One task reads.
    ///
    /// - Returns: The bytes, at least one; `nil` at the end.
    /// - Throws: ``WireFault``, an error of SwiftNIO, `CancellationError`, or the error of the request's stream.
    package func nextChunk() async throws -> ByteBuffer? {
        try await body?.next()
    }

    /// A Boolean value that is true if bytes came behind a body that is read as it comes, once its end was taken.
    package var hasSurplus: Bool { body?.hasSurplus ?? false }

    /// Ends the exchange because its response is not wanted any more.
    package func cancel() {
        end(early: CancellationError())
        body?.cancel()
    }

    /// Ends the exchange because its time is up.
    package func expire() {
        end(early: WireFault.deadlineExceeded)
    }

    /// The progress of the exchange, if it is watched.
    package var progress: WireProgress { state.withLock { $0.hasEnded ? .ended : $0.progress } }

    /// A Boolean value that is true if nothing of the request was passed to a connection.
    package var isUnsent: Bool { state.withLock { !$0.wasAttached } }

    /// Ends the exchange from outside; its connection is closed.
    package func end(early reason: any Error) {
        let (continuation, connection, waiter, upload, isLate) = state.withLock { state in
            let isLate = state.hasEnded
            if !isLate {
                state.reason = reason
                state.hasEnded = true
            }
            defer {
                state.continuation = nil
                state.connection = nil
                state.waiter = nil
                state.upload = nil
            }
            return (state.continuation, state.connection, state.waiter, state.upload, isLate)
        }
        if let waiter {
            pool.withdraw(waiter)
        }
        connection?.abandon(self)
        upload?.cancel()
        continuation?.resume(throwing: reason)
        if !isLate {
            body?.finish(.failed(reason))
        }
    }

    // MARK: - For the pool and the connection

    /// The response behind which the connection is handed over.
    var handover: ResponseParser.Handover { takeOver == nil ? .none : request.isTunnel ? .tunnel : .upgrade }

    /// Takes the place in the queue; withdraws from it if the exchange has ended meanwhile.
    func wait(as waiter: ConnectionPool.WaiterID) {
        let hasEnded = state.withLock { state in
            // A connection may have been quicker than this call.
            if !state.hasEnded, state.connection == nil {
                state.waiter = waiter
            }
            return state.hasEnded
        }
        if hasEnded {
            pool.withdraw(waiter)
        }
    }

    /// Takes the connection that carries the exchange.
    ///
    /// - Returns: False if the exchange has ended, so that nothing must be sent.
    func attach(_ connection: WireConnection) -> Bool {
        state.withLock { state in
            guard !state.hasEnded else {
                return false
            }
            state.connection = connection
            state.wasAttached = true
            state.waiter = nil
            return true
        }
    }

    /// Lets go of the connection, which may carry another exchange from now on.
    ///
    /// - Returns: The way to end the exchange; `nil` if it has ended.
    func detach() -> CheckedContinuation<WireResponse, any Error>? {
        let (continuation, upload) = state.withLock { state in
            state.hasEnded = true
            defer {
                state.continuation = nil
                state.connection = nil
                state.waiter = nil
                state.upload = nil
            }
            return (state.continuation, state.upload)
        }
        upload?.cancel()
        return continuation
    }

    /// Takes the end of the request.
    func noteSent(at instant: UInt64 = WireTimes.now) {
        state.withLock { $0.progress.sent(at: instant) }
    }

    /// Takes bytes of the response.
    func noteReceived(at instant: UInt64 = WireTimes.now) {
        state.withLock { $0.progress.received(at: instant) }
    }

    /// Starts the source of the request's body.
    func start(_ stream: WireStream, _ upload: WireUpload) {
        let task = stream.start(upload)
        let hasEnded = state.withLock { state in
            if !state.hasEnded {
                state.upload = task
            }
            return state.hasEnded
        }
        if hasEnded {
            task.cancel()
        }
    }

    /// Hands over the head of a response whose body is read as it comes.
    func respond(_ response: WireResponse) {
        let continuation = state.withLock { $0.continuation.take() }
        continuation?.resume(returning: response)
    }

    /// Ends the exchange with an error.
    func fail(_ error: any Error) {
        detach()?.resume(throwing: error)
        body?.finish(.failed(error))
    }
}
