// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Limits how much work runs at once.
///
/// A slot is held only while work runs: a node that waits for others holds none, nor does a wait between two attempts.
/// The pool has a ``size``, and ``limits-swift.property`` for some of the work as well:
///
/// ```swift
/// runtime.workers.size = 16
/// ```
///
/// **Order.** The highest ``JobPriority`` is served first, and within a priority the first to arrive. Work that is held
/// back by its limit does not block other work. No work starves: once eight younger waiters were preferred to the first
/// of a priority, that one is served next. So work that found *n* others waiting gets one of the next 9 × (*n* + 1)
/// slots that it could use. A newcomer overtakes only work of a lower priority.
///
/// Local nodes of a graph, local elements of a loop and local jobs of a group queue in the order in which they were
/// added. A retry, a node that had to wait for a mutex key, and a job that asks for its slot itself queue when they are
/// ready.
///
/// **Nested work.** Work that is started by a job with a slot may use that slot, one at a time, when no other is free;
/// so no size and no limit of 1 or more can cause a deadlock, unless a graph inside a local job needs a mutex key whose
/// holder, or work of that holder, waits for the slot of that job. Work inside a local job still waits for the
/// limit of its key. Work on behalf of other work that has a share of that limit does not: it uses that share, or
/// exceeds the limit of another key by one rather than wait for it.
public final class WorkerPool: Sendable {
    typealias WaiterID = WorkerPoolStateMachine.WaiterID
    /// Identifies one grant of a slot for the lifetime of the pool.
    package typealias Slot = SerialTable<SlotUse>.ID

    enum Winner: Sendable {
        case task(Waiters<WaiterID, Slot?>.Wakeup)
        case taker(any SlotTaker, Int, Slot)
    }

    package struct Load: Sendable, Equatable {
        package var running: Int
        package var waiting: Int
    }

    private struct State {
        var machine: WorkerPoolStateMachine
        /// The tasks that wait, each for a slot; `nil` if the wait ends without one.
        var waiters = Waiters<WaiterID, Slot?>()
        var watchers = Watchers<Load>()

        var load: Load { Load(running: machine.running, waiting: machine.waitingCount) }

        mutating func settle(_ grants: [WorkerPoolStateMachine.Grant]) -> [Winner] {
            grants.compactMap { grant in
                if let demand = machine.demand(of: grant.slot), let taker = demand.holder.taker {
                    return .taker(taker, demand.index, grant.slot)
                }
                return waiters.settle(grant.waiter, with: grant.slot).map(Winner.task)
            }
        }
    }

    private let state: Mutex<State>
    private let clock: RuntimeClock

    package static var isInSlot: Bool { SlotLoan.isAny }

    package static var isInLimitedSlot: Bool { SlotLoan.isAnyLimited }

    /// Creates a pool.
    ///
    /// - Parameter size: The number of slots; zero means no limit.
    public convenience init(size: Int) {
        self.init(size: size, limits: [:], clock: RuntimeClock(ContinuousClock()))
    }

    package init(size: Int, limits: [String: Int], clock: RuntimeClock) {
        var machine = WorkerPoolStateMachine(size: size)
        for (key, limit) in limits {
            _ = machine.setLimit(limit, of: key)
        }
        self.state = Mutex(State(machine: machine))
        self.clock = clock
    }

    /// The number of slots; zero means no limit.
    ///
    /// A larger size lets waiters begin at once. After a smaller one, running work finishes, and nothing new begins
    /// until fewer slots are taken than the new size.
    public var size: Int {
        get { state.withLock { $0.machine.size } }
        set {
            wake { $0.resize(to: newValue) }
        }
    }

    /// A Boolean value that is true if nothing new begins, for example while an app is in the background; `false` by
    /// default.
    ///
    /// Running work continues, and so does what it starts, within its slots. Everything else waits in its order until
    /// the pool resumes; timeouts of calls and of nodes include that wait.
    public var isPaused: Bool {
        get { state.withLock { $0.machine.isPaused } }
        set {
            wake { $0.setPaused(newValue) }
        }
    }

    /// The number of slots that are currently taken.
    package var runningCount: Int {
        state.withLock { $0.machine.running }
    }

