// SPDX-License-Identifier: MIT

import Synchronization

/// Opens the chunks of a streamed body, once or for each attempt.
final class ChunkSource: Sendable {
    /// A Boolean value that is true if the chunks can be read more than once.
    let isRepeatable: Bool

    private let chunks: @Sendable () throws -> RequestBody.Chunks
    private let hasBegun = Atomic<Bool>(false)

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - isRepeatable: Pass `true` if the closure returns the chunks from the beginning every time.
    ///   - chunks: Returns the chunks.
    init(isRepeatable: Bool, _ chunks: @escaping @Sendable () throws -> RequestBody.Chunks) {
        self.isRepeatable = isRepeatable
        self.chunks = chunks
    }

    /// A Boolean value that is true if the chunks have been read, in part or completely.
    var wasRead: Bool { hasBegun.load(ordering: .acquiring) }

    /// Returns the chunks from the beginning.
    ///
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/bodyNotRepeatable`` if they were
    ///   read before and are not repeatable, and errors of the user's closure.
    func open() throws -> RequestBody.Chunks {
        let wasRead = hasBegun.exchange(true, ordering: .acquiringAndReleasing)
        guard isRepeatable || !wasRead else {
            throw RestClientError(
                .bodyNotRepeatable,
                "the body is a stream that was read for an earlier request; "
                    + "pass a closure that opens the stream, a file or bytes instead"
            )
        }
        return try chunks()
    }
}
