// SPDX-License-Identifier: MIT

/// Everything that a ``GraphEngine`` guards with its lock.
struct GraphEngineState {
    /// Names one drainer.
    typealias Drainer = Int

    /// What the task that runs the program is woken for.
    enum Signal: Sendable {
        /// Nodes are ready, and nobody begins them.
        case work
        /// Every node has ended.
        case end
    }

    /// What a drainer does next.
    struct Step {
        /// What the drainer did last.
        enum Last {
            case nothing
            /// It began a carrier, whose task this is.
            case left(Carriers.Place, Task<Void, Never>)
            /// It did the work of a node.
            case ended(Int, JobOutcome<any Sendable>)
        }

        /// The node to begin; `nil` to stop.
        var node: Int?
        /// Another drainer to start.
        var helper: Drainer?
        var aftermath: Aftermath?
    }

    /// What a carrier does next.
    struct Turn {
        enum Next {
            /// It does the work of another node.
            case node(Int)
            /// It becomes a drainer.
            case drain(Drainer)
            case end
        }

        var next = Next.end
        /// Another drainer to start.
        var helper: Drainer?
        var aftermath: Aftermath?
    }

    /// What is to be done after unlocking.
    struct Aftermath {
        /// Tasks to cancel.
        var interrupted: [Task<Void, Never>] = []
        /// Nodes that ended without having run.
        var passedOver: [Int] = []
        /// Those who wait for the progress to change.
        var watchers: [CheckedContinuation<Void, Never>] = []
        /// The task that runs the program, and what to wake it for.
        var pump: (CheckedContinuation<Signal, Never>, Signal)?
    }

    var machine: JobGraphStateMachine
    var outcomes: [JobOutcome<any Sendable>]
    var times: [NodeTimes]
    /// What nodes left for the report; empty as long as none did.
    private(set) var notes: [JobNote?] = []
    private(set) var carriers = Carriers()
    /// Nodes that have ended, and whose end is just being told.
    private var claimed: Set<Int> = []
    /// The drainers, and their tasks where they have one of their own.
    private var drainers: [Drainer: Task<Void, Never>?] = [:]
    private var lastDrainer = 0
    /// How many have something to do before the end of the run may be told.
    private var toDo = 0
    private let announcesNodes: Bool
    /// The task that runs the program, while it waits.
    var pump: CheckedContinuation<Signal, Never>?
    var watchers: [CheckedContinuation<Void, Never>] = []
    var generator: SplitMix64
    private(set) var isCancelled = false
    private(set) var hasExpired = false
    /// The nodes that succeeded, in the order of their ends; only when something may have to be taken back.
    private(set) var completed: [Int] = []

    init(machine: JobGraphStateMachine, announcesNodes: Bool, seed: UInt64) {
        let count = machine.topology.count
        self.machine = machine
        self.announcesNodes = announcesNodes
        outcomes = Array(repeating: .notRun, count: count)
        times = Array(repeating: NodeTimes(), count: count)
        generator = SplitMix64(seed: seed)
    }

    /// What the task that runs the program has to do, if anything.
    var signal: Signal? {
        if machine.isFinished, toDo == 0 {
            return .end
        }
        return machine.readyCount > 0 && drainers.isEmpty ? .work : nil
    }

    // MARK: Drainers

    /// Counts another drainer, if there is work for one and not yet as many as the limit.
    mutating func addDrainer(limit: Int) -> Drainer? {
        guard machine.readyCount > 0, drainers.count < limit else {
            return nil
        }
        lastDrainer += 1
        drainers[lastDrainer] = .some(nil)
        return lastDrainer
    }

    /// Keeps the task of a drainer, so that work it does itself is cancelled with the run; returns whether it is already.
    mutating func keep(_ task: Task<Void, Never>, of drainer: Drainer) -> Bool {
        if drainers[drainer] != nil {
            drainers[drainer] = task
        }
        return isCancelled
    }

    /// Takes note of what a drainer did, and gives it the next node.
    ///
    /// A drainer that stops while it has a worker slot must give it back and say so (``lessToDo()``) before the run ends.
    mutating func step(
        after last: Step.Last,
        as drainer: Drainer,
        holdsSlot: Bool,
        at now: Duration,
        _ program: GraphProgram
    ) -> Step {
        var step = Step()
        switch last {
        case .nothing:
            break
        case .left(let carrier, let task):
            if carriers.leave(carrier, task) {
                step.aftermath = Aftermath(interrupted: [task])
            }
        case .ended(let node, let outcome):
            toDo += holdsSlot ? 1 : 0
            step.aftermath = settle(node, outcome, nil, at: now, program)
            toDo -= holdsSlot ? 1 : 0
        }
        step.node = machine.next()
        if let node = step.node {
            times[node].started = now
            step.helper = addDrainer(limit: GraphEngine.drainerLimit)
        } else {
            drainers[drainer] = nil
            toDo += holdsSlot ? 1 : 0
        }
        return step
    }

    // MARK: Carriers

    /// Adds a carrier for a node.
    mutating func addCarrier(for node: Int) -> Carriers.Place {
        carriers.add(for: node)
    }

