// SPDX-License-Identifier: MIT

import RestEssentials

/// Delivers the end of a body once the handlers for it have returned.
final class TransferSource: ByteSource {
    private let base: any ByteSource
    private let transfer: TransferCallbacks

    init(_ base: any ByteSource, _ transfer: TransferCallbacks) {
        self.base = base
        self.transfer = transfer
    }

    func next() async throws -> Data? {
        do {
            if let chunk = try await base.next() {
                return chunk
            }
        } catch {
            await transfer.ended()
            throw error
        }
        await transfer.ended()
        return nil
    }

    func cancel() {
        base.cancel()
    }
}
