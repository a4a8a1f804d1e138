// SPDX-License-Identifier: MIT

import Synchronization

/// Where the work of a node leaves what its report wants to know.
package final class JobNote: Sendable {
    /// The notes.
    package struct Contents: Sendable {
        /// The details of the node's last piece of work.
        package var detail: (any WorkDetail)?
        /// True if the result was stored by an earlier run.
        var isResumed = false
        /// How often the node's work was begun.
        var tries = 1
        /// The waits between two attempts, and what the time of the attempts before them went into.
        var spans: [RunReport.Span] = []
        /// How the last attempt failed, as whoever did the work tells it.
        package var failure: AttemptFailure?
        /// The nodes of the run inside.
        var children: [RunReport.Node] = []
    }

    private let contents = Mutex(Contents())

    /// Everything that was noted.
    var all: Contents { contents.withLock { $0 } }

    /// True if the note adds nothing to a report.
    var isEmpty: Bool {
        contents.withLock { note in
            note.detail == nil && !note.isResumed && note.tries == 1 && note.spans.isEmpty && note.children.isEmpty
                && note.failure == nil
        }
    }

    /// Takes how the last attempt failed, so that it is not taken for a later one's failure.
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
