// SPDX-License-Identifier: MIT

import RestEssentials
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
/// back by its limit holds back no other. No work starves: after eight younger ones were preferred to the first of a
/// priority, no other one is before it has had its turn. So work that found *n* others waiting gets one of the next 9 ×
/// (*n* + 1) slots that it could use. A newcomer overtakes only work of a lower priority.
///
/// Local nodes of a graph, elements of a loop and jobs of a group come in the order in which they were added. Another
/// attempt, a node that had to wait for a mutex key, and a request that the cache, tokens or interceptors kept busy
/// come when they get there.
///
/// **Nested work.** Work that a slot-holding job starts may use that job's slot, one at a time, when no other is free;
/// so no size and no limit of 1 or more can block itself. A local job's requests wait for their server's limit all the
/// same. A request that an attempt interceptor or a dummy sends does not: it uses the share of the request for which it
/// is sent, or exceeds the limit of the other server by one rather than wait for it.
public final class WorkerPool: Sendable {
    typealias WaiterID = WorkerPoolStateMachine.WaiterID
    /// Names one grant of a slot for as long as the pool lives.
    package typealias Slot = SerialTable<SlotUse>.ID

    /// A wakeup: of a task that waits, or of work that waits without one.
    enum Winner: Sendable {
        case task(Waiters<WaiterID, Slot?>.Wakeup)
        case taker(any SlotTaker, Int, Slot)
    }

    /// The amount of work that runs, and of work that waits.
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

        /// Gives the slots to those that the machine granted them to; returns whom to wake.
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

    /// A Boolean value that is true if the current task runs inside a slot, for which others may wait.
    package static var isInSlot: Bool { SlotLoan.isAny }

    /// Creates a pool.
    ///
    /// - Parameter size: The number of slots; zero stands for any number.
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

    /// The number of slots; zero stands for any number.
    ///
    /// A larger size lets waiters begin at once. A smaller one lets running work finish; nothing new begins until the
    /// number of running has fallen below it.
    public var size: Int {
        get { state.withLock { $0.machine.size } }
        set {
            wake { $0.resize(to: newValue) }
        }
    }

    /// The number of slots taken at this moment.
    public var runningCount: Int {
        state.withLock { $0.machine.running }
    }

    /// The number of waiters at this moment.
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
    ///   - reservation: The slot or the place in the queue that was asked for before, if any.
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
        reservation: SlotReservation? = nil,
        deadline: Duration? = nil,
        expired: () -> any Error = { CancellationError() },
        onWait: () -> Void = {},
        _ operation: () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let slot: Slot
        switch reservation?.take()
            ?? acquire(SlotDemand(holder: holder, priority: priority, since: since ?? clock.now()))
        {
        case .granted(let free):
            slot = free
        case .wait(let waiter):
            onWait()
            guard let granted = await wait(as: waiter, until: deadline) else {
                try Task.checkCancellation()
                throw expired()
            }
            slot = granted
            begin(slot, at: clock.now())
        }
        defer { release(slot) }
        return try await lendsSlot ? lending(slot, of: holder, operation) : operation()
    }

    private func acquire(_ demand: SlotDemand) -> WorkerPoolStateMachine.Acquisition {
        guard let slot = change({ $0.machine.acquireIfFree(demand) }) else {
            return take(demand, at: clock.now())
        }
        return .granted(slot)
    }

    private func wait(as waiter: WaiterID, until deadline: Duration?) async -> Slot? {
        guard let deadline else {
            return await wait(as: waiter)
        }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if (try? await self.clock.sleep(for: max(.zero, deadline - self.clock.now()))) != nil {
                    self.abandon(waiter)?.resume()
                }
            }
            defer { group.cancelAll() }
            return await wait(as: waiter)
        }
    }

    private func wait(as waiter: WaiterID) async -> Slot? {
        await Waiters.wait { continuation in
            state.withLock { $0.waiters.park(waiter, continuation) }
        } onCancel: {
            abandon(waiter)
        }
    }

    /// Takes a waiter out of the queue, unless it was given a slot already.
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

    /// Changes the machine, and wakes those to whom it grants slots.
    private func wake(_ change: (inout WorkerPoolStateMachine) -> [WorkerPoolStateMachine.Grant]) {
        tell(self.change { state in state.settle(change(&state.machine)) })
    }

    /// Changes the state, and wakes those who watch it.
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

    /// Waits until so much work runs and waits as a condition says; for tests.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
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
    /// Takes a slot, or lets the work wait: a ``SlotTaker`` is told when it has one.
    ///
    /// - Parameters:
    ///   - demand: The work.
    ///   - slot: A slot that is given back first, if any.
    ///   - now: The time, on the pool's clock.
    ///   - winners: The waiters that may run now, to be told once the caller's locks are released.
    /// - Returns: The slot, or the name of the waiter.
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

    /// Takes a slot, or a place in the queue.
    func take(_ demand: SlotDemand, at now: Duration) -> WorkerPoolStateMachine.Acquisition {
        var winners: [Winner] = []
        return take(demand, givingBack: nil, at: now, &winners)
    }

    /// Gives up a slot or a place in the queue.
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

    /// Takes work out of the queue; `false` if it was given a slot before.
    func leave(_ waiter: WaiterID) -> Bool {
        change { $0.machine.cancel(waiter) }
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
        try await SlotLoan(slot, of: self, to: holder).open(work)
    }

    /// Gives a slot back, and lets those run that may now.
    func release(_ slot: Slot) {
        tell(released(slot))
    }

    /// Gives a slot back; returns those that may run now, to be told once the caller's locks are released.
    func released(_ slot: Slot) -> [Winner] {
        let heir = SlotLoan.slot(of: self)
        return change { state in state.settle(state.machine.release(slot, heir: heir)) }
    }

    /// Wakes those that were granted a slot.
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
    /// The limits of some of the work, besides the ``size``; none at first.
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
    /// A snapshot costs time in proportion to the amount of work; a pool without snapshots pays nothing.
    ///
    /// - Returns: A value that does not change any more.
    public func snapshot() -> WorkerPoolSnapshot {
        let now = clock.now()
        let machine = state.withLock { $0.machine }
        return WorkerPoolSnapshot(of: machine, now: now)
    }
}
