// SPDX-License-Identifier: MIT

import RestEssentials

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

    /// What is to be done about nodes that nobody has begun.
    enum Help: Equatable {
        /// Another drainer is to be started.
        case helper(Drainer)
        /// Somebody is to look after them.
        case lookout
    }

    /// What a drainer does next.
    struct Step {
        /// The node to begin; `nil` to stop.
        var node: Int?
        var help: Help?
        var aftermath: Aftermath?
    }

    /// What a carrier does next.
    struct Turn {
        enum Next {
            /// It does the work of another node.
            case node(Int)
            /// It does the work of a node that was given its slot.
            case granted(QueuedNodes.Grant)
            /// It becomes a drainer.
            case drain(Drainer)
            case end
        }

        var next = Next.end
        /// A slot that another one must go on with.
        var unused: QueuedNodes.Grant?
        var help: Help?
        var aftermath: Aftermath?
    }

    /// What is to be done after unlocking.
    struct Aftermath {
        /// Tasks to cancel.
        var interrupted: [Task<Void, Never>] = []
        /// Nodes to take out of the pool's queue.
        var leavers: [QueuedNodes.Leaver] = []
        /// Nodes that ended without having run.
        var passedOver: [Int] = []
        /// Those who wait for the progress to change.
        var watchers: [CheckedContinuation<Void, Never>] = []
        /// The task that runs the program, and what to wake it for.
        var pump: (Pump, Signal)?
    }

    var machine: JobGraphStateMachine
    private(set) var results: [NodeResult]
    var times: [NodeTimes]
    /// What nodes left for the report; empty as long as none did.
    private(set) var notes: [JobNote?] = []
    var carriers = Carriers()
    var queue = QueuedNodes()
    /// Nodes that have ended, and whose end is just being told.
    private var claimed: Set<Int> = []
    /// The drainers, and their tasks where they have one of their own.
    private var drainers: [Drainer: Task<Void, Never>?] = [:]
    private var lastDrainer = 0
    /// How many have something to do before the end of the run may be told.
    private var toDo = 0
    private let announcesNodes: Bool
    private var helperRule = HelperRule()
    private var lookout = Lookout()
    /// The task that is out, to be cancelled when the run has ended.
    private(set) var lookoutTask: Task<Void, Never>?
    /// The task that runs the program, while it waits.
    var pump: Pump?
    /// The task that begins nodes which were given a slot, while it waits; and whether there is one.
    var usher: Usher?
    var hasUsher = false
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
        results = Array(repeating: .notRun, count: count)
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

    /// Gives a drainer a node.
    ///
    /// A drainer that stops while it has a worker slot must give it back and say so (``lessToDo()``) before the run ends.
    mutating func step(as drainer: Drainer, holdsSlot: Bool, at now: Duration) -> Step {
        var step = Step()
        step.node = machine.next()
        if let node = step.node {
            times[node].started = now
            step.help = help()
        } else {
            drainers[drainer] = nil
            toDo += holdsSlot ? 1 : 0
        }
        return step
    }

    /// Takes note of how a node ended whose work a drainer did, and gives it the next one.
    ///
    /// When the work began may be later than when the node did: to wake a helper takes longer than a short node.
    mutating func step(
        after node: Int,
        _ result: NodeResult,
        as drainer: Drainer,
        holdsSlot: Bool,
        begun: Duration,
        at now: Duration,
        _ program: GraphProgram
    ) -> Step {
        note(now - begun)
        toDo += holdsSlot ? 1 : 0
        let aftermath = settle(node, result, nil, at: now, program)
        toDo -= holdsSlot ? 1 : 0
        var step = step(as: drainer, holdsSlot: holdsSlot, at: now)
        step.aftermath = aftermath
        return step
    }

    /// Takes note of the task of a carrier that a drainer has begun, and gives the drainer the next node.
    mutating func step(
        leaving carrier: Carriers.Place,
        _ task: Task<Void, Never>,
        as drainer: Drainer,
        at now: Duration
    ) -> Step {
        let isToBeCancelled = carriers.leave(carrier, task)
        var step = step(as: drainer, holdsSlot: false, at: now)
        if isToBeCancelled {
            step.aftermath = Aftermath(interrupted: [task])
        }
        return step
    }

    // MARK: Help

    /// What is to be done about the nodes that are ready, when one has just been begun.
    mutating func help() -> Help? {
        guard machine.readyCount > 0, drainers.count < GraphEngine.drainerLimit else {
            return nil
        }
        if helperRule.isWorthwhile(for: machine.readyCount) {
            return addDrainer(limit: GraphEngine.drainerLimit).map(Help.helper)
        }
        return lookout.begin() ? .lookout : nil
    }

    /// Takes note of how long a node took, whose work was done without waiting.
    private mutating func note(_ duration: Duration) {
        lookout.noteEnd()
        helperRule.note(duration)
    }

    /// Keeps the task that looks after nodes; returns whether the run has ended already.
    mutating func keepLookout(_ task: Task<Void, Never>) -> Bool {
        lookoutTask = task
        return machine.isFinished
    }

    /// Looks after nodes that nobody has begun.
    ///
    /// - Returns: Whether to look again later, and a drainer to start now.
    mutating func lookAround() -> (again: Bool, helper: Drainer?) {
        switch lookout.look(ready: machine.readyCount) {
        case .clear: (false, nil)
        case .moving: (true, nil)
        case .stuck: (true, addDrainer(limit: GraphEngine.drainerLimit))
        }
    }

    // MARK: Carriers

    /// Adds a carrier for a node.
    mutating func addCarrier(for node: Int) -> Carriers.Place {
        carriers.add(for: node)
    }

    /// Takes note of how a carrier's node ended, and tells it what to do next.
    ///
    /// While it is attended it stands in for the drainer that began it. Later the threads of drainers are counted, and it
    /// becomes one if there are not enough. If the slot that it has given back fell to another node of the run, it goes on
    /// with that one.
    ///
    /// A carrier that stops while it has a slot must give it back and say so (``lessToDo()``) before the run ends.
    mutating func turn(
        after node: Int,
        _ result: NodeResult,
        _ note: JobNote?,
        of carrier: Carriers.Place,
        isCancelled: Bool,
        slot: (isHeld: Bool, successor: QueuedNodes.Grant?),
        begun: Duration,
        at now: Duration,
        _ program: GraphProgram
    ) -> Turn {
        var turn = Turn()
        toDo += slot.isHeld ? 1 : 0
        let isAttended = carriers.isAttended(carrier)
        if isAttended {
            self.note(now - begun)
        }
        turn.aftermath = settle(node, result, note, at: now, program)
        // Other nodes' work must not find itself cancelled because this node was.
        let mayGoOn = !isCancelled && !carriers.isInterrupted(carrier)
        if let grant = slot.successor {
            if mayGoOn, queue.begin(grant.node) {
                carriers.move(carrier, to: grant.node)
                turn.next = .granted(grant)
                turn.help = isAttended ? help() : addDrainer(limit: GraphEngine.drainerLimit).map(Help.helper)
                return turn
            }
            turn.unused = grant
        }
        if mayGoOn, isAttended,
            let next = machine.next(where: { !program.nodes[$0].body.isImmediate })
        {
            times[next].started = now
            carriers.move(carrier, to: next)
            toDo -= slot.isHeld ? 1 : 0
            turn.next = .node(next)
            turn.help = help()
            return turn
        }
        guard let task = carriers.end(carrier), let drainer = addDrainer(limit: GraphEngine.drainerLimit) else {
            return turn
        }
        if mayGoOn {
            _ = keep(task, of: drainer)
            turn.next = .drain(drainer)
        } else {
            turn.help = .helper(drainer)
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

    /// Notes how a node ended that ran, or was to; `wakesForWork` says that nobody here begins the nodes that may be ready now.
    mutating func settle(
        _ node: Int,
        _ result: NodeResult,
        _ note: JobNote?,
        at now: Duration,
        _ program: GraphProgram,
        wakesForWork: Bool = false
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
        return aftermath(wakesForWork: wakesForWork)
    }

    /// Whether a result is true, if it matters.
    private static func holds(_ value: any Sendable, _ program: GraphProgram) -> Bool {
        program.topology.hasConditions ? value as? Bool ?? true : true
    }

    /// Takes over what an earlier run left of a node.
    mutating func adopt(_ value: any Sendable, _ note: JobNote, of node: Int) {
        results[node] = .success(value)
        keep(note, of: node)
    }

    /// What a node left for the report.
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

    /// Collects what is to be done after unlocking.
    ///
    /// - Parameter wakesForWork: Whether nobody here begins the nodes that may be ready now.
    /// - Returns: What is to be done, if anything.
    mutating func aftermath(wakesForWork: Bool = false) -> Aftermath? {
        let wakesPump = (machine.isFinished || wakesForWork) && pump != nil
        guard wakesPump || !machine.passedOver.isEmpty || !machine.interrupts.isEmpty || !watchers.isEmpty else {
            return nil
        }
        var aftermath = Aftermath()
        swap(&aftermath.passedOver, &machine.passedOver)
        swap(&aftermath.watchers, &watchers)
        if !machine.interrupts.isEmpty {
            aftermath.interrupted = carriers.interrupt(machine.interrupts)
            aftermath.leavers = queue.interrupt(machine.interrupts)
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
        let leavers = queue.interrupt(givenUp)
        for node in givenUp where machine.finish(node, .failure, isTolerated: program.tolerates(node)) {
            results[node] = .failure(error)
            times[node].ended = now
        }
        var aftermath = aftermath(wakesForWork: true) ?? Aftermath()
        aftermath.interrupted += interrupted
        aftermath.leavers += leavers
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
