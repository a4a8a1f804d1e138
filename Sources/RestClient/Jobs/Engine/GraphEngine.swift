// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Runs a program: begins each node the moment the last thing it waits for has ended.
///
/// The state machine decides under one lock; what it decides is done after unlocking. Nodes are begun by *drainers*, of
/// which there are as many as processors at most: the task that runs the program, helpers, and tasks of nodes that have
/// just ended. A drainer runs work that never waits itself; other work is a task of its own, which begins on the drainer's
/// thread and leaves it when it waits for the first time. So chains cost no change of thread, wide graphs use every
/// processor, and only nodes that wait cost memory.
final class GraphEngine: Sendable {
    /// What is true of one run only.
    struct Settings: Sendable {
        var onFailure = FailureReaction.goOn
        /// When the run must have ended, on the manager's clock.
        var deadline: Duration?
        /// What the jitter of waits comes from.
        var seed = UInt64.random(in: .min ... .max)
        /// Where results are kept; `nil` for a run that is not to go on after a crash.
        var session: JournalSession?
    }

    let program: GraphProgram
    let manager: RestClientManager
    let id: GroupID
    let settings: Settings
    /// When the run was made, on the manager's clock.
    let start: Duration
    let startedAt: Date
    /// Whether the nodes' events have listeners.
    let announcesNodes: Bool
    let state: Mutex<GraphEngineState>

    /// As many as there are threads for tasks.
    private static let drainerLimit = max(1, ProcessInfo.processInfo.activeProcessorCount)

    var core: ClientCore { manager.core }

    init(_ program: GraphProgram, manager: RestClientManager, settings: Settings = Settings()) {
        self.program = program
        self.manager = manager
        self.settings = settings
        id = .next()
        start = manager.core.clock.now()
        startedAt = manager.core.now()
        if case .graph = program.announcement {
            announcesNodes = manager.core.hub.isObserved
        } else {
            announcesNodes = false
        }
        state = Mutex(
            GraphEngineState(
                machine: JobGraphStateMachine(program.topology, onFailure: settings.onFailure),
                announcesNodes: announcesNodes,
                seed: settings.seed
            )
        )
    }

    /// How a node has ended; `notRun` before.
    func outcome(of node: Int) -> JobOutcome<any Sendable> {
        state.withLock { $0.outcomes[node] }
    }

    // MARK: The run

    /// Runs everything; returns when every node has ended.
    ///
    /// When the task is cancelled, the run is: it returns when the jobs that run have ended.
    func run() async {
        let timer = settings.deadline.map { deadline in
            Task { [core] in
                if (try? await core.clock.sleep(for: max(.zero, deadline - core.clock.now()))) != nil {
                    self.expire()
                }
            }
        }
        defer { timer?.cancel() }
        // A job that keeps its thread must not keep a run from ending in time.
        let drainsItself = timer == nil && !program.hasTimeouts
        await withTaskCancellationHandler {
            repeat {
                if let drainer = state.withLock({ $0.addDrainer(limit: Self.drainerLimit) }) {
                    if drainsItself && !Task.isCancelled {
                        drain(as: drainer)
                    } else {
                        startHelper(as: drainer)
                    }
                }
            } while await pause() == .work
        } onCancel: {
            cancel()
        }
    }

    /// Waits until there is something to do for the task that runs the program.
    private func pause() async -> GraphEngineState.Signal {
        await withCheckedContinuation { continuation in
            let signal = state.withLock { state -> GraphEngineState.Signal? in
                if let signal = state.signal {
                    return signal
                }
                state.pump = continuation
                return nil
            }
            if let signal {
                continuation.resume(returning: signal)
            }
        }
    }

    // MARK: Drainers

    /// Begins nodes until none is ready.
    private func drain(as drainer: GraphEngineState.Drainer) {
        var last = GraphEngineState.Step.Last.nothing
        var now = core.clock.now()
        while true {
            let step = state.withLock { state in
                state.step(after: last, as: drainer, at: now, limit: Self.drainerLimit, program)
            }
            perform(step.aftermath)
            if let helper = step.helper {
                startHelper(as: helper)
            }
            guard let node = step.node else {
                return
            }
            if case .immediate(let body) = program.nodes[node].body, let outcome = runInline(node, body) {
                now = core.clock.now()
                last = .ended(node, outcome)
            } else {
                last = .launched(node, startTask(of: node))
                now = core.clock.now()
            }
        }
    }

