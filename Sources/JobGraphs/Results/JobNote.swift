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
