// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Runs a program: begins each node as soon as everything it waits for has ended.
///
/// The state machine decides under one lock; its decisions are carried out after unlocking. *Workers*, at most as many
/// tasks as there are processors, take one ready node after the other. The worker that takes a local node requests its
/// slot under the run's lock, so that nodes wait in the pool's queue in their order, without a task.
final class GraphEngine: Sendable {
    struct Settings: Sendable {
        var onFailure = FailureReaction.continue
        var width = Int.max
        /// The time, on the runtime's clock, at which the run must have ended.
        var deadline: Duration?
        var seed = UInt64.random(in: .min ... .max)
        var session: JournalSession?
        /// The run of the graph around this one; `nil` for the outermost one.
        var outer: GraphEngine?
        var id: GroupID?
    }

    let program: GraphProgram
    let host: JobHost
    let runtime: JobRuntime
    let id: GroupID
    let settings: Settings
    let start: Duration
    let startedAt: Date
    let spans: RunSpans?
    let announcesNodes: Bool
    let isReported: Bool
    /// A Boolean value that is true if slot holders may wait for the run, so that it must not wait for slots.
    let passesPool: Bool
    let state: Mutex<GraphEngineState>

    init(_ program: GraphProgram, host: JobHost, settings: Settings = Settings()) {
        self.program = program
        self.host = host
        runtime = host.runtime
        passesPool = host.runtime.passesPool()
        self.settings = settings
        let id = settings.id ?? GroupID()
        self.id = id
        start = host.runtime.clock.now()
        startedAt = host.runtime.now()
        spans = host.runtime.tracing.current.map { RunSpans($0, of: id) }
        if case .graph = program.announcement {
            announcesNodes = host.runtime.isObserved || spans != nil
            isReported = true
        } else {
            announcesNodes = spans != nil
            isReported = false
        }
        state = Mutex(
            GraphEngineState(
                machine: JobGraphStateMachine(program.topology, onFailure: settings.onFailure, width: settings.width),
                announcesNodes: announcesNodes,
                seed: settings.seed
            )
        )
    }

    func result(of node: Int) -> NodeResult {
        state.withLock { $0.records.results[node] }
    }

    func options(of node: Int) -> JobOptions? {
        program.options.isEmpty ? nil : program.options[node]
    }

    // MARK: - The run

    /// Runs everything; when its task is cancelled, it returns once the running jobs have ended.
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

    private func pause() async -> GraphEngineState.Signal {
        await withCheckedContinuation { continuation in
            let signal = state.withLock { state in state.signal ?? state.pump.park(0, continuation) }
            if let signal {
                continuation.resume(returning: signal)
            }
        }
    }

    // MARK: - The lock

    /// Changes the state, and performs the resulting actions once the lock is released.
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
            update { $0.pendingAnnouncements -= 1 }
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

// Without a listener no event is created.

extension GraphEngine {
    func announceStart() {
        switch program.announcement {
        case .group: emit(.groupStarted(count: program.count))
        case .graph(let name): emit(.graphStarted(name: name, count: program.count))
        }
    }

    func announceEnd(_ run: GraphRun) {
        if case .graph = program.announcement {
            emit(.graphFinished(run))
        }
    }

    func announceStart(of node: Int) {
        if announcesNodes, isReported {
            emit(.nodeStarted(name: program.name(of: node)))
        }
    }

    func announceEnd(of node: Int, _ result: NodeResult, _ note: JobNote?) {
        spans?.end(node, TracedWork.End(result.outcome, note?.all))
        if isReported {
            emit(.nodeFinished(name: program.name(of: node), status: RunReport.Status(result.outcome, note?.all)))
        }
    }

    func emit(_ kind: @autoclosure () -> JobEvent.Kind, value: @autoclosure () -> (any Sendable)? = nil) {
        runtime.emit(kind(), in: id, value: value())
    }
}
