// SPDX-License-Identifier: MIT

import Synchronization

/// Bounds how much work runs at once: requests while they are on the wire, and local jobs.
///
/// A slot is held only for that time. A response from the cache, a node that waits for others and a wait between two attempts
/// hold none. The pool has a ``size``, and may have a limit for each server besides:
///
/// ```swift
/// manager.workers.size = 16
/// manager.workers.limits[.store] = 4
/// ```
///
/// **Order.** The highest ``JobPriority`` goes first, and within a priority the one that came first. Whoever is held back by
/// the limit of its server holds back no one else. Nobody starves: after eight younger ones were preferred to the first of a
/// priority, no other one is before it has had its turn. So one that found *n* others waiting gets one of the next 9 × (*n* + 1)
/// slots that it could use. Whoever comes while others wait overtakes only those of a lower priority.
///
/// **Nested work.** What a slot-holding job starts may use that job's slot, one at a time, when no other is free; so no size and
/// no limit of 1 or more can block itself. A local job's requests wait for their server's limit all the same. A request that
/// an attempt interceptor or a dummy sends does not: it uses the share of the request for which it is sent, or exceeds the
/// limit of the other server by one rather than wait for it.
public final class WorkerPool: Sendable {
    typealias WaiterID = WorkerPoolStateMachine.WaiterID
    private typealias Slot = WorkerPoolStateMachine.Slot

    /// How a wait for a slot ended.
    private enum WaitOutcome {
        case granted(Slot)
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

        /// Lets those work whom the machine gave a slot; returns whom to tell.
        mutating func settle(_ grants: [WorkerPoolStateMachine.Grant]) -> [Winner] {
            grants.compactMap { grant in
                if let demand = machine.demand(of: grant.slot), case .nodes(let nodes) = demand.holder {
                    return .nodes(nodes, KeptSlot(slot: grant.slot, priority: demand.priority))
                }
                return settle(grant.waiter, as: .granted(grant.slot)).map { .task($0, grant.slot) }
            }
        }
    }

    /// One who waited, and the slot that ends its wait.
    private enum Winner {
        /// A task that sleeps.
        case task(CheckedContinuation<WaitOutcome, Never>, Slot)
        /// A node that has no task yet.
        case nodes(DrainedNodes, KeptSlot)
    }

    private let state: Mutex<State>
    private let clock: ClientClock
    /// Whether someone may want a slot that is kept for several pieces of work.
    private let isInDemand = Atomic<Bool>(false)

    /// The loan of the slot that the current task's job holds.
    @TaskLocal private static var loan: SlotLoan?

    /// Whether the current task works inside a slot, for which others may wait.
    static var isInSlot: Bool { loan != nil }

    /// Creates a pool.
    ///
    /// - Parameter size: How many may work at once; zero stands for any number.
    public convenience init(size: Int) {
        self.init(size: size, limits: [:], clock: ClientClock(ContinuousClock()))
    }

