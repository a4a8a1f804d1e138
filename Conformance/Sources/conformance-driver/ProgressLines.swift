// SPDX-License-Identifier: MIT

import RestClient

/// Writes lines about the progress of a request, the last of them before the request's own last line.
struct ProgressLines: Sendable {
    private let id: Int
    private let updates: AsyncStream<CallProgress>
    private let continuation: AsyncStream<CallProgress>.Continuation

    init(id: Int) {
        self.id = id
        (updates, continuation) = AsyncStream.makeStream()
    }

    func note(_ progress: CallProgress) {
        continuation.yield(progress)
    }

    func finish() {
        continuation.finish()
    }

    /// Writes the lines until ``finish()``.
    func write() async {
        var (sent, received): (Int64, Int64) = (0, 0)
        for await progress in updates {
            switch progress.direction {
            case .sent: sent = progress.transfer.completed
            case .received: received = progress.transfer.completed
            }
            let line = OutputLine.progress(to: id, sent: sent, received: received, total: progress.transfer.total)
            await Output.standard.write(line)
        }
    }
}
