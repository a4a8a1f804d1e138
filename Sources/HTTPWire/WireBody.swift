// SPDX-License-Identifier: MIT

import NIOCore
import Synchronization

/// The body of a response that is read as fast as its reader takes it.
///
/// One task reads; the connection delivers. When the reader is behind, the connection is not read.
final class WireBody: Sendable {
    /// How many bytes are read in advance before reading the connection pauses.
    private static let readAhead = 256 << 10

    private struct State {
        var flow = ChunkFlow<ByteBuffer>(limit: WireBody.readAhead)
        /// The waiter for a chunk; taken by the one that resumes it.
        var waiter: CheckedContinuation<ByteBuffer?, any Error>?
        /// Lets the connection be read again.
        var resume: (@Sendable () -> Void)?
        var hasSurplus = false
    }

    private let state = Mutex(State())

    // MARK: - For the connection

    /// Takes bytes, on the event loop of the connection.
    ///
    /// - Parameters:
    ///   - chunk: The bytes, at least one.
    ///   - resume: Lets the connection be read again; called at most once, and only if this returns true.
    /// - Returns: True if the connection must not be read until then.
    func receive(_ chunk: ByteBuffer, resume: @escaping @Sendable () -> Void) -> Bool {
        let (waiter, isHeld) = state.withLock { state in
            switch state.flow.receive(chunk, count: chunk.readableBytes) {
            case .handOver:
                defer { state.waiter = nil }
                return (state.waiter, false)
            case .hold:
                state.resume = resume
                return (nil, true)
            case .keep, .drop:
                return (nil, false)
            }
        }
        waiter?.resume(returning: chunk)
        return isHeld
    }

    /// Takes the end, behind the bytes that are kept; any later end changes nothing.
    func finish(_ end: ChunkFlow<ByteBuffer>.End) {
        let waiter = state.withLock { state in
            let waiter = state.flow.finish(end) ? state.waiter : nil
            state.waiter = nil
            state.resume = nil
            return waiter
        }
        switch end {
        case .complete: waiter?.resume(returning: nil)
        case .failed(let error): waiter?.resume(throwing: error)
        }
    }

    /// Records that bytes came behind the end, before ``finish(_:)``.
    func noteSurplus() {
        state.withLock { $0.hasSurplus = true }
    }

    // MARK: - For the reader

    /// A Boolean value that is true if bytes came behind the end.
    var hasSurplus: Bool { state.withLock { $0.hasSurplus } }

    /// Waits for the next bytes; `nil` at the end.
    func next() async throws -> ByteBuffer? {
        try await withCheckedThrowingContinuation { continuation in
            let (delivery, resume) = state.withLock { state in
                let delivery = state.flow.ask()
                var resume: (@Sendable () -> Void)?
                switch delivery {
                case .chunk(_, resumes: true):
                    resume = state.resume.take()
                case .wait:
                    state.waiter = continuation
                case .chunk, .end:
                    break
                }
                return (delivery, resume)
            }
            resume?()
            switch delivery {
            case .chunk(let chunk, _): continuation.resume(returning: chunk)
            case .end(.complete): continuation.resume(returning: nil)
            case .end(.failed(let error)): continuation.resume(throwing: error)
            case .wait: break
            }
        }
    }

    /// Drops the bytes that are kept, and ends at once.
    func cancel() {
        let waiter = state.withLock { state in
            let waiter = state.flow.cancel() ? state.waiter : nil
            state.waiter = nil
            state.resume = nil
            return waiter
        }
        waiter?.resume(throwing: CancellationError())
    }
}