    private func startHelper(as drainer: GraphEngineState.Drainer) {
        let task = Task { drain(as: drainer) }
        if state.withLock({ $0.keep(task, of: drainer) }) {
            task.cancel()
        }
    }

    private func startTask(of node: Int) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { await self.execute(node) }
        }
        return Task { await self.execute(node) }
    }

    /// Does work that never waits, if it needs nothing but a worker slot and one is free; else returns `nil`.
    private func runInline(
        _ node: Int,
        _ body: @Sendable (NodeContext) throws -> any Sendable
    ) -> JobOutcome<any Sendable>? {
        guard settings.session == nil, program.options.isEmpty || program.options[node]?.isPlain ?? true else {
            return nil
        }
        let context = NodeContext(engine: self, index: node, deadline: settings.deadline)
        if program.nodes[node].kind != .local {
            return announced(node) { Self.outcome { try body(context) } }
        }
        let holder = SlotHolder.job(LocalWork(name: program.nodes[node].name, groupID: id))
        let priority = program.options.isEmpty ? nil : program.options[node]?.priority
        return core.workers.runIfFree(for: holder, priority: priority ?? .normal) {
            announced(node) { announcedLocal(node) { Self.outcome { try body(context) } } }
        }
    }

    // MARK: Nodes

    /// Does the work of a node in the node's own task.
    private func execute(_ node: Int) async {
        let options = program.options.isEmpty ? nil : program.options[node]
        let note = JobNote()
        let limit = options?.timeout.map { core.clock.now() + $0 }
        let deadline = [limit, settings.deadline].compactMap(\.self).min()
        let context = NodeContext(engine: self, index: node, note: note, deadline: deadline)
        let timer = options?.timeout
            .map { timeout in
                Task { [core] in
                    if (try? await core.clock.sleep(for: timeout)) != nil {
                        self.expire(node, after: timeout)
                    }
                }
            }
        announceStart(of: node)
        let outcome: JobOutcome<any Sendable>
        do {
            outcome = .success(try await NodeExecution(context: context, options: options ?? JobOptions()).run())
        } catch {
            outcome = Self.outcome(of: error)
        }
        timer?.cancel()
        finish(node, outcome, note.isEmpty ? nil : note)
    }

    /// Notes how a node ended; begins what could begin now.
    private func finish(_ node: Int, _ outcome: JobOutcome<any Sendable>, _ note: JobNote?) {
        // Told before the nodes that wait for this one can begin, and only if nobody gave the node up meanwhile.
        if announcesNodes {
            guard state.withLock({ $0.claim(node) }) else {
                return
            }
            announceEnd(of: node, outcome, note)
        }
        let now = core.clock.now()
        let isCancelled = Task.isCancelled
        let (aftermath, drainer) = state.withLock { state in
            let aftermath = state.settle(node, outcome, note, at: now, program)
            let drainer = state.isLaunching[node] ? nil : state.addDrainer(limit: Self.drainerLimit)
            if let drainer, !isCancelled, let task = state.tasks[node] {
                _ = state.keep(task, of: drainer)
            }
            state.tasks[node] = nil
            return (aftermath, drainer)
        }
        perform(aftermath)
        guard let drainer else {
            return
        }
        // Other nodes' work must not find itself cancelled because this node was.
        if isCancelled {
            startHelper(as: drainer)
        } else {
            drain(as: drainer)
        }
    }

    static func outcome(_ work: () throws -> any Sendable) -> JobOutcome<any Sendable> {
        do {
            return .success(try work())
        } catch {
            return outcome(of: error)
        }
    }

    static func outcome(of error: any Error) -> JobOutcome<any Sendable> {
        switch error {
        case is CancellationError: .cancelled
        case is NothingToDo: .skipped
        default: .failure(error)
        }
    }

    // MARK: After unlocking

    /// Does what was decided under the lock.
    func perform(_ aftermath: GraphEngineState.Aftermath?) {
        guard let aftermath else {
            return
        }
        for task in aftermath.interrupted {
            task.cancel()
        }
        if announcesNodes, !aftermath.passedOver.isEmpty {
            for node in aftermath.passedOver {
                announceEnd(of: node, outcome(of: node), nil)
            }
            perform(state.withLock { $0.announced() })
        }
        for waiter in aftermath.watchers {
            waiter.resume()
        }
        if let (pump, signal) = aftermath.pump {
            pump.resume(returning: signal)
        }
    }
}
