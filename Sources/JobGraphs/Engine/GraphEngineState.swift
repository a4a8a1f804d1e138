// SPDX-License-Identifier: MIT

import RestEssentials

/// The state that a ``GraphEngine`` guards with its lock: decides, and collects what is to be done after unlocking.
///
/// The state machine knows which node begins when, ``NodeQueue`` which nodes wait for a slot, ``GraphWorkers`` who does
/// the work, and ``NodeRecords`` what became of it.
struct GraphEngineState {
    /// The reason for which the task that runs the program is woken.
    enum Signal: Sendable {
        /// Nodes can begin, and nobody begins them.
        case work
        /// Every node has ended.
        case end
    }

    /// A node to begin.
    struct Step {
        let node: Int
        /// The slot that the node was given.
        var slot: WorkerPool.Slot?
        /// A Boolean value that is true if the node had to wait for its slot.
        var hasWaited = false
        /// A Boolean value that is true if the work of the node may wait.
        let mayWait: Bool
    }

    /// The decision about a worker.
    struct Turn {
        /// The node to begin; `nil` for a worker that is done.
        var step: Step?
        /// Another worker to start.
        var helper: GraphWorkers.ID?
    }

    /// A piece of work that remains to be done after unlocking.
    enum Action {
        /// Announce the end of a node.
        case announce(Int, NodeResult)
        /// Begin the time limit of a node.
        case limit(Int, Duration)
        case cancel(Task<Void, Never>)
        /// Take a node out of the pool's queue.
        case leave(NodeQueue.Waiter)
        /// Give back the slot of a node that must not begin.
        case giveBack(WorkerPool.Slot, of: Int)
        /// Tell others that they were given a slot.
        case tell(WorkerPool.Winner)
        /// Wake a task that waits for the progress to change.
        case wake(Watchers<GraphProgress>.Parking.Wakeup)
        /// Wake the task that runs the program.
        case signal(Waiters<Int, Signal>.Wakeup)
    }

    var machine: JobGraphStateMachine
    private(set) var records: NodeRecords
    private(set) var isCancelled = false
    private(set) var hasExpired = false
    var generator: SplitMix64
    /// The task that runs the program, while it waits.
    var pump = Waiters<Int, Signal>()
    var watchers = Watchers<GraphProgress>()

    private var queue = NodeQueue()
    private var workers = GraphWorkers()
    /// The mutex keys that nodes asked for which have not begun.
    private var keys: [Int: MutexKeys.Request] = [:]
    /// The timers of nodes with a time limit.
    private var timers: [Int: Task<Void, Never>] = [:]
    /// Nodes that have ended, and whose end is just being announced.
    private var claimed: Set<Int> = []
    /// How many announcements must be made before that of the run's end.
    private var pendingAnnouncements = 0
    private let announcesNodes: Bool
    private var actions: [Action] = []
    /// A Boolean value that is true if the actions have ends to announce.
    private var hasAnnouncements = false

    init(machine: JobGraphStateMachine, announcesNodes: Bool, seed: UInt64) {
        self.machine = machine
        self.announcesNodes = announcesNodes
        records = NodeRecords(count: machine.topology.count)
        generator = SplitMix64(seed: seed)
    }

    /// The reason to wake the task that runs the program, if any.
    var signal: Signal? {
        if machine.unsettled == 0, pendingAnnouncements == 0 {
            return .end
        }
        return workers.present == 0 && readyCount > 0 ? .work : nil
    }

    private var readyCount: Int { machine.readyCount + queue.grantedCount }

    /// Takes what is to be done after unlocking.
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

