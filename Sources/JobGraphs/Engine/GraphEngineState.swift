// SPDX-License-Identifier: MIT

import DequeModule
import RestEssentials

/// The state that a ``GraphEngine`` guards with its lock.
struct GraphEngineState {
    /// Names one worker.
    typealias WorkerID = SerialTable<Worker>.ID

    /// The reason for which the task that runs the program is woken.
    enum Signal: Sendable {
        /// Nodes can begin, and nobody begins them.
        case work
        /// Every node has ended.
        case end
    }

    /// The task that runs the program, while it waits.
    final class Pump: Sendable {
        private let continuation: CheckedContinuation<Signal, Never>

        init(_ continuation: CheckedContinuation<Signal, Never>) {
            self.continuation = continuation
        }

        func wake(for signal: Signal) {
            continuation.resume(returning: signal)
        }
    }

    /// A task that does the work of nodes, one after the other.
    struct Worker: Sendable {
        /// `nil` until it is known.
        var task: Task<Void, Never>?
        /// The node whose work is done now.
        var node: Int?
        /// A Boolean value that is true while the worker does work that may wait.
        var isAway = false
        /// A Boolean value that is true if its task was cancelled, or is to be as soon as it is known.
        var isInterrupted = false
    }

    /// A node to begin.
    struct Step {
        let node: Int
        /// The slot that the node needed before its work begins.
        var slot: WorkerPool.Slot?
        /// A Boolean value that is true if the node had to wait for its slot.
        var hasWaited = false
        /// A Boolean value that is true if the work of the node may wait.
        var mayWait = true
    }

    /// The decision about a worker.
    struct Turn {
        /// The node to begin; `nil` for a worker that is done.
        var step: Step?
        /// Another worker to start.
        var helper: WorkerID?
        var aftermath: Aftermath?
    }

    /// The actions to take after unlocking.
    struct Aftermath {
        /// Tasks to cancel.
        var interrupted: [Task<Void, Never>] = []
        /// Nodes to take out of the pool's queue.
        var leavers: [(node: Int, waiter: WorkerPool.WaiterID)] = []
        /// Slots to give back of nodes that must not begin.
        var returned: [(node: Int, slot: WorkerPool.Slot)] = []
        /// Nodes that ended without having run.
        var passedOver: [Int] = []
        /// Those that wait for the progress to change.
        var watchers: [CheckedContinuation<Void, Never>] = []
        /// The task that runs the program, and the reason to wake it.
        var pump: (Pump, Signal)?
    }

    /// One worker for each thread that runs tasks.
    private static let workerLimit = max(1, ProcessInfo.processInfo.activeProcessorCount)

    var machine: JobGraphStateMachine
    private(set) var results: [NodeResult]
    private(set) var times: [NodeTimes]
    /// The notes of nodes for the report; empty as long as there are none.
    private(set) var notes: [JobNote?] = []
    private var workers = SerialTable<Worker>()
    /// How many workers are not away.
    private var present = 0
    /// The nodes that wait for a slot in the pool's queue.
    private var waiting: [Int: WorkerPool.WaiterID] = [:]
    /// The nodes that were given the slot that they waited for, in that order.
    private var granted: Deque<(node: Int, slot: WorkerPool.Slot)> = []
    /// The nodes that must not begin, whose slot may be on its way.
    private var unwanted: Set<Int> = []
    /// Nodes that have ended, and whose end is just being told.
    private var claimed: Set<Int> = []
    /// How many have something to do before the end of the run may be told.
    private var toDo = 0
    private let announcesNodes: Bool
    /// The task that runs the program, while it waits.
    var pump: Pump?
    var watchers: [CheckedContinuation<Void, Never>] = []
    var generator: SplitMix64
    private(set) var isCancelled = false
    private(set) var hasExpired = false
    /// The nodes that succeeded, in the order of their ends; only when something may have to be undone.
    private(set) var completed: [Int] = []

    init(machine: JobGraphStateMachine, announcesNodes: Bool, seed: UInt64) {
        let count = machine.topology.count
        self.machine = machine
        self.announcesNodes = announcesNodes
        results = Array(repeating: .notRun, count: count)
        times = Array(repeating: NodeTimes(), count: count)
        generator = SplitMix64(seed: seed)
    }

    /// The reason to wake the task that runs the program, if any.
    var signal: Signal? {
        if machine.isFinished, toDo == 0 {
            return .end
        }
        return hasWork && present == 0 ? .work : nil
    }

    private var hasWork: Bool { machine.readyCount > 0 || !granted.isEmpty }

    // MARK: - Workers

    /// Adds a worker, if there is work for one and not enough are present.
    mutating func addWorker() -> WorkerID? {
        guard hasWork, present < Self.workerLimit else {
            return nil
        }
        present += 1
        return workers.insert(Worker())
    }

    /// Keeps the task of a worker; returns whether it is to be cancelled.
    mutating func keep(_ task: Task<Void, Never>, of worker: WorkerID) -> Bool {
        workers[worker]?.task = task
        return workers[worker]?.isInterrupted ?? false
    }

