// SPDX-License-Identifier: MIT

import Synchronization

/// Bounds how much work runs at once.
///
/// A slot is held only while work runs: a node that waits for others and a wait between two attempts hold none. The
/// pool has a ``size``, and may have ``limits-swift.property`` for some of the work besides:
///
/// ```swift
/// manager.workers.size = 16
/// manager.workers.limits[.store] = 4
/// ```
///
/// **Order.** The highest ``JobPriority`` goes first, and within a priority the one that came first. Work that is held
/// back by its limit holds back no other. Nobody starves: after eight younger ones were preferred to the first of a
/// priority, no other one is before it has had its turn. So work that found *n* others waiting gets one of the next 9 ×
/// (*n* + 1) slots that it could use. A newcomer overtakes only work of a lower priority.
///
/// **Nested work.** Work that a slot-holding job starts may use that job's slot, one at a time, when no other is free;
/// so no size and no limit of 1 or more can block itself. A local job's requests wait for their server's limit all the
/// same. A request that an attempt interceptor or a dummy sends does not: it uses the share of the request for which it
/// is sent, or exceeds the limit of the other server by one rather than wait for it.
public final class WorkerPool: Sendable {
    typealias WaiterID = WorkerPoolStateMachine.WaiterID
    /// Names one grant of a slot for as long as the pool lives.
    package typealias Slot = SerialTable<SlotUse>.ID

    /// How a wait for a slot ended.
    private enum WaitOutcome {
        case granted(Slot)
        case cancelled
        case expired
    }

    private struct State {
        var machine: WorkerPoolStateMachine
        var continuations: [WaiterID: CheckedContinuation<WaitOutcome, Never>] = [:]
        /// The decisions about waiters that were not suspended yet.
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

        /// Lets those run whom the machine gave a slot; returns whom to tell.
        mutating func settle(_ grants: [WorkerPoolStateMachine.Grant]) -> [Winner] {
            grants.compactMap { grant in
                if let demand = machine.demand(of: grant.slot), let taker = demand.holder.taker {
                    return .taker(taker, demand.index, grant.slot)
                }
                return settle(grant.waiter, as: .granted(grant.slot)).map { .task($0, grant.slot) }
            }
        }
    }

    /// One that waited, and the slot that ends its wait.
    private enum Winner {
        /// A task that sleeps.
        case task(CheckedContinuation<WaitOutcome, Never>, Slot)
        /// Work that has no task yet.
        case taker(any SlotTaker, Int, Slot)
    }

    private let state: Mutex<State>
    private let clock: RuntimeClock

    /// The loan of the slot that the current task's job holds.
    @TaskLocal private static var loan: SlotLoan?

    /// A Boolean value that is true if the current task runs inside a slot, for which others may wait.
    package static var isInSlot: Bool { loan != nil }

    /// Creates a pool.
    ///
    /// - Parameter size: How many may work at once; zero stands for any number.
    public convenience init(size: Int) {
        self.init(size: size, limits: [:], clock: RuntimeClock(ContinuousClock()))
    }

    /// Creates a pool with limits, whose waits are measured with a clock.
    package init(size: Int, limits: [String: Int], clock: RuntimeClock) {
        var machine = WorkerPoolStateMachine(size: size)
        for (key, limit) in limits {
            _ = machine.setLimit(limit, of: key)
        }
        self.state = Mutex(State(machine: machine))
        self.clock = clock
    }

