// SPDX-License-Identifier: MIT

import DequeModule

/// Decides which consumer receives each chunk of a response, and when its connection is read: a pure value, without
/// locks, clocks or I/O.
///
/// Some chunks are read in advance, so that the network and the consumer do not take turns.
package struct ChunkFlow<Chunk> {
    /// The end of the chunks.
    package enum End {
        case complete
        case failed(any Error)
    }

    /// The decision about a chunk that arrived.
    package enum Arrival: Equatable {
        /// The consumer is waiting for it.
        case handOver
        /// It is kept, and the next one may come.
        case keep
        /// It is kept, and the connection is not read until a consumer has taken chunks.
        case hold
        /// No consumer wants it.
        case drop
    }

    /// The reply to a consumer that requests a chunk.
    package enum Delivery {
        /// A chunk; the connection must be read again if `resumes` is true.
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
    /// - Parameter limit: The number of bytes that are read in advance before reading the connection pauses.
    package init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// Adds a chunk that arrived.
    package mutating func receive(_ chunk: Chunk, count: Int) -> Arrival {
        guard end == nil else {
            return .drop
        }
        if isAwaited {
            isAwaited = false
            return .handOver
        }
        chunks.append((chunk, count))
        aheadCount += count
        // What was under way when reading paused still arrives, and does not end the pause.
        isHeld = isHeld || aheadCount >= limit
        return isHeld ? .hold : .keep
    }

    /// Handles a consumer's request for a chunk.
    package mutating func ask() -> Delivery {
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

    /// Records the end, after the chunks that are kept.
    ///
    /// - Returns: True if a consumer waits for it.
    package mutating func finish(_ end: End) -> Bool {
        guard self.end == nil else {
            return false
        }
        self.end = end
        defer { isAwaited = false }
        return isAwaited
    }

    /// Drops the kept chunks, and ends at once.
    ///
    /// - Returns: True if a consumer waits for the end.
    package mutating func cancel() -> Bool {
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
