// SPDX-License-Identifier: MIT

import RestEssentials

/// The slot of a job, lent to the work that the job starts and waits for.
struct SlotLoan: Sendable {
    /// A task that outlives the job must request a slot of its own: the loan ends with the job.
    private static let loans = TaskScope<SlotLoan>(endsWithOperation: true)

    private let pool: WorkerPool
    let slot: WorkerPool.Slot
    private let holder: any SlotHolder

    init(_ slot: WorkerPool.Slot, of pool: WorkerPool, to holder: any SlotHolder) {
        self.slot = slot
        self.pool = pool
        self.holder = holder
    }

    static var isAny: Bool { loans.innermost() != nil }

    static var isAnyLimited: Bool { loans.innermost { $0.holder.sharesLimit } != nil }

    static func slot(of pool: WorkerPool) -> WorkerPool.Slot? {
        loans.innermost { $0.pool === pool }?.slot
    }

    /// Lends the slot to the work that an operation starts.
    @inline(__always) func open<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
        try await Self.loans.open(self, operation: operation)
    }

    /// Returns the terms for work that the current task starts.
    ///
    /// Work that is started by a holder with a shared limit uses that share if it has the same key. It does not wait
    /// for the share of another key, because two such holders could wait for each other.
    static func terms(for demand: SlotDemand, of pool: WorkerPool) -> SlotDemand {
        var demand = demand
        for loan in loans.contents where loan.pool === pool && loan.holder.sharesLimit {
            guard loan.holder.limitKey != demand.holder.limitKey else {
                demand.terms = .covered
                return demand
            }
            demand.terms = .exceeds
        }
        return demand
    }
}
