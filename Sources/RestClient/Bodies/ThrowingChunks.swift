// SPDX-License-Identifier: MIT

import RestEssentials

/// Adapts a sequence of chunks of any failure type to one that may throw any error.
struct ThrowingChunks<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == Data {
    typealias Element = Data
    typealias Failure = any Error

    /// Iterates over the chunks.
    struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: Base.AsyncIterator

        /// Returns the next chunk.
        mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try await base.next(isolation: actor)
        }

        /// Returns the next chunk.
        mutating func next() async throws -> Data? {
            try await next(isolation: #isolation)
        }
    }

    let base: Base

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator())
    }
}