    /// How many may work at once; zero stands for any number.
    ///
    /// A larger size lets waiters begin at once. A smaller one lets running work finish; nothing new begins until the
    /// number of running has fallen below it.
    public var size: Int {
        get { state.withLock { $0.machine.size } }
        set {
            wake { $0.resize(to: newValue) }
        }
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
    ///   - holder: The work that the slot is for.
    ///   - priority: The priority with which the operation is served.
    ///   - since: The time since when the holder has been at it, for snapshots if it need not wait; now by default.
    ///   - deadline: The time, on the pool's clock, at which the wait ends.
    ///   - expired: Makes the error that is thrown when the wait ends at its deadline.
    ///   - onWait: Called once if the holder has to wait, before it does.
    ///   - operation: The work.
    /// - Returns: The result of the operation.
    /// - Throws: `CancellationError` when the task is cancelled while it waits, the error for the deadline when that
    ///   passes meanwhile, or what the operation throws.
    package func withSlot<Value: Sendable>(
        lendsSlot: Bool,
        for holder: any SlotHolder = LocalWork.unnamed,
        priority: JobPriority = .normal,
        since: Duration? = nil,
        deadline: Duration? = nil,
        expired: () -> any Error = { CancellationError() },
        onWait: () -> Void = {},
        _ operation: () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let demand = SlotDemand(holder: holder, priority: priority, since: since ?? clock.now())
        guard let slot = state.withLock({ $0.machine.acquireIfFree(demand) }) else {
            let slot = try await acquire(demand, until: deadline, expired: expired, onWait: onWait)
            return try await run(operation, in: slot, for: holder, lendsSlot: lendsSlot)
        }
        return try await run(operation, in: slot, for: holder, lendsSlot: lendsSlot)
    }

    private func run<Value: Sendable>(
        _ operation: () async throws -> Value,
        in slot: Slot,
        for holder: any SlotHolder,
        lendsSlot: Bool
    ) async throws -> Value {
        guard lendsSlot else {
            defer { release(slot) }
            return try await operation()
        }
        defer { release(slot) }
        return try await lending(slot, of: holder, operation)
    }

    private func acquire(
        _ demand: SlotDemand,
        until deadline: Duration?,
        expired: () -> any Error,
        onWait: () -> Void
    ) async throws -> Slot {
        let id: WaiterID
        switch take(demand, at: clock.now()) {
        case .granted(let slot): return slot
        case .wait(let waiter): id = waiter
        }
        onWait()
        switch await wait(as: id, until: deadline) {
        case .granted(let slot):
            begin(slot, at: clock.now())
            return slot
        case .cancelled: throw CancellationError()
        case .expired: throw expired()
        }
    }

    private func wait(as id: WaiterID, until deadline: Duration?) async -> WaitOutcome {
        guard let deadline else {
            return await wait(as: id)
        }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if (try? await self.clock.sleep(for: max(.zero, deadline - self.clock.now()))) != nil {
                    self.abandon(id, as: .expired)
                }
            }
            defer { group.cancelAll() }
            return await wait(as: id)
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

    /// Changes the machine, and lets those run whom it gives a slot.
    private func wake(_ change: (inout WorkerPoolStateMachine) -> [WorkerPoolStateMachine.Grant]) {
        tell(state.withLock { state in state.settle(change(&state.machine)) })
    }

    private func tell(_ winners: [Winner]) {
        for winner in winners {
            switch winner {
            case .task(let continuation, let slot): continuation.resume(returning: .granted(slot))
            case .taker(let taker, let index, let slot): taker.take(slot, for: index)
            }
        }
    }
}

// MARK: - Slots of work without a task

extension WorkerPool {
    /// Takes a slot, or lets the work wait; a ``SlotTaker`` is told when it has one.
    func take(_ demand: SlotDemand, at now: Duration) -> WorkerPoolStateMachine.Acquisition {
        let loan = Self.loan?.lasting(of: self)
        var demand = loan?.terms(for: demand) ?? demand
        demand.since = now
        return state.withLock { [demand] in $0.machine.acquire(demand, loan: loan?.slot) }
    }

    /// Takes work out of the queue; `false` when it was given a slot before.
    func leave(_ waiter: WaiterID) -> Bool {
        state.withLock { $0.machine.cancel(waiter) }
    }

    /// Notes when work that had to wait began to run.
    func begin(_ slot: Slot, at now: Duration) {
        state.withLock { $0.machine.begin(slot, at: now) }
    }

    /// Runs work that may use a slot for what it starts.
    func lending<Value: Sendable>(
        _ slot: Slot,
        of holder: any SlotHolder,
        _ work: () async throws -> Value
    ) async throws -> Value {
        let loan = SlotLoan(slot, of: self, to: holder, outer: Self.loan)
        defer { loan.end() }
        return try await Self.$loan.withValue(loan) { try await work() }
    }

    /// Gives a slot back, and lets those run that may now.
    func release(_ slot: Slot) {
        tell(released(slot))
    }

    /// Gives a slot back.
    ///
    /// - Parameters:
    ///   - slot: The slot.
    ///   - taker: The one that gives it back; it is not told of slots that fall to itself.
    /// - Returns: Those slots, with the numbers of the work that they are for.
    func release(_ slot: Slot, by taker: any SlotTaker) -> [(index: Int, slot: Slot)] {
        let winners = released(slot)
        guard !winners.isEmpty else {
            return []
        }
        var own: [(index: Int, slot: Slot)] = []
        for winner in winners {
            if case .taker(let other, let index, let slot) = winner, other === taker {
                own.append((index, slot))
            } else {
                tell([winner])
            }
        }
        return own
    }

    private func released(_ slot: Slot) -> [Winner] {
        let heir = Self.loan?.lasting(of: self)?.slot
        return state.withLock { state in state.settle(state.machine.release(slot, heir: heir)) }
    }
}

// MARK: - Limits

extension WorkerPool {
    /// How much work of one kind may run at once, besides the ``size``; there are no limits at first.
    ///
    /// A larger limit lets waiters begin at once, a smaller one lets running work finish.
    public var limits: Limits { Limits(pool: self) }

    /// The limits of a pool, by keys.
    public struct Limits: Sendable {
        fileprivate let pool: WorkerPool

        /// The limit of a key; `nil` when it has none, and zero or less sets none.
        public subscript(key: String) -> Int? {
            get {
                let limit = pool.state.withLock { $0.machine.limit(of: key) }
                return limit > 0 ? limit : nil
            }
            nonmutating set {
                pool.wake { $0.setLimit(newValue ?? 0, of: key) }
            }
        }

        /// All limits, as they stand at this moment.
        public var all: [String: Int] {
            pool.state.withLock { $0.machine.limits }
        }
    }
}

// MARK: - Snapshot

extension WorkerPool {
    /// Returns what runs and what waits at this moment, for people who watch the pool.
    ///
    /// A snapshot costs time in proportion to the amount of work; work that nobody looks at pays nothing.
    ///
    /// - Returns: A value that does not change any more.
    public func snapshot() -> WorkerPoolSnapshot {
        let now = clock.now()
        let machine = state.withLock { $0.machine }
        return WorkerPoolSnapshot(of: machine, now: now)
    }
}
