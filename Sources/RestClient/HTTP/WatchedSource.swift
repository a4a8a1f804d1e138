// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

final class WatchedSource: ByteSource {
    /// Receives the end; returns the error to throw, if there is one.
    typealias Watcher = @Sendable (StreamEnd) -> (any Error)?

    private let base: any ByteSource
    private let watcher: Mutex<Watcher?>

    init(_ base: any ByteSource, ended watcher: @escaping Watcher) {
        self.base = base
        self.watcher = Mutex(watcher)
    }

    func next() async throws -> Data? {
        do {
            let chunk = try await base.next()
            if chunk == nil {
                end(.complete)
            }
            return chunk
        } catch {
            if error is CancellationError || Task.isCancelled {
                base.cancel()
                end(.cancelled)
                throw CancellationError()
            }
            throw end(.failed(error)) ?? error
        }
    }

    func cancel() {
        base.cancel()
        end(.cancelled)
    }

    @discardableResult
    private func end(_ end: StreamEnd) -> (any Error)? {
        let watcher = watcher.withLock { watcher in
            defer { watcher = nil }
            return watcher
        }
        return watcher?(end)
    }
}