    /// Creates a pool with limits for servers, whose waits are measured with a clock.
    init(size: Int, limits: [ServerAlias: Int], clock: ClientClock) {
        var machine = WorkerPoolStateMachine(size: size)
        for (server, limit) in limits {
            _ = machine.setLimit(limit, of: server)
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
            wake { machine in
                isInDemand.store(true, ordering: .releasing)
                return machine.resize(to: newValue)
            }
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
    ///   - holder: What the slot is for; the deadline of a call bounds how long it waits.
    ///   - priority: How early the operation is served.
    ///   - since: Since when the holder has been at it, as snapshots tell if it need not wait; now by default.
    ///   - onWait: Called once if the holder has to wait, before it does.
    ///   - operation: The work.
    /// - Returns: What the operation returns.
    /// - Throws: `CancellationError` when the task is cancelled while it waits, a ``RestClientError`` when the deadline
    ///   passes meanwhile, or what the operation throws.
    func withSlot<Value: Sendable>(
        lendsSlot: Bool,
        for holder: SlotHolder = .unnamed,
        priority: JobPriority = .normal,
        since: Duration? = nil,
        onWait: () -> Void = {},
        _ operation: () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let demand = SlotDemand(holder: holder, priority: priority, since: since ?? clock.now())
        guard let slot = state.withLock({ $0.machine.acquireIfFree(demand) }) else {
            let slot = try await acquire(demand, onWait: onWait)
            return try await run(operation, in: slot, for: demand, lendsSlot: lendsSlot)
        }
        return try await run(operation, in: slot, for: demand, lendsSlot: lendsSlot)
    }

    private func run<Value: Sendable>(
        _ operation: () async throws -> Value,
        in slot: Slot,
        for demand: SlotDemand,
        lendsSlot: Bool
    ) async throws -> Value {
        guard lendsSlot else {
            defer { release(slot) }
            return try await operation()
        }
        let outer = Self.loan
        let loan = SlotLoan(slot, of: self, to: demand.holder, outer: outer)
        defer {
            loan.end()
            release(slot, heir: outer?.lasting(of: self)?.slot)
        }
        return try await Self.$loan.withValue(loan) {
            try await operation()
        }
    }

    private func acquire(_ demand: SlotDemand, onWait: () -> Void) async throws -> Slot {
        let loan = Self.loan?.lasting(of: self)
        var demand = loan?.terms(for: demand) ?? demand
        demand.since = clock.now()
        let id: WaiterID
        let acquisition = state.withLock { [demand] state in
            noteDemand(state.machine.acquire(demand, loan: loan?.slot), in: state)
        }
        switch acquisition {
        case .granted(let slot): return slot
        case .wait(let waiter): id = waiter
        }
        onWait()
        let policy: CallPolicy? = if case .call(let call) = demand.holder { call.policy } else { nil }
        switch await wait(as: id, until: policy?.deadline) {
        case .granted(let slot):
            let now = clock.now()
            state.withLock { $0.machine.begin(slot, at: now) }
            return slot
        case .cancelled:
            throw CancellationError()
        case .expired:
            guard let policy else {
                throw CancellationError()
            }
            throw RestClientError.timeout(policy)
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

    /// Notes if the response to a demand means that slots are not to be kept any more.
    private func noteDemand(
        _ acquisition: WorkerPoolStateMachine.Acquisition,
        in state: borrowing State
    ) -> WorkerPoolStateMachine.Acquisition {
        if state.machine.isInDemand {
            isInDemand.store(true, ordering: .releasing)
        }
        return acquisition
    }

    private func release(_ slot: Slot, heir: Slot? = nil) {
        if let winners = winners(of: slot, heir: heir) {
            tell(winners)
        }
    }

    /// Gives a slot back; returns who gets one because of that, if anybody waits.
    private func winners(of slot: Slot, heir: Slot?) -> [Winner]? {
        state.withLock { state in
            state.machine.releaseIfQuiet(slot) ? nil : state.settle(state.machine.release(slot, heir: heir))
        }
    }

    /// Changes the machine, and lets those work whom it gives a slot.
    private func wake(_ change: (inout WorkerPoolStateMachine) -> [WorkerPoolStateMachine.Grant]) {
        tell(state.withLock { state in state.settle(change(&state.machine)) })
    }

    /// Lets those work who got a slot.
    ///
    /// One that does not want it any more gives it to the next, so this is a loop.
    private func tell(_ winners: [Winner]) {
        var winners = winners
        var place = 0
        while place < winners.count {
            switch winners[place] {
            case .task(let continuation, let slot):
                continuation.resume(returning: .granted(slot))
            case .nodes(let nodes, let kept):
                if !nodes.begin(in: kept) {
                    winners += self.winners(of: kept.slot, heir: nil) ?? []
                }
            }
            place += 1
        }
    }

    /// The slot that the current task may use besides its own.
    private var heir: Slot? { Self.loan?.lasting(of: self)?.slot }
}

// MARK: - Slots for several pieces of work

extension WorkerPool {
    /// A slot for several pieces of work, one after the other.
    struct KeptSlot: Sendable {
        fileprivate let slot: SlotTable.Slot
        let priority: JobPriority
    }

    /// Takes a slot for several pieces of work, if one is free at once.
    ///
    /// - Parameters:
    ///   - holder: What the slot is for.
    ///   - priority: How early it is served.
    ///   - now: The time, on the pool's clock.
    /// - Returns: The slot, to be given back; `nil` when none is free.
    func keepIfFree(for holder: SlotHolder, priority: JobPriority, at now: Duration) -> KeptSlot? {
        let demand = SlotDemand(holder: holder, priority: priority, since: now)
        return state.withLock { $0.machine.acquireIfFree(demand) }.map { KeptSlot(slot: $0, priority: priority) }
    }

    /// Whether the next piece of work may use the slot of the one before: nobody waits, and the size has not been lowered.
    func mayKeep(_ kept: KeptSlot, for priority: JobPriority) -> Bool {
        guard kept.priority == priority else {
            return false
        }
        guard isInDemand.load(ordering: .acquiring) else {
            return true
        }
        return state.withLock { state in
            let isInDemand = state.machine.isInDemand
            self.isInDemand.store(isInDemand, ordering: .releasing)
            return !isInDemand
        }
    }

    /// Gives a slot back.
    func giveBack(_ kept: KeptSlot) {
        release(kept.slot, heir: heir)
    }

    /// Lends a slot to what its nodes start.
    func loan(of kept: KeptSlot, to nodes: DrainedNodes) -> SlotLoan {
        SlotLoan(kept.slot, of: self, to: .nodes(nodes), outer: Self.loan)
    }

    /// Does work that may use the slot of a loan for what it starts.
    func lending(_ loan: SlotLoan, for work: () async throws -> any Sendable) async throws -> any Sendable {
        try await Self.$loan.withValue(loan) { try await work() }
    }
}

// MARK: - Nodes that wait without a task

extension WorkerPool {
    /// What becomes of a node that needs a slot.
    enum Keeping {
        case granted(KeptSlot)
        case waits(WaiterID)
    }

    /// Takes a slot for a node, or lets it wait: it is told when it has one (``DrainedNodes/begin(in:)``).
    func keep(for nodes: DrainedNodes, priority: JobPriority, at now: Duration) -> Keeping {
        let loan = Self.loan?.lasting(of: self)
        let demand = SlotDemand(holder: .nodes(nodes), priority: priority, since: now)
        let terms = loan?.terms(for: demand) ?? demand
        let acquisition = state.withLock { state in
            noteDemand(state.machine.acquire(terms, loan: loan?.slot), in: state)
        }
        switch acquisition {
        case .granted(let slot): return .granted(KeptSlot(slot: slot, priority: priority))
        case .wait(let waiter): return .waits(waiter)
        }
    }

    /// Takes a node out of the queue; `false` when it was given a slot before.
    func leave(_ waiter: WaiterID) -> Bool {
        state.withLock { $0.machine.cancel(waiter) }
    }

    /// Notes when a node that had to wait began.
    func begin(_ kept: KeptSlot, at now: Duration) {
        state.withLock { $0.machine.begin(kept.slot, at: now) }
    }

    /// Gives a slot back.
    ///
    /// - Returns: The first node of a run that gets one because of that; others are told.
    func handOver(_ kept: KeptSlot, within engine: GraphEngine) -> QueuedNodes.Grant? {
        var others = winners(of: kept.slot, heir: heir) ?? []
        let mine = others.firstIndex { winner in
            if case .nodes(let nodes, _) = winner { nodes.belong(to: engine) } else { false }
        }
        guard let mine, case .nodes(let nodes, let own) = others.remove(at: mine) else {
            tell(others)
            return nil
        }
        tell(others)
        return nodes.grant(own)
    }

    /// Tells a node of its slot after all, with which nobody went on.
    func pass(_ grant: QueuedNodes.Grant) {
        tell([.nodes(grant.slot.nodes, grant.slot.kept)])
    }
}

// MARK: - Limits of servers

extension WorkerPool {
    /// How many requests may be on the wire to each server at once, besides the ``size``; none at first.
    ///
    /// ```swift
    /// manager.workers.limits[.store] = 4
    /// ```
    ///
    /// A larger limit lets waiters begin at once, a smaller one lets running work finish. A request counts for the server
    /// that it names by alias, or that its API operation names, also while it follows a redirect to another one; one with an
    /// address of its own counts for none.
    public var limits: ServerLimits { ServerLimits(pool: self) }

    /// The limits of a pool's servers.
    public struct ServerLimits: Sendable {
        fileprivate let pool: WorkerPool

        /// The limit of a server; `nil` when it has none, and zero or less sets none.
        public subscript(server: ServerAlias) -> Int? {
            get {
                let limit = pool.state.withLock { $0.machine.limit(of: server) }
                return limit > 0 ? limit : nil
            }
            nonmutating set {
                pool.wake { $0.setLimit(newValue ?? 0, of: server) }
            }
        }

        /// All limits, as they stand at this moment.
        public var all: [ServerAlias: Int] {
            pool.state.withLock { $0.machine.limits }
        }
    }
}

// MARK: - Snapshot

extension WorkerPool {
    /// Who works and who waits at this moment, for people who watch the pool.
    ///
    /// Taking it costs time in proportion to their number; not taking it costs the work nothing.
    ///
    /// - Returns: A value that does not change any more.
    public func snapshot() -> WorkerPoolSnapshot {
        let now = clock.now()
        let machine = state.withLock { $0.machine }
        return WorkerPoolSnapshot(of: machine, now: now)
    }
}
