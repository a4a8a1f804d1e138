// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Reads chunks from any sequence.
actor SequenceSource<Chunks: AsyncSequence & Sendable>: ByteSource where Chunks.Element == Data {
    private var iterator: Chunks.AsyncIterator?
    private nonisolated let isCancelled = Atomic<Bool>(false)

    init(_ chunks: Chunks) {
        iterator = chunks.makeAsyncIterator()
    }

    func next() async throws -> Data? {
        while var current = iterator {
            iterator = nil
            let chunk = try await current.next(isolation: self)
            guard !isCancelled.load(ordering: .acquiring) else {
                break
            }
            guard let chunk else {
                // A sequence that ends because its task was cancelled looks complete.
                try Task.checkCancellation()
                return nil
            }
            iterator = current
            if !chunk.isEmpty {
                return chunk
            }
        }
        if isCancelled.load(ordering: .acquiring) {
            throw CancellationError()
        }
        return nil
    }

    nonisolated func cancel() {
        if !isCancelled.exchange(true, ordering: .acquiringAndReleasing) {
            Task { await self.release() }
        }
    }

    /// Releases the iterator, which ends the source of the chunks.
    private func release() {
        iterator = nil
    }
}
