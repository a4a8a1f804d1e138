// SPDX-License-Identifier: MIT

import Synchronization

/// Bounds how much work runs at once: requests while they are on the wire, and local jobs.
///
/// A slot is held only for that time. An answer from the cache, a node that waits for others and a wait between two tries
/// hold none. Work that is started from inside a slot-holding job may use that job's slot, so even a pool of size 1 cannot
/// block itself.
///
/// Slots are given out first come, first served; nobody overtakes.
public final class WorkerPool: Sendable {
    private typealias WaiterID = WorkerPoolStateMachine.WaiterID

    /// How a wait for a slot ended.
    private enum WaitOutcome {
        case granted
        case cancelled
        case expired
    }

    private struct State {
        var machine: WorkerPoolStateMachine
        var continuations: [WaiterID: CheckedContinuation<WaitOutcome, Never>] = [:]
        /// What was decided about waiters that had not gone to sleep yet.
        var unclaimed: [WaiterID: WaitOutcome] = [:]

        /// Decides about a waiter; returns its continuation if it sleeps already.
        mutating func settle(
            _ id: WaiterID,
            as outcome: WaitOutcome
        ) -> CheckedContinuation<WaitOutcome, Never>? {
            let continuation = continuations.removeValue(forKey: id)
            if continuation == nil {
                unclaimed[id] = outcome
            }
            return continuation
        }
    }

    private let state: Mutex<State>

    /// The loan of the slot that the current task's job holds.
    @TaskLocal private static var loan: SlotLoan?

    /// Creates a pool.
    ///
    /// - Parameter size: How many may work at once; zero stands for any number.
    public init(size: Int) {
        state = Mutex(State(machine: WorkerPoolStateMachine(size: size)))
    }

    /// How many may work at once; zero stands for any number.
    ///
    /// A larger size lets waiters begin at once. A smaller one lets running work finish; nothing new begins until the
    /// number of running has fallen below it.
    public var size: Int {
        get { state.withLock { $0.machine.size } }
        set { wake { $0.resize(to: newValue) } }
    }

    /// How many work at this moment.
    public var runningCount: Int {
        state.withLock { $0.machine.running }
    }

    /// How many wait at this moment.
    public var waitingCount: Int {
        state.withLock { $0.machine.waitingCount }
    }

    /// Runs an operation while holding a slot.
    ///
    /// - Parameters:
    ///   - lendsSlot: Whether work started from inside the operation may use the slot; needed when the operation calls
    ///     code that is not ours.
    ///   - clock: What the policy's deadline is measured with.
    ///   - policy: The policy of the call that needs the slot; `nil` waits for any time.
    ///   - operation: The work.
    /// - Returns: What the operation returns.
    /// - Throws: `CancellationError` when the task is cancelled while it waits, a ``RestClientError`` when the deadline
    ///   passes meanwhile, or what the operation throws.
    func withSlot<Value: Sendable>(
        lendsSlot: Bool,
        clock: ClientClock,
        policy: CallPolicy? = nil,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        var owner = self
        try Task.checkCancellation()
        if !state.withLock({ $0.machine.acquireIfFree() }) {
            if let loan = Self.loan?.lasting(of: self) {
                // The job that started this work waits for it while holding a slot: that slot does it, one at a time.
                owner = loan.lent
            }
            try await owner.acquire(clock: clock, policy: policy)
        }
        defer { owner.wake { $0.release() } }
        guard lendsSlot else {
            return try await operation()
        }
        let loan = SlotLoan(pool: self, outer: Self.loan)
        defer { loan.end() }
        return try await Self.$loan.withValue(loan) {
            try await operation()
        }
    }

    private func acquire(clock: ClientClock, policy: CallPolicy?) async throws {
        let decision = state.withLock { $0.machine.acquire() }
        guard case .wait(let id) = decision else {
            return
        }
        let outcome: WaitOutcome
        if let deadline = policy?.deadline {
            outcome = await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    if (try? await clock.sleep(for: max(.zero, deadline - clock.now()))) != nil {
                        self.abandon(id, as: .expired)
                    }
                }
                defer { group.cancelAll() }
                return await wait(as: id)
            }
        } else {
            outcome = await wait(as: id)
        }
        switch outcome {
        case .granted:
            return
        case .cancelled:
            throw CancellationError()
        case .expired:
            guard let policy else {
                throw CancellationError()
            }
            throw RestClientError.timeout(policy)
        }
    }

    private func wait(as id: WaiterID) async -> WaitOutcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let settled = state.withLock { state -> WaitOutcome? in
                    if let outcome = state.unclaimed.removeValue(forKey: id) {
                        return outcome
                    }
                    state.continuations[id] = continuation
                    return nil
                }
                if let settled {
                    continuation.resume(returning: settled)
                }
            }
        } onCancel: {
            abandon(id, as: .cancelled)
        }
    }

    /// Takes a waiter out of the queue, unless it was given a slot already.
    private func abandon(_ id: WaiterID, as outcome: WaitOutcome) {
        let continuation = state.withLock { state in
            state.machine.cancel(id) ? state.settle(id, as: outcome) : nil
        }
        continuation?.resume(returning: outcome)
    }

    /// Changes the machine, and lets those work whom it gives a slot.
    private func wake(_ change: (inout WorkerPoolStateMachine) -> [WaiterID]) {
        let continuations = state.withLock { state in
            change(&state.machine).compactMap { state.settle($0, as: .granted) }
        }
        for continuation in continuations {
            continuation.resume(returning: .granted)
        }
    }
}

/// The slot of a job, lent to the work that the job starts and waits for.
private final class SlotLoan: Sendable {
    let lent = WorkerPool(size: 1)
    private let pool: WorkerPool
    private let outer: SlotLoan?
    private let lasts = Atomic<Bool>(true)

    /// Creates a loan of one slot.
    ///
    /// - Parameters:
    ///   - pool: Whose slot is lent.
    ///   - outer: The loan under which the job itself runs; it may be of another manager's pool.
    init(pool: WorkerPool, outer: SlotLoan?) {
        self.pool = pool
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
}
