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
            case launched(Int, Task<Void, Never>)
            case ended(Int, JobOutcome<any Sendable>)
        }

        /// The node to begin; `nil` to stop.
        var node: Int?
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
    var started: [Duration?]
    var ended: [Duration?]
    var notes: [JobNote?]
    /// The tasks of nodes that wait for something.
    var tasks: [Task<Void, Never>?]
    /// The nodes whose tasks have not left the thread of the drainer that began them.
    var isLaunching: [Bool]
    /// Nodes that are to be cancelled as soon as their tasks are known.
    private var interruptedEarly: Set<Int> = []
    /// Nodes that have ended, and whose end is just being told.
    private var claimed: Set<Int> = []
    /// The drainers, and their tasks where they have one of their own.
    private var drainers: [Drainer: Task<Void, Never>?] = [:]
    private var lastDrainer = 0
    /// How many are telling of nodes that were passed over.
    private var announcing = 0
    private let announcesNodes: Bool
    /// The task that runs the program, while it waits.
    var pump: CheckedContinuation<Signal, Never>?
    var watchers: [CheckedContinuation<Void, Never>] = []
    var generator: SplitMix64
    private(set) var isCancelled = false
    private(set) var hasExpired = false
    /// The nodes that succeeded, in the order of their ends.
    private(set) var completed: [Int] = []

    init(machine: JobGraphStateMachine, announcesNodes: Bool, seed: UInt64) {
        let count = machine.topology.count
        self.machine = machine
        self.announcesNodes = announcesNodes
        outcomes = Array(repeating: .notRun, count: count)
        started = Array(repeating: nil, count: count)
        ended = Array(repeating: nil, count: count)
        notes = Array(repeating: nil, count: count)
        tasks = Array(repeating: nil, count: count)
        isLaunching = Array(repeating: false, count: count)
        generator = SplitMix64(seed: seed)
    }

    /// What the task that runs the program has to do, if anything.
    var signal: Signal? {
        if machine.isFinished, announcing == 0 {
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
    mutating func step(
        after last: Step.Last,
        as drainer: Drainer,
        at now: Duration,
        limit: Int,
        _ program: GraphProgram
    ) -> Step {
        var step = Step()
        switch last {
        case .nothing:
            break
        case .launched(let node, let task):
            isLaunching[node] = false
            if machine.phases[node] == .running {
                tasks[node] = task
            }
            if !interruptedEarly.isEmpty, interruptedEarly.remove(node) != nil {
                step.aftermath = Aftermath(interrupted: [task])
            }
        case .ended(let node, let outcome):
            isLaunching[node] = false
            step.aftermath = settle(node, outcome, nil, at: now, program)
        }
        step.node = machine.next()
        if let node = step.node {
            started[node] = now
            isLaunching[node] = true
            step.helper = addDrainer(limit: limit)
        } else {
            drainers[drainer] = nil
        }
        return step
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
        let holds = if case .success(let value) = outcome { value as? Bool ?? true } else { false }
        let isTolerated = if case .failure = outcome { program.tolerates(node) } else { false }
        guard machine.finish(node, outcome.ending, holds: holds, isTolerated: isTolerated) else {
            return nil
        }
        outcomes[node] = outcome
        ended[node] = now
        notes[node] = note
        if !program.compensations.isEmpty, outcome.isSuccess {
            completed.append(node)
        }
        return aftermath()
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
        for node in machine.interrupts {
            if let task = tasks[node] {
                aftermath.interrupted.append(task)
            } else {
                interruptedEarly.insert(node)
            }
        }
        machine.interrupts = []
        if !aftermath.passedOver.isEmpty {
            for node in aftermath.passedOver {
                outcomes[node] = machine.phases[node].outcomeOfPassedOver
            }
            if announcesNodes {
                announcing += 1
            }
        }
        if wakesPump || machine.isFinished {
            wakePump(&aftermath)
        }
        return aftermath
    }

    /// Notes that nodes which were passed over have been told of.
    mutating func announced() -> Aftermath? {
        announcing -= 1
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
        var interrupted: [Task<Void, Never>] = []
        var givenUp: [Int] = []
        for node in nodes where machine.phases[node] == .running && !claimed.contains(node) {
            givenUp.append(node)
            if let task = tasks[node] {
                interrupted.append(task)
                tasks[node] = nil
            } else {
                interruptedEarly.insert(node)
            }
            if machine.finish(node, .failure, isTolerated: program.tolerates(node)) {
                outcomes[node] = .failure(error)
                ended[node] = now
            }
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
