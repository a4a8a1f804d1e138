// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Limits the total size of a response's chunks.
final class LimitedSource: ByteSource {
    private let base: any ByteSource
    private let limit: Int
    private let count = Mutex(0)

    init(_ base: any ByteSource, limit: Int) {
        self.base = base
        self.limit = limit
    }

    func next() async throws -> Data? {
        guard let chunk = try await base.next() else {
            return nil
        }
        let isWithin = count.withLock { count in
            let (sum, overflows) = count.addingReportingOverflow(chunk.count)
            count = sum
            return !overflows && sum <= limit
        }
        guard isWithin else {
            base.cancel()
            throw TransportFailure.bodyOverLimit(limit)
        }
        return chunk
    }

    func cancel() {
        base.cancel()
    }
}
