// SPDX-License-Identifier: MIT

import Synchronization

/// Where the work of a node leaves what its report wants to know.
final class JobNote: Sendable {
    /// What was noted.
    struct Contents: Sendable {
        /// The answer to the node's last request.
        var answer: Answer?
        /// Whether the result was stored by an earlier run.
        var isResumed = false
        /// How often the node's work was begun.
        var tries = 1
        /// The waits between two tries.
        var waits: [RunReport.Span] = []
        /// What ran inside.
        var children: [RunReport.Node] = []
    }

    private let contents = Mutex(Contents())

    /// Everything that was noted.
    var all: Contents { contents.withLock { $0 } }

    /// Whether there is nothing that a report would not know without it.
    var isEmpty: Bool {
        contents.withLock { $0.answer == nil && !$0.isResumed && $0.tries == 1 && $0.children.isEmpty }
    }

    /// Changes what is noted.
    func update(_ change: (inout Contents) -> Void) {
        contents.withLock { change(&$0) }
    }
}
