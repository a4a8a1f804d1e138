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
        let source: ChunkSource

        mutating func next() async -> ByteBuffer? {
            source.next().map { ByteBuffer(bytes: $0) }
        }
    }

    let source: ChunkSource

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(source: source)
    }
}
