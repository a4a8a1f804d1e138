// SPDX-License-Identifier: MIT

import DequeModule
package import NIOCore
import Synchronization

/// Takes the chunks of one exchange's body, a little faster than its connection does.
///
/// The source writes on any thread, and the connection takes chunks on its event loop. The loop is woken only if it has
/// taken all that came before, so that the two seldom wait for each other.
package final class WireUpload: Sendable {
    /// The number of bytes that the connection may be behind before the source waits.
    private static let readAhead = 256 << 10

    private struct State {
        var chunks: Deque<ByteBuffer> = []
        /// The bytes of the chunks.
        var count = 0
        /// The source, which waits for room; taken by the one that resumes it.
        var source: CheckedContinuation<Void, any Error>?
        /// True if the connection will look for chunks without being told.
        var isAwake = false
        /// True if no other chunk follows.
        var isWhole = false
        /// True if the exchange has ended.
        var isClosed = false

        /// Returns true if the connection must be told that there is something to take.
        mutating func wake() -> Bool {
            defer { isAwake = true }
            return !isAwake
        }
    }

    /// The next thing for the connection to do.
    enum Step {
        case chunk(ByteBuffer)
        /// Nothing, until it is told that there is more.
        case wait
        /// The end of the body.
        case end
    }

    private let exchange: WireExchange
    private let connection: WireConnection
    private let state = Mutex(State())

    init(_ exchange: WireExchange, over connection: WireConnection) {
        self.exchange = exchange
        self.connection = connection
    }

    // MARK: - For the source

    /// Sends a chunk, and waits if the connection is behind.
    ///
    /// One task writes one chunk at a time. A body with more bytes than announced fails its exchange.
    ///
    /// - Parameter chunk: The bytes; an empty chunk sends nothing.
    /// - Throws: `CancellationError` if the exchange has ended, or if the task is cancelled while it waits.
    package func write(_ chunk: ByteBuffer) async throws {
        guard chunk.readableBytes > 0 else {
            return
        }
        let (isOpen, wakes, waits) = state.withLock { state in
            guard !state.isClosed else {
                return (false, false, false)
            }
            state.chunks.append(chunk)
            state.count += chunk.readableBytes
            return (true, state.wake(), state.count >= Self.readAhead)
        }
        guard isOpen else {
            throw CancellationError()
        }
        if wakes {
            connection.sendChunks(of: exchange)
        }
        if waits {
            try await waitForRoom()
        }
    }

    private func waitForRoom() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (hasRoom, hasEnded) = state.withLock { state in
                    let hasRoom = state.count < Self.readAhead
                    // A cancellation from here on finds the continuation.
                    let hasEnded = state.isClosed || Task.isCancelled
                    if !hasRoom, !hasEnded {
                        state.source = continuation
                    }
                    return (hasRoom, hasEnded)
                }
                if hasEnded {
                    continuation.resume(throwing: CancellationError())
                } else if hasRoom {
                    continuation.resume()
                }
            }
        } onCancel: {
            let source = state.withLock { $0.source.take() }
            source?.resume(throwing: CancellationError())
        }
    }

    /// Reports the end of the body, or the reason why there is none; the exchange fails for that reason.
    package func end(_ result: Result<Void, any Error>) {
        switch result {
        case .success:
            let wakes = state.withLock { state in
                state.isWhole = true
                return state.wake()
            }
            if wakes {
                connection.sendChunks(of: exchange)
            }
        case .failure(let error):
            exchange.end(early: error)
        }
    }

    // MARK: - For the connection

    /// Returns what to send next.
    func next() -> Step {
        let (step, source) = state.withLock { state in
            guard let chunk = state.chunks.popFirst() else {
                state.isAwake = state.isWhole
                return (state.isWhole ? Step.end : .wait, nil as CheckedContinuation<Void, any Error>?)
            }
            state.count -= chunk.readableBytes
            return (.chunk(chunk), state.count < Self.readAhead ? state.source.take() : nil)
        }
        source?.resume()
        return step
    }

    /// Takes the end of the exchange: nothing more is sent.
    func close() {
        let source = state.withLock { state in
            state.isClosed = true
            state.chunks = []
            state.count = 0
            return state.source.take()
        }
        source?.resume(throwing: CancellationError())
    }
}
