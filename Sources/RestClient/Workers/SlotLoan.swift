// SPDX-License-Identifier: MIT

import Synchronization

/// The slot of a job, lent to the work that the job starts and waits for.
final class SlotLoan: Sendable {
    /// The slot that is lent.
    let slot: SlotTable.Slot
    private let pool: WorkerPool
    private let holder: SlotHolder
    private let outer: SlotLoan?
    private let lasts = Atomic<Bool>(true)

    /// Creates a loan of one slot.
    ///
    /// - Parameters:
    ///   - slot: The slot that is lent.
    ///   - pool: Whose slot it is.
    ///   - holder: What the slot was granted for.
    ///   - outer: The loan under which the job itself runs; it may be of another manager's pool.
    init(_ slot: SlotTable.Slot, of pool: WorkerPool, to holder: SlotHolder, outer: SlotLoan?) {
        self.slot = slot
        self.pool = pool
        self.holder = holder
        self.outer = outer
    }

    /// Ends the loan with its job: a task that the job left behind must ask for a slot of its own.
    func end() {
        lasts.store(false, ordering: .releasing)
    }

    /// The innermost loan of a slot of that pool that has not ended.
    func lasting(of pool: WorkerPool) -> SlotLoan? {
        self.pool === pool && lasts.load(ordering: .acquiring) ? self : outer?.lasting(of: pool)
    }

    /// A demand as it stands for work that is started under the loan.
    ///
    /// A request that sends another one, from an interceptor or a dummy, has a share in its own server's limit, which the
    /// other one uses. It does not wait for the share of another server: two such requests could wait for each other.
    func terms(for demand: SlotDemand) -> SlotDemand {
        var demand = demand
        var loan: SlotLoan? = self
        while let current = loan {
            if case .call = current.holder {
                guard current.holder.server != demand.holder.server else {
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
