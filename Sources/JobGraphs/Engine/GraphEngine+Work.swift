// SPDX-License-Identifier: MIT

import Synchronization

extension GraphEngine {
    /// Starts a worker that is already registered in the state, as a plain task: 'Task.immediate' would lock a record
    /// of its preferred executor at each change of executor.
    func startWorker(_ worker: GraphWorkers.ID) {
        // Made under the lock, for which the worker asks first: it does no work before it can be cancelled.
        state.withLock { state in state.workers.keep(Task { await self.work(as: worker) }, of: worker) }
    }

    @concurrent
    private func work(as worker: GraphWorkers.ID) async {
        let clock = runtime.clock
        var now = clock.now()
        var turn = update { $0.begin(worker, at: now, self) }
        while true {
            if let helper = turn.helper {
                startWorker(helper)
            }
            guard let step = turn.step else {
                return
            }
            if step.hasWaited, let slot = step.slot {
                runtime.workers.begin(slot, at: now)
            }
            let node = step.node
            announceStart(of: node)
            // Work that needs only a slot leaves it to the next node.
            var slot = step.slot
            var result: NodeResult
            var note: JobNote?
            if let spans {
                (result, note) = await runTraced(step, spans, at: now)
                slot = step.mayWait && !isPlain(node) ? nil : slot
            } else if !step.mayWait {
                result = runInline(NodeContext(engine: self, index: node))
            } else if let slot, isPlain(node) {
                result = await runLocal(NodeContext(engine: self, index: node), in: slot)
            } else {
                slot = nil
                (result, note) = await run(step, at: now)
            }
            if case .failure = result, state.withLock({ $0.machine.isInterrupted(node) }) {
                // Whatever it threw, its cancellation is the cause.
                result = .cancelled
            }
            // Announced before dependent nodes can begin, and only if the node was not abandoned.
            if announcesNodes {
                if state.withLock({ $0.claim(node) }) {
                    announceEnd(of: node, result, note)
                } else {
                    // It may have been abandoned before its span began.
                    spans?.end(node, TracedWork.End(result.outcome, note?.all))
                }
            }
            now = clock.now()
            // The work may have cancelled its own task, which must then not run other nodes.
            let isCancelled = Task.isCancelled
            turn = update { state in
                state.finish(
                    step,
                    result,
                    note,
                    givingBack: slot,
                    by: worker,
                    isCancelled: isCancelled,
                    at: now,
                    self
                )
            }
        }
    }

    // MARK: - One node

    private func runTraced(
        _ step: GraphEngineState.Step,
        _ spans: RunSpans,
        at now: Duration
    ) async -> (NodeResult, JobNote?) {
        await spans.begin(step.node, of: program)
            .surround {
                let context = NodeContext(engine: self, index: step.node)
                if !step.mayWait {
                    return (runInline(context), nil)
                }
                if let slot = step.slot, isPlain(step.node) {
                    return (await runLocal(context, in: slot), nil)
                }
                return await run(step, at: now)
            }
    }

    /// Does work that never suspends, in the worker's slot if it needs one.
    private func runInline(_ context: NodeContext) -> NodeResult {
        let node = context.index
        guard case .immediate(let body) = program.body(of: node) else {
            return .notRun
        }
        guard runtime.isObserved, program.kind(of: node) == .local else {
            return named(NodeResult { try body(context) }, at: node)
        }
        emit(.localJobStarted(name: program.name(of: node)))
        let result = named(NodeResult { try body(context) }, at: node)
        emit(.localJobEnded(program.name(of: node), result.outcome), value: result.outcome.value)
        return result
    }

    @inline(__always)
    private func runLocal(_ context: NodeContext, in slot: WorkerPool.Slot) async -> NodeResult {
        // An observer may cancel the node when it learns that the node begins; nothing else can intervene.
        guard !announcesNodes || !Task.isCancelled else {
            return .cancelled
        }
        emit(.localJobStarted(name: program.name(of: context.index)))
        let body = program.body(of: context.index)
        let result: NodeResult
        do {
            let value = try await runtime.workers.lending(slot, of: self) {
                switch body {
                case .immediate(let work): try work(context)
                case .suspending(let work): try await work(context)
                }
            }
            result = .success(value)
        } catch {
            result = named(NodeResult(of: error), at: context.index)
        }
        emit(.localJobEnded(program.name(of: context.index), result.outcome), value: result.outcome.value)
        return result
    }

    /// Does the work of a node that needs more than a slot, or no slot at all.
    private func run(_ step: GraphEngineState.Step, at now: Duration) async -> (NodeResult, JobNote?) {
        let node = step.node
        var context = NodeContext(engine: self, index: node)
        context.keys = state.withLock { $0.takeKeys(of: node) }
        context.reservation = step.slot.map { SlotReservation(.granted($0), of: runtime.workers, since: now) }
        defer {
            // The work may have ended before it used its slot.
            context.reservation?.giveUp()
            context.keys?.release()
        }
        do {
            if isPlain(node) {
                context.note = program.leavesNote(node) ? JobNote() : nil
                return (.success(try await context.work(since: now)), context.finalNote)
            }
            let (note, started) = state.withLock { state in
                (state.records.note(of: node), state.records.times[node].started)
            }
            context.note = note ?? JobNote()
            let options = options(of: node) ?? JobOptions()
            if let timeout = options.timeout {
                let end = (started ?? now) + timeout
                context.deadline = min(end, context.deadline ?? end)
            }
            return (.success(try await context.perform(retry: options.retry)), context.finalNote)
        } catch {
            return (named(NodeResult(of: error), at: node), context.finalNote)
        }
    }

    /// Returns the same result; an error of this library then names the node in which it happened.
    private func named(_ result: NodeResult, at node: Int) -> NodeResult {
        guard case .failure(let failure) = result, var error = failure as? any WorkError,
            case .graph = program.announcement
        else {
            return result
        }
        let name = program.name(of: node)
        if let inner = error.node {
            // An error that is passed on keeps its node; for one from a sub-graph, the name of that node is prepended.
            error.setNode(program.kind(of: node) == .graph ? "\(name)/\(inner)" : inner)
        } else {
            error.setNode(name)
        }
        return .failure(error)
    }
}
