// SPDX-License-Identifier: MIT

package struct SlotUse: Sendable {
    var demand: SlotDemand
    var lane: Int
    /// The slot that it borrows, if it has none of its own.
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
