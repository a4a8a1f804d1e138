// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Runs a program: begins each node the moment the last thing it waits for has ended.
///
/// The state machine decides under one lock; what it decides is done after unlocking. Nodes are begun by *drainers*, of
/// which there are as many as processors at most: the task that runs the program, helpers, and carriers that have just ended
/// a node. A drainer does work that never waits itself. Other work is done by a *carrier*, a task that begins on the
/// drainer's thread and stands in for it, node after node, until it waits for the first time; then the drainer goes on. So
/// chains cost no change of thread, wide graphs use every processor, and only nodes that wait cost a task and memory. Local
/// nodes for which no worker slot is free have no task while they wait for one: the carrier that gives its slot back goes on
/// with the node that is next.
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
    let core: ClientCore
    let id: GroupID
    let settings: Settings
    /// When the run was made, on the manager's clock.
    let start: Duration
    let startedAt: Date
    /// Whether the nodes' events have listeners.
    let announcesNodes: Bool
    /// Whether there is a report that says what the nodes' time went into.
    let isReported: Bool
    /// Whether the run is part of a token's refresh, for which whoever holds the slots may wait.
    let passesPool = TokenRefreshScope.isOpen
    let state: Mutex<GraphEngineState>

    /// As many as there are threads for tasks.
    static let drainerLimit = max(1, ProcessInfo.processInfo.activeProcessorCount)

    init(_ program: GraphProgram, manager: RestClientManager, settings: Settings = Settings()) {
        self.program = program
        self.manager = manager
        core = manager.core
        self.settings = settings
        id = .next()
        start = manager.core.clock.now()
        startedAt = manager.core.now()
        if case .graph = program.announcement {
            announcesNodes = manager.core.hub.isObserved
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

    /// How a node has ended; `notRun` before.
    func result(of node: Int) -> NodeResult {
        state.withLock { $0.results[node] }
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
        defer {
            timer?.cancel()
            let (lookout, usher) = state.withLock { ($0.lookoutTask, $0.dismissUsher()) }
            lookout?.cancel()
            usher?.wake()
        }
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
                state.pump = GraphEngineState.Pump(continuation)
                return nil
            }
            if let signal {
                continuation.resume(returning: signal)
            }
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
        leaveQueue(aftermath.leavers)
        if announcesNodes, !aftermath.passedOver.isEmpty {
            for node in aftermath.passedOver {
                announceEnd(of: node, result(of: node), nil)
            }
            perform(state.withLock { $0.lessToDo() })
        }
        for waiter in aftermath.watchers {
            waiter.resume()
        }
        if let (pump, signal) = aftermath.pump {
            pump.wake(for: signal)
        }
    }
}
