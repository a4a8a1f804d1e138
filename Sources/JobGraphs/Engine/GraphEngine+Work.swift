// SPDX-License-Identifier: MIT

import Synchronization

extension GraphEngine {
    /// Starts a worker.
    ///
    /// - Parameters:
    ///   - worker: The worker, which the state knows already.
    ///   - isHere: True if it begins on this thread; it goes on elsewhere when it waits.
    func startWorker(_ worker: GraphEngineState.WorkerID, here isHere: Bool = false) {
        let task: Task<Void, Never>
        if isHere, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            task = Task.immediate { await self.work(as: worker) }
        } else {
            task = Task { await self.work(as: worker) }
        }
        if state.withLock({ $0.keep(task, of: worker) }) {
            task.cancel()
        }
    }

    /// Does the work of nodes, one after the other, until none can begin.
    private func work(as worker: GraphEngineState.WorkerID) async {
        let clock = runtime.clock
        let workers = runtime.workers
        // One for all nodes, of which it only tells which one it is.
        var context = NodeContext(engine: self, index: 0, deadline: settings.deadline)
        var now = clock.now()
        var turn = state.withLock { state in
            state.take(worker, at: now, self)
        }
        while true {
            perform(turn.aftermath)
            if let helper = turn.helper {
                startWorker(helper)
            }
            guard let step = turn.step else {
                return
            }
            if step.hasWaited, let slot = step.slot {
                workers.begin(slot, at: now)
            }
            let node = step.node
            context.index = node
            announceStart(of: node)
            let result: NodeResult
            var note: JobNote?
            if !step.mayWait {
                result = runInline(context)
            } else if let slot = step.slot {
                result = await runLocal(context, in: slot)
            } else {
                (result, note) = await run(node, at: now)
            }
            // Told before the nodes that wait for this one can begin, and only if nobody gave the node up meanwhile.
            if announcesNodes, state.withLock({ $0.claim(node) }) {
                announceEnd(of: node, result, note)
            }
            now = clock.now()
            let grants = step.slot.map { workers.release($0, by: self) } ?? []
            // Work may have cancelled its own task, which must not do the work of others then.
            let isCancelled = Task.isCancelled
            turn = state.withLock { state in
                state.finish(node, result, note, by: worker, isCancelled: isCancelled, grants, at: now, self)
            }
        }
    }

    // MARK: - One node

    /// Does work that never waits, in the slot that it has if it needs one.
    private func runInline(_ context: NodeContext) -> NodeResult {
        let node = program.nodes[context.index]
        guard case .immediate(let body) = node.body else {
            return .notRun
        }
        guard node.kind == .local, runtime.isObserved else {
            return named(NodeResult { try body(context) }, at: context.index)
        }
        emit(.localJobStarted(name: node.name))
        let result = named(NodeResult { try body(context) }, at: context.index)
        emit(.localJobEnded(node.name, result.outcome))
        return result
    }

    /// Does the work of a local node that may wait, in its slot.
    private func runLocal(_ context: NodeContext, in slot: WorkerPool.Slot) async -> NodeResult {
        // A node that is cancelled before it begins emits no start event.
        guard !Task.isCancelled else {
            return .cancelled
        }
        let node = program.nodes[context.index]
        emit(.localJobStarted(name: node.name))
        let result: NodeResult
        do {
            let value = try await runtime.workers.lending(slot, of: self) {
                switch node.body {
                case .immediate(let work): try work(context)
                case .suspending(let work): try await work(context)
                }
            }
            result = .success(value)
        } catch {
            result = named(NodeResult(of: error), at: context.index)
        }
        emit(.localJobEnded(node.name, result.outcome))
        return result
    }

    /// Does the work of a node that asks for its slots itself.
    ///
    /// - Parameters:
    ///   - node: The node.
    ///   - now: The time, on the runtime's clock.
    /// - Returns: How it ended, and what it left for the report.
    private func run(_ node: Int, at now: Duration) async -> (NodeResult, JobNote?) {
        let options = program.options.isEmpty ? nil : program.options[node]
        var context = NodeContext(engine: self, index: node, deadline: settings.deadline)
        do {
            if isPlain(node) {
                context.note = program.leavesNote(node) ? JobNote() : nil
                return (.success(try await context.work(since: now)), context.finalNote)
            }
            let note = JobNote()
            context.note = note
            return (.success(try await run(context, options ?? JobOptions(), at: now)), context.finalNote)
        } catch {
            return (named(NodeResult(of: error), at: node), context.finalNote)
        }
    }

    /// Does the work of a node with a time limit, attempts or mutex keys, or of a run with a journal.
    private func run(_ context: NodeContext, _ options: JobOptions, at now: Duration) async throws -> any Sendable {
        guard let timeout = options.timeout else {
            return try await NodeExecution(context: context, options: options).run()
        }
        var context = context
        context.deadline = min(now + timeout, context.deadline ?? now + timeout)
        let timer = Task { [runtime, node = context.index] in
            if (try? await runtime.clock.sleep(for: timeout)) != nil {
                self.expire(node, after: timeout)
            }
        }
        defer { timer.cancel() }
        return try await NodeExecution(context: context, options: options).run()
    }

    /// Returns the same result; an error of the library's says in which node it happened.
    private func named(_ result: NodeResult, at node: Int) -> NodeResult {
        guard case .failure(let failure) = result, var error = failure as? any WorkError,
            case .graph = program.announcement
        else {
            return result
        }
        let name = program.nodes[node].name
        if let inner = error.node {
            // One that is passed on happened where it says; one from a graph inside is told from out here.
            error.node = program.nodes[node].kind == .graph ? "\(name)/\(inner)" : inner
        } else {
            error.node = name
        }
        return .failure(error)
    }
}