    /// Gives a worker its next node; one without a node is done.
    mutating func take(_ worker: WorkerID, at now: Duration, _ engine: GraphEngine) -> Turn {
        var turn = Turn()
        // Other nodes' work must not find itself cancelled because one was.
        if workers[worker]?.isInterrupted != true {
            turn.step = nextStep(at: now, engine)
        }
        if let step = turn.step {
            workers[worker]?.node = step.node
            workers[worker]?.isAway = step.mayWait
            present -= step.mayWait ? 1 : 0
        } else {
            workers.remove(worker)
            present -= 1
        }
        turn.helper = addWorker()
        return turn
    }

    /// Notes how a worker's node ended, and gives the worker the next one.
    mutating func finish(
        _ node: Int,
        _ result: NodeResult,
        _ note: JobNote?,
        by worker: WorkerID,
        isCancelled: Bool,
        _ grants: [(index: Int, slot: WorkerPool.Slot)],
        at now: Duration,
        _ engine: GraphEngine
    ) -> Turn {
        present += workers[worker]?.isAway == true ? 1 : 0
        workers[worker]?.isAway = false
        workers[worker]?.node = nil
        if isCancelled {
            workers[worker]?.isInterrupted = true
        }
        let aftermath = settle(node, result, note, at: now, engine.program)
        var returned: [(node: Int, slot: WorkerPool.Slot)] = []
        for grant in grants where !hold(grant.slot, for: grant.index) {
            returned.append((grant.index, grant.slot))
        }
        var turn = take(worker, at: now, engine)
        turn.aftermath = aftermath
        if !returned.isEmpty {
            turn.aftermath = turn.aftermath ?? Aftermath()
            turn.aftermath?.returned += returned
        }
        return turn
    }

    private mutating func nextStep(at now: Duration, _ engine: GraphEngine) -> Step? {
        if let (node, slot) = granted.popFirst() {
            noteWait(of: node, until: now, engine)
            return Step(node: node, slot: slot, hasWaited: true, mayWait: !engine.program.nodes[node].body.isImmediate)
        }
        while let node = machine.next() {
            times[node].started = now
            let mayWait = !(engine.program.nodes[node].body.isImmediate && engine.isPlain(node))
            switch engine.ask(for: node, at: now) {
            case .none:
                // Local work that passes the pool tells of itself as a job does.
                return Step(node: node, mayWait: mayWait || engine.program.nodes[node].kind == .local)
            case .granted(let slot):
                return Step(node: node, slot: slot, mayWait: mayWait)
            case .wait(let waiter):
                waiting[node] = waiter
            }
        }
        return nil
    }

    /// Notes for the report how long a node waited for its slot.
    private mutating func noteWait(of node: Int, until now: Duration, _ engine: GraphEngine) {
        guard engine.isReported, let asked = times[node].started, asked < now else {
            return
        }
        let span = RunReport.Span(.queued, attempt: 1, start: asked - engine.start, end: now - engine.start)
        note(node) { $0.spans.append(span) }
    }

    // MARK: - Slots

    /// Keeps the slot that a node was waiting for.
    ///
    /// - Returns: Whether the node may begin, and what is to be done.
    mutating func keep(_ slot: WorkerPool.Slot, for node: Int) -> (isWanted: Bool, aftermath: Aftermath?) {
        hold(slot, for: node) ? (true, aftermath()) : (false, nil)
    }

    private mutating func hold(_ slot: WorkerPool.Slot, for node: Int) -> Bool {
        waiting[node] = nil
        guard unwanted.remove(node) == nil else {
            return false
        }
        granted.append((node, slot))
        return true
    }

    /// Ends a node that was cancelled before it had its slot.
    mutating func endWithoutSlot(_ node: Int, at now: Duration, _ program: GraphProgram) -> Aftermath? {
        unwanted.remove(node)
        return settle(node, .cancelled, nil, at: now, program)
    }

    /// Interrupts the work for some nodes, and lets those not begin that wait for a slot.
    private mutating func interrupt(_ nodes: some Sequence<Int>, _ aftermath: inout Aftermath) {
        let nodes = Set(nodes)
        for (id, worker) in workers.all {
            if let node = worker.node, nodes.contains(node) {
                workers[id]?.isInterrupted = true
                if let task = worker.task {
                    aftermath.interrupted.append(task)
                }
            }
        }
        guard !waiting.isEmpty || !granted.isEmpty else {
            return
        }
        for node in nodes.sorted() {
            if let waiter = waiting.removeValue(forKey: node) {
                unwanted.insert(node)
                aftermath.leavers.append((node, waiter))
            }
        }
        aftermath.returned += granted.filter { nodes.contains($0.node) }
        granted.removeAll { nodes.contains($0.node) }
    }

    // MARK: - Ends

