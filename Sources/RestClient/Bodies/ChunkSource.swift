// SPDX-License-Identifier: MIT

import Synchronization

final class ChunkSource: Sendable {
    let isRepeatable: Bool

    private let chunks: @Sendable () throws -> RequestBody.Chunks
    private let hasBegun = Atomic<Bool>(false)

    init(isRepeatable: Bool, _ chunks: @escaping @Sendable () throws -> RequestBody.Chunks) {
        self.isRepeatable = isRepeatable
        self.chunks = chunks
    }

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