    /// Takes note of how a carrier's node ended, and tells it what to do next.
    ///
    /// While it is attended it stands in for the drainer that began it. Later the threads of drainers are counted, and it
    /// becomes one if there are not enough.
    mutating func turn(
        after node: Int,
        _ outcome: JobOutcome<any Sendable>,
        _ note: JobNote?,
        of carrier: Carriers.Place,
        isCancelled: Bool,
        at now: Duration,
        _ program: GraphProgram
    ) -> Turn {
        var turn = Turn()
        turn.aftermath = settle(node, outcome, note, at: now, program)
        // Other nodes' work must not find itself cancelled because this node was.
        let mayGoOn = !isCancelled && !carriers.isInterrupted(carrier)
        if mayGoOn, carriers.isAttended(carrier),
            let next = machine.next(where: { !program.nodes[$0].body.isImmediate })
        {
            times[next].started = now
            carriers.move(carrier, to: next)
            turn.next = .node(next)
            turn.helper = addDrainer(limit: GraphEngine.drainerLimit)
            return turn
        }
        guard let task = carriers.end(carrier), let drainer = addDrainer(limit: GraphEngine.drainerLimit) else {
            return turn
        }
        if mayGoOn {
            _ = keep(task, of: drainer)
            turn.next = .drain(drainer)
        } else {
            turn.helper = drainer
        }
        return turn
    }

    // MARK: Ends

    /// Reserves the end of a node for the one who asks; `false` when the node was given up.
    mutating func claim(_ node: Int) -> Bool {
        guard machine.phases[node] == .running else {
            return false
        }
        claimed.insert(node)
        return true
    }

    /// Notes how a node ended that ran.
    mutating func settle(
        _ node: Int,
        _ outcome: JobOutcome<any Sendable>,
        _ note: JobNote?,
        at now: Duration,
        _ program: GraphProgram
    ) -> Aftermath? {
        if !claimed.isEmpty {
            claimed.remove(node)
        }
        let holds = if case .success(let value) = outcome { Self.holds(value, program) } else { false }
        let isTolerated = if case .failure = outcome { program.tolerates(node) } else { false }
        guard machine.finish(node, outcome.ending, holds: holds, isTolerated: isTolerated) else {
            return nil
        }
        outcomes[node] = outcome
        times[node].ended = now
        if let note {
            keep(note, of: node)
        }
        if !program.compensations.isEmpty, outcome.isSuccess {
            completed.append(node)
        }
        return aftermath()
    }

    /// Whether a result is true, if it matters.
    private static func holds(_ value: any Sendable, _ program: GraphProgram) -> Bool {
        program.topology.hasConditions ? value as? Bool ?? true : true
    }

    /// Takes over what an earlier run left of a node.
    mutating func adopt(_ value: any Sendable, _ note: JobNote, of node: Int) {
        outcomes[node] = .success(value)
        keep(note, of: node)
    }

    /// What a node left for the report.
    func note(of node: Int) -> JobNote? {
        notes.isEmpty ? nil : notes[node]
    }

    private mutating func keep(_ note: JobNote, of node: Int) {
        if notes.isEmpty {
            notes = Array(repeating: nil, count: outcomes.count)
        }
        notes[node] = note
    }

    /// Collects what is to be done after unlocking.
    ///
    /// - Parameter wakesForWork: Whether nobody here begins the nodes that may be ready now.
    /// - Returns: What is to be done, if anything.
    mutating func aftermath(wakesForWork: Bool = false) -> Aftermath? {
        let wakesPump = pump != nil && (machine.isFinished || wakesForWork)
        guard wakesPump || !machine.passedOver.isEmpty || !machine.interrupts.isEmpty || !watchers.isEmpty else {
            return nil
        }
        var aftermath = Aftermath()
        swap(&aftermath.passedOver, &machine.passedOver)
        swap(&aftermath.watchers, &watchers)
        if !machine.interrupts.isEmpty {
            aftermath.interrupted = carriers.interrupt(machine.interrupts)
            machine.interrupts = []
        }
        if !aftermath.passedOver.isEmpty {
            for node in aftermath.passedOver {
                outcomes[node] = machine.phases[node].outcomeOfPassedOver
            }
            if announcesNodes {
                toDo += 1
            }
        }
        if wakesPump || machine.isFinished {
            wakePump(&aftermath)
        }
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

    // MARK: From outside

    /// Cancels everything.
    mutating func cancel() -> Aftermath? {
        isCancelled = true
        machine.cancel()
        var aftermath = aftermath(wakesForWork: true) ?? Aftermath()
        aftermath.interrupted += drainers.values.compactMap(\.self)
        return aftermath
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
        let interrupted = givenUp.isEmpty ? [] : carriers.interrupt(givenUp)
        for node in givenUp where machine.finish(node, .failure, isTolerated: program.tolerates(node)) {
            outcomes[node] = .failure(error)
            times[node].ended = now
        }
        var aftermath = aftermath(wakesForWork: true) ?? Aftermath()
        aftermath.interrupted += interrupted
        return (aftermath, givenUp)
    }
}

extension JobGraphStateMachine.Phase {
    /// The outcome of a node that ended without having run.
    var outcomeOfPassedOver: JobOutcome<any Sendable> {
        switch self {
        case .cancelled: .cancelled
        case .skipped: .skipped
        default: .notRun
        }
    }
}

extension JobOutcome {
    /// The same for the state machine.
    var ending: JobGraphStateMachine.Ending {
        switch self {
        case .success: .success
        case .failure: .failure
        case .cancelled, .notRun: .cancelled
        case .skipped: .skipped
        }
    }
}