    /// The current number of waiters.
    public var waitingCount: Int {
        state.withLock { $0.machine.waitingCount }
    }

    /// Runs an operation in a slot.
    ///
    /// Work started inside the operation may use the slot if `lendsSlot` is true: necessary when it calls code of the
    /// user. `onWait` is called once before a wait; `expired` makes the error of a wait that ends at its deadline.
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
        let slot: Slot
        switch acquire(for: holder, priority: priority, since: since) {
        case .granted(let free):
            slot = free
        case .wait(let waiter):
            onWait()
            slot = try await self.slot(of: waiter, until: deadline, expired)
        }
        defer { release(slot) }
        return try await lendsSlot ? lending(slot, of: holder, operation) : operation()
    }

    /// Takes a slot that is free now, which the holder gives back with ``release(_:)``.
    ///
    /// Work that suspends and need not wait takes its slot so: a function around the work costs its task memory.
    package func takeFreeSlot(
        for holder: any SlotHolder,
        priority: JobPriority,
        since: Duration? = nil
    ) -> Slot? {
        let demand = SlotDemand(holder: holder, priority: priority, since: since ?? clock.now())
        return change { $0.machine.acquireIfFree(demand) }
    }

    func acquire(
        for holder: any SlotHolder,
        priority: JobPriority,
        since: Duration?,
        _ reservation: SlotReservation? = nil
    ) -> WorkerPoolStateMachine.Acquisition {
        if let acquisition = reservation?.take() {
            return acquisition
        }
        let demand = SlotDemand(holder: holder, priority: priority, since: since ?? clock.now())
        guard let slot = change({ $0.machine.acquireIfFree(demand) }) else {
            return take(demand, at: clock.now())
        }
        return .granted(slot)
    }

    func slot(
        of waiter: WaiterID,
        until deadline: Duration? = nil,
        _ expired: () -> any Error = { CancellationError() }
    ) async throws -> Slot {
        let granted: Slot? = await clock.run(until: deadline) {
            self.abandon(waiter)?.resume()
        } operation: {
            await Waiters<WaiterID, Slot?>
                .wait { continuation in
                    state.withLock { $0.waiters.park(waiter, continuation) }
                } onCancel: {
                    abandon(waiter)
                }
        }
        guard let slot = granted else {
            try Task.checkCancellation()
            throw expired()
        }
        begin(slot, at: clock.now())
        return slot
    }

    /// Removes a waiter from the queue, unless it was already granted a slot.
    private func abandon(_ waiter: WaiterID) -> Waiters<WaiterID, Slot?>.Wakeup? {
        change { state in
            state.machine.cancel(waiter) ? state.waiters.settle(waiter, with: nil) : nil
        }
    }

    /// Ends the waits of work that is cancelled otherwise than with its task, as if their deadline had passed.
    package func endWait(of holder: any SlotHolder) {
        let wakeups = change { state in
            state.machine.cancelAll(of: holder).compactMap { state.waiters.settle($0, with: nil) }
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
    }

    private func wake(_ change: (inout WorkerPoolStateMachine) -> [WorkerPoolStateMachine.Grant]) {
        tell(self.change { state in state.settle(change(&state.machine)) })
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, watchers) = state.withLock { state in
            let result = body(&state)
            return (result, state.watchers.isEmpty ? [] : state.watchers.offer(state.load))
        }
        for watcher in watchers {
            watcher.resume()
        }
        return result
    }

    /// Waits until the numbers of running and waiting work meet a condition; for tests.
    package func wait(until isMet: @escaping @Sendable (Load) -> Bool) async throws {
        let id = state.withLock { $0.watchers.enter() }
        let isDone = await Watchers<Load>.Parking
            .wait { continuation in
                state.withLock { $0.watchers.park(id, continuation, $0.load, until: isMet) }
            } onCancel: {
                state.withLock { $0.watchers.leave(id) }
            }
        if !isDone {
            throw CancellationError()
        }
    }
}

// MARK: - Slots of work without a task