    /// Takes over what the state machine decided, and wakes those who watch it.
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
            actions += watchers.offer(GraphProgress(machine)).map(Action.wake)
        }
    }

    @inline(never) private mutating func wakePump() {
        if pump.count > 0, let signal, let wakeup = pump.withdraw(0, with: signal) {
            actions.append(.signal(wakeup))
        }
    }

    /// Notes that announcements were made.
    mutating func announced() {
        pendingAnnouncements -= 1
    }

    // MARK: - Workers

    /// Adds a worker, if there is work for one and not enough are present.
    mutating func addWorker() -> GraphWorkers.ID? {
        workers.add(for: readyCount)
    }

    /// Keeps the task of a worker; returns whether it is to be cancelled.
    mutating func keep(_ task: Task<Void, Never>, of worker: GraphWorkers.ID) -> Bool {
        workers.keep(task, of: worker)
    }

    /// Gives a worker its first node.
    mutating func begin(_ worker: GraphWorkers.ID, at now: Duration, _ engine: GraphEngine) -> Turn {
        workers.arrive()
        return turn(of: worker, givingBack: nil, at: now, engine)
    }

    /// Notes how a worker's node ended, and gives the worker the next one.
    ///
    /// - Parameters:
    ///   - step: The node.
    ///   - result: How it ended.
    ///   - note: What its work left for the report.
    ///   - slot: The slot that the worker still has.
    ///   - worker: The worker.
    ///   - isCancelled: True if the worker's task was cancelled.
    ///   - now: The time, on the runtime's clock.
    ///   - engine: The engine.
    /// - Returns: The decision about the worker.
    mutating func finish(
        _ step: Step,
        _ result: NodeResult,
        _ note: JobNote?,
        givingBack slot: WorkerPool.Slot?,
        by worker: GraphWorkers.ID,
        isCancelled: Bool,
        at now: Duration,
        _ engine: GraphEngine
    ) -> Turn {
        workers.end(by: worker, isCancelled: isCancelled)
        settle(step.node, result, note, at: now, engine.program)
        return turn(of: worker, givingBack: slot, at: now, engine)
    }

    private mutating func turn(
        of worker: GraphWorkers.ID,
        givingBack slot: WorkerPool.Slot?,
        at now: Duration,
        _ engine: GraphEngine
    ) -> Turn {
        var (turn, slot) = (Turn(), slot)
        // Other nodes' work must not find itself cancelled because one was.
        if !workers.isInterrupted(worker) {
            turn.step = nextStep(givingBack: &slot, at: now, engine)
        }
        giveBack(&slot, engine)
        if let step = turn.step {
            workers.begin(step.node, by: worker, mayWait: step.mayWait)
        } else {
            workers.remove(worker)
        }
        turn.helper = addWorker()
        return turn
    }

    // MARK: - Slots

    /// Takes out the next node to begin; those that need a slot which is not free are queued in the pool.
    private mutating func nextStep(
        givingBack slot: inout WorkerPool.Slot?,
        at now: Duration,
        _ engine: GraphEngine
    ) -> Step? {
        while true {
            if let grant = queue.next() {
                giveBack(&slot, engine)
                noteWait(of: grant.node, until: now, engine)
                return Step(node: grant.node, slot: grant.slot, hasWaited: true, mayWait: engine.mayWait(grant.node))
            }
            guard let node = machine.next() else {
                guard slot != nil else {
                    return nil
                }
                // It may fall to a node that waits for one.
                giveBack(&slot, engine)
                continue
            }
            records.begin(node, at: now)
            if let limit = engine.options(of: node)?.timeout {
                actions.append(.limit(node, limit))
            }
            let holdsKeys = requestKeys(for: node, engine)
            guard holdsKeys, engine.needsSlot(node) else {
                giveBack(&slot, engine)
                return Step(node: node, mayWait: engine.mayWait(node))
            }
            var winners: [WorkerPool.Winner] = []
            switch engine.ask(for: node, givingBack: slot.take(), at: now, &winners) {
            case .granted(let slot):
                grant(winners, engine)
                return Step(node: node, slot: slot, mayWait: engine.mayWait(node))
            case .wait(let waiter):
                queue.wait(node, as: waiter)
                grant(winners, engine)
            }
        }
    }

    /// Asks for the mutex keys of a node; `false` if it has to wait for them.
    private mutating func requestKeys(for node: Int, _ engine: GraphEngine) -> Bool {
        guard let request = engine.requestKeys(for: node) else {
            return true
        }
        keys[node] = request
        return request.isGranted
    }

    /// Hands over the mutex keys that a node asked for; `nil` if it needs none.
    mutating func takeKeys(of node: Int) -> MutexKeys.Request? {
        keys.isEmpty ? nil : keys.removeValue(forKey: node)
    }

    private mutating func giveBack(_ slot: inout WorkerPool.Slot?, _ engine: GraphEngine) {
        if let slot = slot.take() {
            grant(engine.runtime.workers.released(slot), engine)
        }
    }

    /// Keeps the slots that fell to nodes of this run.
    private mutating func grant(_ winners: [WorkerPool.Winner], _ engine: GraphEngine) {
        for winner in winners {
            guard case .taker(let taker, let node, let slot) = winner, taker === engine else {
                actions.append(.tell(winner))
                continue
            }
            grant(slot, to: node)
        }
    }

    /// Keeps the slot that a node was waiting for.
    mutating func grant(_ slot: WorkerPool.Slot, to node: Int) {
        if !queue.grant(slot, to: node) {
            actions.append(.giveBack(slot, of: node))
        }
    }

    /// Notes for the report how long a node waited for its slot.
    private mutating func noteWait(of node: Int, until now: Duration, _ engine: GraphEngine) {
        if engine.isReported, let asked = records.times[node].started, asked < now {
            let span = RunReport.Span(.queued, attempt: 1, start: asked - engine.start, end: now - engine.start)
            records.noteWait(of: node, span)
        }
    }

    /// Notes how long a node waited that keeps no note of its own.
    mutating func noteWait(of node: Int, _ span: RunReport.Span) {
        records.noteWait(of: node, span)
    }

    // MARK: - Ends

    /// Reserves the end of a node for the caller; `false` when the node was given up.
    mutating func claim(_ node: Int) -> Bool {
        guard machine.phases[node] == .running else {
            return false
        }
        claimed.insert(node)
        return true
    }

    /// Ends a node that was cancelled before it had its slot; returns the mutex keys to give back.
    mutating func endWithoutSlot(_ node: Int, at now: Duration, _ program: GraphProgram) -> MutexKeys.Request? {
        queue.forget(node)
        settle(node, .cancelled, nil, at: now, program)
        return takeKeys(of: node)
    }

    /// Notes how a node ended that had its turn.
    private mutating func settle(
        _ node: Int,
        _ result: NodeResult,
        _ note: JobNote?,
        at now: Duration,
        _ program: GraphProgram
    ) {
        if !claimed.isEmpty {
            claimed.remove(node)
        }
        let phase = result.phase
        let holds = program.topology.hasConditions ? Self.holds(result) : phase == .success
        let isTolerated = phase == .failure && program.tolerates(node)
        guard machine.finish(node, phase, holds: holds, isTolerated: isTolerated) else {
            return
        }
        records.end(node, result, at: now)
        stopTimer(of: node)
        if let note {
            records.keep(note, of: node)
        }
        if phase == .success, !program.compensations.isEmpty {
            records.complete(node)
        }
    }

    /// Returns true unless the result is missing or `false`, for conditions that depend on it.
    private static func holds(_ result: NodeResult) -> Bool {
        guard case .success(let value) = result else {
            return false
        }
        return value as? Bool ?? true
    }

    private mutating func announce(_ node: Int, _ result: NodeResult) {
        if announcesNodes {
            hasAnnouncements = true
            actions.append(.announce(node, result))
        }
    }

    /// Takes over what an earlier run left of a node.
    mutating func adopt(_ value: any Sendable, _ note: JobNote, of node: Int) {
        records.adopt(value, note, of: node)
    }

    // MARK: - Interruptions

    /// Cancels everything.
    mutating func cancel() {
        isCancelled = true
        machine.cancel()
    }

    /// Gives up every node that has not ended.
    mutating func expire(_ error: any Error, at now: Duration, _ program: GraphProgram) {
        hasExpired = true
        machine.stop()
        giveUp(machine.phases.indices, error, at: now, program)
    }

    /// Gives up those nodes that run: they have failed, whatever becomes of their work.
    mutating func giveUp(
        _ nodes: some Sequence<Int>,
        _ error: any Error,
        at now: Duration,
        _ program: GraphProgram
    ) {
        let givenUp = nodes.filter { machine.phases[$0] == .running && !claimed.contains($0) }
        interrupt(givenUp)
        for node in givenUp where machine.finish(node, .failure, isTolerated: program.tolerates(node)) {
            records.end(node, .failure(error), at: now)
            stopTimer(of: node)
            announce(node, .failure(error))
        }
    }

    /// Interrupts the work for some nodes, and lets those not begin that wait for a slot.
    private mutating func interrupt(_ nodes: [Int]) {
        let nodes = Set(nodes)
        let tasks = workers.interrupt(nodes)
        let (waiters, granted) = queue.remove(nodes)
        actions += tasks.map(Action.cancel) + waiters.map(Action.leave)
        actions += granted.map { .giveBack($0.slot, of: $0.node) }
    }

    // MARK: - Time limits

    /// Keeps the timer of a node; `false` if the node has ended.
    mutating func keepTimer(_ timer: Task<Void, Never>, of node: Int) -> Bool {
        guard machine.phases[node] == .running else {
            return false
        }
        timers[node] = timer
        return true
    }

    private mutating func stopTimer(of node: Int) {
        if !timers.isEmpty, let timer = timers.removeValue(forKey: node) {
            actions.append(.cancel(timer))
        }
    }
}

extension JobGraphStateMachine.Phase {
    /// The result of a node that ended without having run.
    fileprivate var resultOfPassedOver: NodeResult {
        switch self {
        case .cancelled: .cancelled
        case .skipped: .skipped
        default: .notRun
        }
    }
}
