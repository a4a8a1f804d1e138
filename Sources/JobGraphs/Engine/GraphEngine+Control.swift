// SPDX-License-Identifier: MIT

import Synchronization

extension GraphEngine {
    /// Cancels the run.
    func cancel() {
        perform(state.withLock { $0.cancel() })
    }

    /// Cancels one node.
    func cancel(_ node: Int) {
        perform(
            state.withLock { state in
                state.machine.cancel(node)
                return state.aftermath()
            }
        )
    }

    /// Cancels a node and everything that waits for it.
    func cancelBranch(from node: Int) {
        perform(
            state.withLock { state in
                state.machine.cancelBranch(from: node)
                return state.aftermath()
            }
        )
    }

    /// Ends the run because its time is over; what runs has failed, whatever becomes of it.
    func expire() {
        let error = JobGraphError(
            .timeout,
            "the run did not end within \(settings.deadline.map { "\($0 - start)" } ?? "its time"); allow more with "
                + ".timeout(_:) or see the run's report for the node that is slow"
        )
        let now = runtime.clock.now()
        finishGivingUp(state.withLock { $0.expire(error, at: now, program) }, error)
    }

    /// Ends a node because its time is over; it has failed, whatever becomes of its work.
    func expire(_ node: Int, after timeout: Duration) {
        var error = JobGraphError(
            .timeout,
            "the node '\(program.nodes[node].name)' did not end within \(timeout); allow more with .timeout(_:)"
        )
        error.node = program.nodes[node].name
        let now = runtime.clock.now()
        finishGivingUp(state.withLock { $0.giveUp([node], error, at: now, program) }, error)
    }

    private func finishGivingUp(_ result: (aftermath: GraphEngineState.Aftermath?, nodes: [Int]), _ error: any Error) {
        if announcesNodes {
            for node in result.nodes {
                announceEnd(of: node, .failure(error), nil)
            }
        }
        perform(result.aftermath)
    }

    /// Waits until so many nodes have ended that the number is another one; `nil` when the task is cancelled.
    func progress(after seen: Int?) async -> GraphProgress? {
        while !Task.isCancelled {
            let current = state.withLock { GraphProgress($0.machine) }
            if current.finished != seen {
                return current
            }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let isLate = state.withLock { state in
                        if Task.isCancelled || GraphProgress(state.machine).finished != seen {
                            return true
                        }
                        state.watchers.append(continuation)
                        return false
                    }
                    if isLate {
                        continuation.resume()
                    }
                }
            } onCancel: {
                // Waking all is simpler than finding one; the others look and wait again.
                let watchers = state.withLock { state in
                    defer { state.watchers = [] }
                    return state.watchers
                }
                for watcher in watchers {
                    watcher.resume()
                }
            }
        }
        return nil
    }
}