extension WorkerPool {
    /// Takes a slot, or queues the work, whose ``SlotTaker`` then receives the slot.
    ///
    /// The winners must be notified once the caller's locks are released.
    func take(
        _ demand: SlotDemand,
        givingBack slot: Slot?,
        at now: Duration,
        _ winners: inout [Winner]
    ) -> WorkerPoolStateMachine.Acquisition {
        let loan = SlotLoan.slot(of: self)
        var demand = loan == nil ? demand : SlotLoan.terms(for: demand, of: self)
        demand.since = now
        return change { [demand] state in
            let acquisition: WorkerPoolStateMachine.Acquisition
            if let slot {
                let grants: [WorkerPoolStateMachine.Grant]
                (acquisition, grants) = state.machine.exchange(slot, for: demand, loan: loan)
                if !grants.isEmpty {
                    winners += state.settle(grants)
                }
            } else {
                acquisition = state.machine.acquire(demand, loan: loan)
            }
            return acquisition
        }
    }

    func take(_ demand: SlotDemand, at now: Duration) -> WorkerPoolStateMachine.Acquisition {
        var winners: [Winner] = []
        return take(demand, givingBack: nil, at: now, &winners)
    }

    func giveUp(_ acquisition: WorkerPoolStateMachine.Acquisition) {
        switch acquisition {
        case .granted(let slot): release(slot)
        case .wait(let waiter):
            let granted = change { state in
                state.machine.cancel(waiter) ? nil : state.waiters.claim(waiter)
            }
            if let slot = granted ?? nil {
                release(slot)
            }
        }
    }

    func leave(_ waiter: WaiterID) -> Bool {
        change { $0.machine.cancel(waiter) }
    }

    func begin(_ slot: Slot, at now: Duration) {
        state.withLock { $0.machine.begin(slot, at: now) }
    }

    func lending<Value: Sendable>(
        _ slot: Slot,
        of holder: any SlotHolder,
        _ work: () async throws -> Value
    ) async throws -> Value {
        try await SlotLoan(slot, of: self, to: holder).open(work)
    }

    package func release(_ slot: Slot) {
        tell(released(slot))
    }

    /// Releases a slot; returns the waiters that may run now, to be notified once the caller's locks are released.
    func released(_ slot: Slot) -> [Winner] {
        change { state in
            let grants = state.machine.release(slot, heir: SlotLoan.slot(of: self))
            return grants.isEmpty ? [] : state.settle(grants)
        }
    }

    func tell(_ winners: [Winner]) {
        for winner in winners {
            switch winner {
            case .task(let wakeup): wakeup.resume()
            case .taker(let taker, let index, let slot): taker.take(slot, for: index)
            }
        }
    }
}

// MARK: - Limits

extension WorkerPool {
    /// The limits of some of the work, in addition to the ``size``; none by default.
    ///
    /// After a larger limit, waiters begin at once; after a smaller one, running work finishes.
    public var limits: Limits { Limits(pool: self) }

    /// The limits of a pool, by keys.
    public struct Limits: Sendable {
        fileprivate let pool: WorkerPool

        /// The limit of a key; `nil` if it has none, and zero or less removes it.
        public subscript(key: String) -> Int? {
            get {
                let limit = pool.state.withLock { $0.machine.limit(of: key) }
                return limit > 0 ? limit : nil
            }
            nonmutating set {
                pool.wake { $0.setLimit(newValue ?? 0, of: key) }
            }
        }

        /// All limits at this moment.
        public var all: [String: Int] {
            pool.state.withLock { $0.machine.limits }
        }
    }
}

// MARK: - Snapshot

extension WorkerPool {
    /// Returns the running and the waiting work at this moment, for monitoring.
    ///
    /// A snapshot takes time in proportion to the amount of work; without snapshots a pool has no such cost.
    ///
    /// - Returns: An immutable snapshot.
    public func snapshot() -> WorkerPoolSnapshot {
        let now = clock.now()
        let machine = state.withLock { $0.machine }
        return WorkerPoolSnapshot(of: machine, now: now)
    }
}

/// The slot of a job, lent to the work that the job starts and waits for.
struct SlotLoan: Sendable {
    /// A task that outlives the job must request its own slot, because the loan ends with the job.
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

    /// Returns the terms for work that the current task starts: for a holder with a shared limit it uses that share,
    /// and does not wait for that of another key, because two such holders could wait for each other.
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
