// SPDX-License-Identifier: MIT

import JobGraphs

/// The parts of a call that it has in common with no other one.
struct CallBeginning: Sendable {
    var id: CallID
    var groupID: GroupID?
    /// The time on the manager's clock at which the call began.
    var start: Duration
    /// When the call must have ended, on the manager's clock; `nil` for never.
    var deadline: Duration?

    /// Creates the beginning of a call; its deadline follows from its timeout.
    init(id: CallID, groupID: GroupID? = nil, start: Duration) {
        self.id = id
        self.groupID = groupID
        self.start = start
    }

    /// Returns the beginning with the end that a timeout sets.
    func ending(after timeout: Duration?) -> CallBeginning {
        var beginning = self
        beginning.deadline = timeout.map { start + $0 }
        return beginning
    }
}
