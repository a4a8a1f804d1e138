// SPDX-License-Identifier: MIT

struct SlotDemand: Sendable {
    enum LimitTerms: Sendable {
        case waits
        /// The work counts towards the limit, and begins even if the limit is reached.
        case exceeds
        /// The work counts as part of the work that started it, and does not count separately.
        case covered
    }

    let holder: any SlotHolder
    var index = 0
    let priority: JobPriority
    var terms = LimitTerms.waits
    /// The time since which the work has been waiting or, once it has its slot, running.
    var since: Duration

    var limitKey: String? {
        terms == .covered ? nil : holder.limitKey
    }
}

package struct SlotUse: Sendable {
    var demand: SlotDemand
    var lane: Int
    /// The slot that it borrows, if it has none.
    var lender: WorkerPool.Slot?
    var borrower: WorkerPool.Slot?

    /// Passes the slot on to other work without a limit; `false` if a limit applies to the current work, or a job
    /// shares the slot.
    mutating func hand(to next: SlotDemand) -> Bool {
        guard lane == LimitLanes.shared, lender == nil, borrower == nil else {
            return false
        }
        demand = next
        return true
    }
}
