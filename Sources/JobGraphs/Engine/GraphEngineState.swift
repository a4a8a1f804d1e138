// SPDX-License-Identifier: MIT

import DequeModule
import RestEssentials

/// The state that a ``GraphEngine`` guards with its lock: makes the decisions, and collects the actions for after
/// unlocking.
struct GraphEngineState {
    enum Signal: Sendable {
        case work
        case end
    }

    enum Action {
        case announce(Int, NodeResult)
        case limit(Int, Duration)
        case cancel(Task<Void, Never>)
        case leave(NodeQueue.Waiter)
        case giveBack(WorkerPool.Slot, of: Int)
        case tell(WorkerPool.Winner)
        case wake(Watchers<GraphProgress>.Parking.Wakeup)
        case signal(Waiters<Int, Signal>.Wakeup)
    }

    var machine: JobGraphStateMachine
    var records: NodeRecords
    private(set) var isCancelled = false
    private(set) var hasExpired = false
    var generator: SplitMix64
    var pump = Waiters<Int, Signal>()
    var watchers = Watchers<GraphProgress>()
    var elements = ElementCounts()

    var queue = NodeQueue()
    var workers = GraphWorkers()
    var keys: [Int: MutexKeys.Request] = [:]
    var timers: [Int: Task<Void, Never>] = [:]
    /// Nodes that have ended and whose end is being announced.
    var claimed: Set<Int> = []
    /// The number of announcements that precede that of the run's end.
    var pendingAnnouncements = 0
    let announcesNodes: Bool
    var actions: [Action] = []
    var hasAnnouncements = false

    init(machine: JobGraphStateMachine, announcesNodes: Bool, seed: UInt64) {
        self.machine = machine
        self.announcesNodes = announcesNodes
        records = NodeRecords(count: machine.topology.count)
        generator = SplitMix64(seed: seed)
    }

    var signal: Signal? {
        if machine.unsettled == 0, pendingAnnouncements == 0 {
            return .end
        }
        return workers.present == 0 && readyCount > 0 ? .work : nil
    }

    var outcome: RunReport.Outcome {
        if isCancelled {
            .cancelled
        } else if hasExpired {
            .timedOut
        } else {
            machine.firstFailure == nil ? .success : .failure
        }
    }

    var progress: GraphProgress { GraphProgress(machine, elements) }

    var readyCount: Int { machine.readyCount + queue.grantedCount }

    mutating func takeActions() -> [Action] {
        if !machine.interrupts.isEmpty || !machine.passedOver.isEmpty || !watchers.isEmpty {
            takeOver()
        }
        if hasAnnouncements {
            hasAnnouncements = false
            pendingAnnouncements += 1
        }
        if machine.unsettled == 0 || (workers.present == 0 && readyCount > 0) {
            wakePump()
        }
        guard !actions.isEmpty else {
            return []
        }
        defer { actions = [] }
        return actions
    }

    @inline(never) private mutating func takeOver() {
        if !machine.interrupts.isEmpty {
            interrupt(machine.interrupts)
            machine.interrupts = []
        }
        for node in machine.passedOver {
            let result = machine.phases[node].resultOfPassedOver
            records.passOver(node, result)
            announce(node, result)
        }
        machine.passedOver = []
        if !watchers.isEmpty {
            actions += watchers.offer(progress).map(Action.wake)
        }
    }

    @inline(never) private mutating func wakePump() {
        if pump.count > 0, let signal, let wakeup = pump.withdraw(0, with: signal) {
            actions.append(.signal(wakeup))
        }
    }

    mutating func cancel() {
        isCancelled = true
        machine.cancel()
    }

    mutating func expire(_ error: any Error, at now: Duration, _ program: GraphProgram) {
        hasExpired = true
        machine.stop()
        giveUp(machine.phases.indices, error, at: now, program)
    }
}

extension JobGraphStateMachine.Phase {
    fileprivate var resultOfPassedOver: NodeResult {
        switch self {
        case .cancelled: .cancelled
        case .skipped: .skipped
        default: .notRun
        }
    }
}

/// The nodes of a run that requested a slot of the pool: those that wait, and those that were granted one.
struct NodeQueue {
    struct Grant {
        let node: Int
        let slot: WorkerPool.Slot
    }

    struct Waiter {
        let node: Int
        let id: WorkerPool.WaiterID
    }

    private var waiting: [Int: WorkerPool.WaiterID] = [:]
    private var granted: Deque<Grant> = []
    /// The nodes that must not begin although their slot may still arrive.
    private var unwanted: Set<Int> = []

    var grantedCount: Int { granted.count }

    mutating func wait(_ node: Int, as id: WorkerPool.WaiterID) {
        waiting[node] = id
    }

    /// Records that a node was granted its slot; `false` if the node must not begin.
    mutating func grant(_ slot: WorkerPool.Slot, to node: Int) -> Bool {
        waiting[node] = nil
        guard unwanted.isEmpty || unwanted.remove(node) == nil else {
            return false
        }
        granted.append(Grant(node: node, slot: slot))
        return true
    }

    mutating func next() -> Grant? { granted.popFirst() }

    mutating func remove(_ nodes: Set<Int>) -> (waiters: [Waiter], granted: [Grant]) {
        guard !waiting.isEmpty || !granted.isEmpty else {
            return ([], [])
        }
        let waiters = nodes.sorted()
            .compactMap { node in
                waiting.removeValue(forKey: node).map { Waiter(node: node, id: $0) }
            }
        unwanted.formUnion(waiters.map(\.node))
        let returned = Array(granted.filter { nodes.contains($0.node) })
        granted.removeAll { nodes.contains($0.node) }
        return (waiters, returned)
    }

    mutating func forget(_ node: Int) {
        unwanted.remove(node)
    }
}
