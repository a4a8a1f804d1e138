// SPDX-License-Identifier: MIT

/// Work that has a slot of a worker pool.
package struct SlotUse: Sendable {
    var demand: SlotDemand
    /// The lane of limits in which it counts.
    var lane: Int
    /// The slot that it uses, if it has none of its own.
    var lender: WorkerPool.Slot?
    /// The work that uses its slot.
    var borrower: WorkerPool.Slot?

    /// A Boolean value that is true if the slot is its own and nobody else uses it.
    var isSole: Bool { lender == nil && borrower == nil }
}
