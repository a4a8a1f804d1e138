// SPDX-License-Identifier: MIT

import JobGraphs

/// The parts of a call that are its own.
struct CallBeginning: Sendable {
    var id: CallID
    var groupID: GroupID?
    /// The time on the manager's clock at which the call began.
    var start: Duration
    /// The deadline of the call, on the manager's clock; `nil` for none.
    var deadline: Duration?
    /// True if the table of running calls lists the call already.
    var isAnnounced = false
    /// The counts of the unsafe work of the nodes around the call.
    let effects = UnsafeEffects.current

    init(id: CallID, groupID: GroupID? = nil, start: Duration) {
        self.id = id
        self.groupID = groupID
        self.start = start
    }

    func ending(after timeout: Duration?) -> CallBeginning {
        var beginning = self
        beginning.deadline = timeout.map { start + $0 }
        return beginning
    }
}
