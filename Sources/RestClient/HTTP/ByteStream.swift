// SPDX-License-Identifier: MIT

public import RestEssentials
import Synchronization

/// The bytes of a body in chunks, as they come over the wire.
///
/// Whoever reads sets the pace: nothing more is read from the connection than a consumer has room for. Ending the
/// iteration early, cancelling its task, or releasing a stream that was never read ends the exchange.
///
/// A stream can be read once; a second iteration throws a `CancellationError`.
public struct ByteStream: AsyncSequence, Sendable {
    /// A chunk, which is not empty.
    public typealias Element = Data

    /// Errors are those of the call.
    public typealias Failure = any Error

    private let owner: Owner

    /// Returns the chunks, to be read in another way: the stream itself can be read no more, and does not end them.
    package func release() -> any ByteSource {
        owner.release()
    }

    /// Creates a stream of what a source delivers.
    package init(_ source: any ByteSource) {
        owner = Owner(source)
    }

    /// Creates a stream of chunks, for a transport or an interceptor.
    ///
    /// - Parameter chunks: The chunks. Ending their iteration must end what they come from.
    public init<Chunks: AsyncSequence & Sendable>(_ chunks: Chunks) where Chunks.Element == Data {
        self.init(SequenceSource(chunks))
    }

    /// Begins the iteration.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reading: owner.take())
    }

    /// Takes one chunk after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reading: Reading?

        /// Waits for the next chunk.
        ///
        /// - Parameter actor: The actor that waits.
        /// - Returns: The chunk; `nil` after the last one.
        /// - Throws: The error of the call, if its body is cut or too long; `CancellationError` if it was cancelled.
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

    /// Cancels the exchange of a stream that nobody read.
    private final class Owner: Sendable {
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

        /// Returns the source, and heeds it no more.
        func release() -> any ByteSource {
            isTaken.store(true, ordering: .releasing)
            return source
        }

        /// Returns what reads the stream; `nil` if that was done before.
        func take() -> Reading? {
            isTaken.exchange(true, ordering: .acquiringAndReleasing) ? nil : Reading(source)
        }
    }

    /// Cancels the exchange once nobody reads it any more.
    fileprivate final class Reading: Sendable {
        let source: any ByteSource

        init(_ source: any ByteSource) {
            self.source = source
        }

        deinit {
            source.cancel()
        }
    }
}
