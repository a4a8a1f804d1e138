// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Runs a program: begins each node the moment the last thing it waits for has ended.
///
/// The state machine decides under one lock; what it decides is done after unlocking. A run is drained by *workers*:
/// tasks that take the next ready node, one after the other. Another worker is started when there is more to begin than
/// there are workers which do not wait, up to the number of processors. So chains cost no change of thread, wide graphs
/// use every processor, and only nodes that run cost a task.
///
/// A local node needs a slot of the worker pool. The one that takes the node asks for it under the run's lock, so that
/// nodes wait in the pool's queue in their order, without a task; a node that was given its slot is ready again.
final class GraphEngine: Sendable {
    /// The settings of one run.
    struct Settings: Sendable {
        var onFailure = FailureReaction.goOn
        /// The time, on the runtime's clock, at which the run must have ended.
        var deadline: Duration?
        /// The source of the jitter of waits.
        var seed = UInt64.random(in: .min ... .max)
        /// The journal of a run that can be resumed after a crash; `nil` for every other run.
        var session: JournalSession?
    }

    let program: GraphProgram
    let host: JobHost
    let runtime: JobRuntime
    let id: GroupID
    let settings: Settings
    /// The time at which the run was made, on the runtime's clock.
    let start: Duration
    let startedAt: Date
    /// A Boolean value that is true if the nodes' events have listeners.
    let announcesNodes: Bool
    /// A Boolean value that is true if there is a report of how the nodes' time was spent.
    let isReported: Bool
    /// A Boolean value that is true if those that hold the slots may wait for the run, so that it needs none.
    let passesPool: Bool
    let state: Mutex<GraphEngineState>

    init(_ program: GraphProgram, host: JobHost, settings: Settings = Settings()) {
        self.program = program
        self.host = host
        runtime = host.runtime
        passesPool = host.runtime.passesPool()
        self.settings = settings
        id = .next()
        start = host.runtime.clock.now()
        startedAt = host.runtime.now()
        if case .graph = program.announcement {
            announcesNodes = host.runtime.isObserved
            isReported = true
        } else {
            announcesNodes = false
            isReported = false
        }
        state = Mutex(
            GraphEngineState(
                machine: JobGraphStateMachine(program.topology, onFailure: settings.onFailure),
                announcesNodes: announcesNodes,
                seed: settings.seed
            )
        )
    }

    /// Returns how a node has ended; `notRun` before.
    func result(of node: Int) -> NodeResult {
        state.withLock { $0.records.results[node] }
    }

    /// Returns the options of a node; `nil` if it has none.
    func options(of node: Int) -> JobOptions? {
        program.options.isEmpty ? nil : program.options[node]
    }

    // MARK: - The run

    /// Runs everything; returns when every node has ended.
    ///
    /// When the task is cancelled, the run is: it returns when the jobs that run have ended.
    func run() async {
        let timer = settings.deadline.map { deadline in
            Task { [runtime] in
                if (try? await runtime.clock.sleep(for: max(.zero, deadline - runtime.clock.now()))) != nil {
                    self.expire()
                }
            }
        }
        defer { timer?.cancel() }
        await withTaskCancellationHandler {
            repeat {
                if let worker = update({ $0.addWorker() }) {
                    startWorker(worker)
                }
            } while await pause() == .work
        } onCancel: {
            cancel()
        }
    }

    /// Waits until there is something to do for the task that runs the program.
    private func pause() async -> GraphEngineState.Signal {
        await withCheckedContinuation { continuation in
            let signal = state.withLock { state in state.signal ?? state.pump.park(0, continuation) }
            if let signal {
                continuation.resume(returning: signal)
            }
        }
    }

    // MARK: - The lock

    /// Changes the state, and does what follows from that once the lock is released.
    func update<Result: Sendable>(_ change: (inout GraphEngineState) -> Result) -> Result {
        let (result, actions) = state.withLock { state in
            let result = change(&state)
            return (result, state.takeActions())
        }
        if !actions.isEmpty {
            perform(actions)
        }
        return result
    }

    private func perform(_ actions: [GraphEngineState.Action]) {
        var hasAnnounced = false
        for case .announce(let node, let result) in actions {
            announceEnd(of: node, result, nil)
            hasAnnounced = true
        }
        if hasAnnounced {
            update { $0.announced() }
        }
        for action in actions {
            switch action {
            case .announce: break
            case .limit(let node, let limit): startTimer(of: node, limit: limit)
            case .cancel(let task): task.cancel()
            case .leave(let waiter):
                if runtime.workers.leave(waiter.id) {
                    endWithoutSlot(waiter.node)
                }
            case .giveBack(let slot, let node):
                runtime.workers.release(slot)
                endWithoutSlot(node)
            case .tell(let winner): runtime.workers.tell([winner])
            case .wake(let watcher): watcher.resume()
            case .signal(let pump): pump.resume()
            }
        }
    }
}
