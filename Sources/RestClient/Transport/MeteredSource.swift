// SPDX-License-Identifier: MIT

import RestEssentials

/// Counts the bytes that pass, and ends the stream when that is refused.
final class MeteredSource: ByteSource {
    private let base: any ByteSource
    private let count: @Sendable (Int) throws(RestClientError) -> Void

    init(_ base: any ByteSource, _ count: @escaping @Sendable (Int) throws(RestClientError) -> Void) {
        self.base = base
        self.count = count
    }

    func next() async throws -> Data? {
        guard let chunk = try await base.next() else {
            return nil
        }
        do throws(RestClientError) {
            try count(chunk.count)
        } catch {
            base.cancel()
            throw error
        }
        return chunk
    }

    func cancel() {
        base.cancel()
    }
}
