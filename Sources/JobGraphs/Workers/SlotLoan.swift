// SPDX-License-Identifier: MIT

import Synchronization

/// The slot of a job, lent to the work that the job starts and waits for.
final class SlotLoan: Sendable {
    /// The slot that is lent.
    let slot: WorkerPool.Slot
    private let pool: WorkerPool
    private let holder: any SlotHolder
    private let outer: SlotLoan?
    private let lasts = Atomic<Bool>(true)

    /// Creates a loan of one slot.
    ///
    /// - Parameters:
    ///   - slot: The slot that is lent.
    ///   - pool: The pool of the slot.
    ///   - holder: The work that the slot was granted to.
    ///   - outer: The loan under which the work itself runs; it may be of another pool.
    init(_ slot: WorkerPool.Slot, of pool: WorkerPool, to holder: any SlotHolder, outer: SlotLoan?) {
        self.slot = slot
        self.pool = pool
        self.holder = holder
        self.outer = outer
    }

    /// Ends the loan with its job: a task that the job left behind must ask for a slot of its own.
    func end() {
        lasts.store(false, ordering: .releasing)
    }

    /// Returns the innermost loan of a slot of that pool that has not ended.
    func lasting(of pool: WorkerPool) -> SlotLoan? {
        self.pool === pool && lasts.load(ordering: .acquiring) ? self : outer?.lasting(of: pool)
    }

    /// Returns the terms for work that is started under the loan.
    ///
    /// Work that is started by a holder which shares its limit uses that share, if it has the same key. It does not
    /// wait for the share of another key: two such holders could wait for each other.
    func terms(for demand: SlotDemand) -> SlotDemand {
        var demand = demand
        var loan: SlotLoan? = self
        while let current = loan {
            if current.holder.sharesLimit {
                guard current.holder.limitKey != demand.holder.limitKey else {
                    demand.terms = .covered
                    return demand
                }
                demand.terms = .exceeds
            }
            loan = current.outer?.lasting(of: pool)
        }
        return demand
    }
}
