// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

extension GraphEngine: NamedRun {
    func cancel() {
        update { $0.cancel() }
    }

    func cancel(_ node: Int) {
        update { $0.machine.cancel(node) }
    }

    func cancelBranch(from node: Int) {
        update { $0.machine.cancelBranch(from: node) }
    }

    /// Ends the run at its time limit; running nodes count as failed even if their work ends later.
    func expire() {
        let error = JobGraphError(
            .timeout,
            "the run did not end within \(settings.deadline.map { "\($0 - start)" } ?? "its time"); allow more with "
                + ".timeout(_:) or see the run's report for the node that is slow"
        )
        let now = runtime.clock.now()
        update { $0.expire(error, at: now, program) }
    }

    func startTimer(of node: Int, limit: Duration) {
        let timer = Task { [runtime] in
            if (try? await runtime.clock.sleep(for: limit)) != nil {
                self.expire(node, after: limit)
            }
        }
        if !state.withLock({ $0.keepTimer(timer, of: node) }) {
            timer.cancel()
        }
    }

    private func expire(_ node: Int, after timeout: Duration) {
        var error = JobGraphError(
            .timeout,
            "the node '\(program.name(of: node))' did not end within \(timeout); allow more with .timeout(_:)"
        )
        error.node = program.name(of: node)
        let now = runtime.clock.now()
        update { [error] in $0.giveUp([node], error, at: now, program) }
    }

    /// Waits for a progress that counts other nodes or elements than the given one; `nil` when the task is cancelled.
    func progress(after seen: GraphProgress?) async -> GraphProgress? {
        let id = state.withLock { $0.watchers.enter() }
        let hasChanged = await Watchers<GraphProgress>.Parking
            .wait { continuation in
                state.withLock { state in
                    state.watchers.park(id, continuation, state.progress) { !$0.counts(like: seen) }
                }
            } onCancel: {
                state.withLock { $0.watchers.leave(id) }
            }
        return hasChanged && !Task.isCancelled ? state.withLock { $0.progress } : nil
    }

    /// Adds elements of a loop to the progress of the run, and of those around it.
    func count(_ elements: Int, of loop: Int, isLast: Bool) {
        update { state in
            // The node may have been abandoned.
            if state.machine.phases[loop] == .running {
                state.elements.add(elements, of: loop, isLast: isLast)
            } else {
                state.elements.add(elements)
            }
        }
        forEachOuter { $0.elements.add(elements) }
    }

    func countEnd(of loop: Int) {
        update { $0.elements.end(of: loop) }
        forEachOuter { $0.elements.end() }
    }

    private func forEachOuter(_ change: (inout GraphEngineState) -> Void) {
        var outer = settings.outer
        while let engine = outer {
            engine.update(change)
            outer = engine.settings.outer
        }
    }
}

// MARK: - From outside

extension GraphEngine {
    /// True if the run is being interrupted: then nothing of it begins, and nothing is compensated.
    var isHalted: Bool { settings.session?.ledger.halt.isHalted ?? false }

    /// The outcome of the run; one that was interrupted has none, unless it had done everything before.
    var outcome: RunReport.Outcome {
        let isHalted = isHalted
        return state.withLock { state in
            isHalted && !state.records.results.allSatisfy(\.isFinal) ? .cancelled : state.outcome
        }
    }

    func enter() {
        if settings.id != nil {
            runtime.namedRuns.enter(self)
        }
        settings.session?.ledger.halt.enter(id) { [weak self] in self?.update { $0.machine.stop() } }
    }

    func leave() {
        if settings.id != nil {
            runtime.namedRuns.leave(self)
        }
        settings.session?.ledger.halt.leave(id)
    }
}
