// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

final class WholeSource: ByteSource {
    private let bytes: Mutex<Data?>
    private let isCancelled = Atomic<Bool>(false)

    init(_ bytes: Data) {
        self.bytes = Mutex(bytes.isEmpty ? nil : bytes)
    }

    func next() async throws -> Data? {
        guard !isCancelled.load(ordering: .acquiring) else {
            throw CancellationError()
        }
        return bytes.withLock { bytes in
            defer { bytes = nil }
            return bytes
        }
    }

    func cancel() {
        isCancelled.store(true, ordering: .releasing)
    }
}