    /// Reserves the end of a node for the one who asks; `false` when the node was given up.
    mutating func claim(_ node: Int) -> Bool {
        guard machine.phases[node] == .running else {
            return false
        }
        claimed.insert(node)
        return true
    }

    /// Notes how a node ended that ran, or was to.
    mutating func settle(
        _ node: Int,
        _ result: NodeResult,
        _ note: JobNote?,
        at now: Duration,
        _ program: GraphProgram
    ) -> Aftermath? {
        if !claimed.isEmpty {
            claimed.remove(node)
        }
        let holds = if case .success(let value) = result { Self.holds(value, program) } else { false }
        let isTolerated = if case .failure = result { program.tolerates(node) } else { false }
        guard machine.finish(node, result.ending, holds: holds, isTolerated: isTolerated) else {
            return nil
        }
        results[node] = result
        times[node].ended = now
        if let note {
            keep(note, of: node)
        }
        if !program.compensations.isEmpty, result.isSuccess {
            completed.append(node)
        }
        return aftermath()
    }

    /// Returns true unless a condition may depend on the result, and it is `false`.
    private static func holds(_ value: any Sendable, _ program: GraphProgram) -> Bool {
        program.topology.hasConditions ? value as? Bool ?? true : true
    }

    /// Takes over what an earlier run left of a node.
    mutating func adopt(_ value: any Sendable, _ note: JobNote, of node: Int) {
        results[node] = .success(value)
        keep(note, of: node)
    }

    /// The note of a node for the report.
    func note(of node: Int) -> JobNote? {
        notes.isEmpty ? nil : notes[node]
    }

    /// Notes something about a node whose work keeps no note of its own.
    mutating func note(_ node: Int, _ change: (inout JobNote.Contents) -> Void) {
        let note = note(of: node) ?? JobNote()
        note.update(change)
        keep(note, of: node)
    }

    private mutating func keep(_ note: JobNote, of node: Int) {
        if notes.isEmpty {
            notes = Array(repeating: nil, count: results.count)
        }
        notes[node] = note
    }

    /// Collects what is to be done after unlocking; `nil` when that is nothing.
    mutating func aftermath() -> Aftermath? {
        let wakesPump = pump != nil && signal != nil
        guard wakesPump || !machine.passedOver.isEmpty || !machine.interrupts.isEmpty || !watchers.isEmpty else {
            return nil
        }
        var aftermath = Aftermath()
        swap(&aftermath.passedOver, &machine.passedOver)
        swap(&aftermath.watchers, &watchers)
        if !machine.interrupts.isEmpty {
            interrupt(machine.interrupts, &aftermath)
            machine.interrupts = []
        }
        if !aftermath.passedOver.isEmpty {
            for node in aftermath.passedOver {
                results[node] = machine.phases[node].resultOfPassedOver
            }
            if announcesNodes {
                toDo += 1
            }
        }
        wakePump(&aftermath)
        return aftermath
    }

    /// Notes that one has done what was to do before the end of the run may be told.
    mutating func lessToDo() -> Aftermath? {
        toDo -= 1
        var aftermath = Aftermath()
        wakePump(&aftermath)
        return aftermath
    }

    private mutating func wakePump(_ aftermath: inout Aftermath) {
        if let signal, let pump {
            aftermath.pump = (pump, signal)
            self.pump = nil
        }
    }

    // MARK: - From outside

    /// Cancels everything.
    mutating func cancel() -> Aftermath? {
        isCancelled = true
        machine.cancel()
        return aftermath()
    }

    /// Gives up every node that has not ended.
    mutating func expire(
        _ error: any Error,
        at now: Duration,
        _ program: GraphProgram
    ) -> (aftermath: Aftermath?, nodes: [Int]) {
        hasExpired = true
        machine.stop()
        return giveUp(machine.phases.indices, error, at: now, program)
    }

    /// Gives up those nodes that run: they have failed, whatever becomes of their work.
    mutating func giveUp(
        _ nodes: some Sequence<Int>,
        _ error: any Error,
        at now: Duration,
        _ program: GraphProgram
    ) -> (aftermath: Aftermath?, nodes: [Int]) {
        let givenUp = nodes.filter { machine.phases[$0] == .running && !claimed.contains($0) }
        var interruption = Aftermath()
        if !givenUp.isEmpty {
            interrupt(givenUp, &interruption)
        }
        for node in givenUp where machine.finish(node, .failure, isTolerated: program.tolerates(node)) {
            results[node] = .failure(error)
            times[node].ended = now
        }
        var aftermath = aftermath() ?? Aftermath()
        aftermath.interrupted += interruption.interrupted
        aftermath.leavers += interruption.leavers
        aftermath.returned += interruption.returned
        return (aftermath, givenUp)
    }
}

extension JobGraphStateMachine.Phase {
    /// The result of a node that ended without having run.
    var resultOfPassedOver: NodeResult {
        switch self {
        case .cancelled: .cancelled
        case .skipped: .skipped
        default: .notRun
        }
    }
}
