// SPDX-License-Identifier: MIT

import Foundation
import NIOCore
import Synchronization

/// Chunks with so many bytes in all.
final class ChunkSource: Sendable {
    private let remaining: Mutex<Int>

    init(_ count: Int) {
        remaining = Mutex(count)
    }

    /// Returns the next chunk; `nil` at the end.
    func next() -> Data? {
        let count = remaining.withLock { remaining in
            let count = min(remaining, Contenders.chunk.count)
            remaining -= count
            return count
        }
        return count > 0 ? Contenders.chunk.prefix(count) : nil
    }
}

/// The same chunks, as AsyncHTTPClient sends them.
struct Buffers: AsyncSequence, Sendable {
    struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncThrowingStream<Data, any Error>.AsyncIterator

        mutating func next() async throws -> ByteBuffer? {
            try await base.next().map { ByteBuffer(bytes: $0) }
        }
    }

    let base: AsyncThrowingStream<Data, any Error>

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator())
    }
}
