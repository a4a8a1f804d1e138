// SPDX-License-Identifier: MIT

import Synchronization

/// The notes that a node's work leaves for the report.
package final class JobNote: Sendable {
    /// The notes.
    package struct Contents: Sendable {
        /// The details of the node's last piece of work.
        package var detail: (any WorkDetail)?
        /// True if the result was stored by an earlier run.
        var isResumed = false
        /// The number of attempts made.
        var attempts = 1
        /// The waits between attempts, and the phases of the attempts before them.
        var spans: [RunReport.Span] = []
        /// The time, on the runtime's clock, at which the local work of the last attempt ended.
        var workEnded: Duration?
        /// The failure of the last attempt, as the work itself describes it.
        package var failure: AttemptFailure?
        /// The nodes of the sub-run.
        var children: [RunReport.Node] = []
    }

    private let contents = Mutex(Contents())

    /// Everything that was noted.
    var all: Contents { contents.withLock { $0 } }

    /// True if the note adds nothing to a report.
    var isEmpty: Bool {
        contents.withLock { note in
            note.detail == nil && !note.isResumed && note.attempts == 1 && note.spans.isEmpty && note.children.isEmpty
                && note.failure == nil
        }
    }

    /// Records the end of local work, which still holds its slot.
    func endWork(at now: Duration) {
        contents.withLock { $0.workEnded = now }
    }

    /// Removes and returns the end of the last attempt's local work.
    func takeWorkEnd() -> Duration? {
        contents.withLock { note in
            defer { note.workEnded = nil }
            return note.workEnded
        }
    }

    /// Records a wait for a worker slot or a mutex key.
    ///
    /// - Parameters:
    ///   - start: The beginning of the wait, on the runtime's clock.
    ///   - end: The end of the wait, on the runtime's clock.
    ///   - runStart: The beginning of the run, on the runtime's clock.
    func noteWait(from start: Duration, to end: Duration, since runStart: Duration) {
        guard end > start else {
            return
        }
        contents.withLock { note in
            note.spans.append(
                RunReport.Span(.queued, attempt: note.attempts, start: start - runStart, end: end - runStart)
            )
        }
    }

    /// Removes the last attempt's failure, so that it is not attributed to a later attempt.
    func takeFailure() -> AttemptFailure? {
        contents.withLock { note in
            defer { note.failure = nil }
            return note.failure
        }
    }

    /// Changes what is noted.
    package func update(_ change: (inout Contents) -> Void) {
        contents.withLock { change(&$0) }
    }
}
