// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

/// The bytes of a body in chunks, as they arrive.
///
/// The reader sets the pace: the connection is read only as far as the consumer has room. Ending the iteration early,
/// cancelling its task, or releasing a stream that was never read ends the exchange.
///
/// A stream can be read once; a second iteration throws a `CancellationError`.
public struct ByteStream: AsyncSequence, Sendable {
    /// A chunk, which is not empty.
    public typealias Element = Data

    /// The error of the call.
    public typealias Failure = any Error

    private let owner: Reading

    /// Returns the source of the chunks for another reader: the stream itself can then neither be read nor end the
    /// source.
    package func release() -> any ByteSource {
        _ = owner.take()
        return owner.source
    }

    package init(_ source: any ByteSource) {
        owner = Reading(source)
    }

    /// Creates a stream of chunks, for a transport or an interceptor.
    ///
    /// - Parameter chunks: The chunks. Ending their iteration must end their source.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        self.init(SequenceSource(chunks))
    }

    /// Creates the iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reading: owner.take().map { Reading($0) })
    }

    /// An iterator over the chunks.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        fileprivate let reading: Reading?

        func cancel() {
            reading?.source.cancel()
        }

        /// Waits for the next chunk.
        ///
        /// - Parameter actor: The actor that waits.
        /// - Returns: The chunk; `nil` after the last one.
        /// - Throws: The error of the call if its body is incomplete or too long; `CancellationError` if it was
        ///   cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Data? {
            guard let source = reading?.source else {
                throw CancellationError()
            }
            return try await withTaskCancellationHandler {
                try await source.next()
            } onCancel: {
                source.cancel()
            }
        }
    }

    /// Cancels the exchange when it is released, unless another reader has taken the source.
    fileprivate final class Reading: Sendable {
        let source: any ByteSource
        private let isTaken = Atomic<Bool>(false)

        init(_ source: any ByteSource) {
            self.source = source
        }

        deinit {
            if !isTaken.load(ordering: .acquiring) {
                source.cancel()
            }
        }

        /// Returns the source for another reader; `nil` if one has taken it.
        func take() -> (any ByteSource)? {
            isTaken.exchange(true, ordering: .acquiringAndReleasing) ? nil : source
        }
    }
}

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
