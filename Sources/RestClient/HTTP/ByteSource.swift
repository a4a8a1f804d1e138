// SPDX-License-Identifier: MIT

package import RestEssentials
import Synchronization

/// The source of a stream's chunks.
///
/// One task asks for one chunk at a time; any task may cancel.
package protocol ByteSource: AnyObject, Sendable {
    /// Waits for the next chunk, which is not empty; `nil` at the end.
    ///
    /// - Throws: `CancellationError` after ``cancel()``.
    func next() async throws -> Data?

    /// Cancels the source; calling it again, or after the end, does nothing.
    func cancel()
}

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

package enum StreamEnd: Sendable {
    case complete
    case failed(any Error)
    /// The consumer stopped, or its task was cancelled.
    case cancelled
}
