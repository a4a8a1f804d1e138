// SPDX-License-Identifier: MIT

import DequeModule

/// Decides who gets which chunk of a response, and when its connection is read: no lock, clock or I/O.
///
/// Some chunks are taken ahead of the need, so that the network and the consumer need not take turns.
struct ChunkFlow<Chunk> {
    /// The end of the chunks.
    enum End {
        case complete
        case failed(any Error)
    }

    /// The fate of a chunk that came.
    enum Arrival: Equatable {
        /// The consumer waits for it.
        case handOver
        /// It is kept, and the next one may come.
        case keep
        /// It is kept, and the connection is not read until a consumer has made room.
        case hold
        /// Nobody wants it.
        case drop
    }

    /// The reply to a consumer that asks for a chunk.
    enum Delivery {
        /// A chunk; the connection is to be read again if `resumes`.
        case chunk(Chunk, resumes: Bool)
        case end(End)
        /// The next arrival or end is for the consumer.
        case wait
    }

    private let limit: Int
    private var chunks: Deque<(chunk: Chunk, count: Int)> = []
    private var aheadCount = 0
    private var isHeld = false
    private var isAwaited = false
    private var end: End?

    /// Creates a flow.
    ///
    /// - Parameter limit: How many bytes are taken ahead of the need before the connection is not read any more.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Takes a chunk.
    mutating func receive(_ chunk: Chunk, count: Int) -> Arrival {
        guard end == nil else {
            return .drop
        }
        if isAwaited {
            isAwaited = false
            return .handOver
        }
        chunks.append((chunk, count))
        aheadCount += count
        isHeld = aheadCount >= limit
        return isHeld ? .hold : .keep
    }

    /// Takes the consumer's wish for a chunk.
    mutating func ask() -> Delivery {
        if let (chunk, count) = chunks.popFirst() {
            aheadCount -= count
            let resumes = isHeld && aheadCount <= limit / 2
            isHeld = isHeld && !resumes
            return .chunk(chunk, resumes: resumes)
        }
        if let end {
            return .end(end)
        }
        isAwaited = true
        return .wait
    }

    /// Takes the end, behind the chunks that are kept.
    ///
    /// - Returns: True if a consumer waits for it.
    mutating func finish(_ end: End) -> Bool {
        guard self.end == nil else {
            return false
        }
        self.end = end
        defer { isAwaited = false }
        return isAwaited
    }

    /// Drops what is kept, and ends at once.
    ///
    /// - Returns: True if a consumer waits for the end.
    mutating func cancel() -> Bool {
        chunks.removeAll()
        aheadCount = 0
        isHeld = false
        if end == nil {
            return finish(.failed(CancellationError()))
        }
        end = .failed(CancellationError())
        return false
    }
}
