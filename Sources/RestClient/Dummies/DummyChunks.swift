// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import Synchronization

/// Delivers the body of a dummy as a server would send it, with its chunks and pauses.
final class DummyChunks: ByteSource {
    private let body: Data
    private let ends: [Int]
    private let interval: Duration
    private let failure: RestClientError?
    private let clock: ClientClock
    private let idleTimeout: Duration?
    private let progress = Mutex((index: 0, isCancelled: false))

    /// Creates the chunks of a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - length: The number of bytes that are sent.
    ///   - failure: The error after them; `nil` for a regular end.
    ///   - clock: The clock of the pauses.
    ///   - idleTimeout: The longest pause that the call allows.
    init(
        _ response: DummyResponse,
        length: Int,
        failure: RestClientError?,
        clock: ClientClock,
        idleTimeout: Duration?
    ) {
        body = response.body.prefix(length)
        ends = response.chunks?.ends(in: length) ?? (length > 0 ? [length] : [])
        interval = response.chunks?.interval ?? .zero
        self.failure = failure
        self.clock = clock
        self.idleTimeout = idleTimeout
    }

    func next() async throws -> Data? {
        let index = progress.withLock { progress in
            defer { progress.index += 1 }
            return progress.index
        }
        if interval > .zero, index < ends.count {
            try await clock.sleep(for: min(interval, idleTimeout ?? interval))
            if let idleTimeout, idleTimeout < interval {
                throw RestClientError.timedOut(after: idleTimeout)
            }
        }
        guard !progress.withLock({ $0.isCancelled }) else {
            throw CancellationError()
        }
        guard index < ends.count else {
            if let failure {
                throw failure
            }
            return nil
        }
        let start = index > 0 ? ends[index - 1] : 0
        return Data(body[(body.startIndex + start)..<(body.startIndex + ends[index])])
    }

    func cancel() {
        progress.withLock { $0.isCancelled = true }
    }
}
