// SPDX-License-Identifier: MIT

// Nodes that wait for a worker slot without a task.

extension GraphEngineState {
    /// The task that begins nodes which were given a slot, while it waits for the next one.
    final class Usher: Sendable {
        private let continuation: CheckedContinuation<Void, Never>

        init(_ continuation: CheckedContinuation<Void, Never>) {
            self.continuation = continuation
        }

        func wake() {
            continuation.resume()
        }
    }

    /// Notes that a node is going to wait for a slot; returns whether an usher is to be started.
    mutating func enqueue(_ node: Int) -> Bool {
        queue.ask(for: node)
        defer { hasUsher = true }
        return !hasUsher
    }

    /// Adds a carrier for a node that was given a slot when the pool was asked again.
    mutating func addCarrier(forQueued node: Int) -> Carriers.Place {
        let isInterrupted = !queue.begin(node)
        queue.remove(node)
        return carriers.add(for: node, isInterrupted: isInterrupted)
    }

    /// Keeps a slot for the usher.
    ///
    /// - Returns: Whether its node may begin, and the usher to wake.
    mutating func keep(_ grant: QueuedNodes.Grant) -> (isWanted: Bool, usher: Usher?) {
        guard queue.keep(grant) else {
            return (false, nil)
        }
        defer { usher = nil }
        return (true, usher)
    }

    /// What the usher does next.
    enum Ushering {
        case begin(QueuedNodes.Grant, Carriers.Place)
        /// The node was given up after it was given its slot.
        case giveUp(QueuedNodes.Grant)
        case wait
        case end
    }

    /// Tells the usher what to do next.
    mutating func usherOn() -> Ushering {
        guard let grant = queue.nextGrant() else {
            return machine.isFinished ? .end : .wait
        }
        guard queue.begin(grant.node) else {
            return .giveUp(grant)
        }
        return .begin(grant, carriers.add(for: grant.node))
    }

    /// Lets the usher wait; `false` when there is something to do.
    mutating func rest(_ usher: Usher) -> Bool {
        guard queue.isWithoutGrants, !machine.isFinished else {
            return false
        }
        self.usher = usher
        return true
    }

    /// Lets the usher go, because the run has ended.
    mutating func dismissUsher() -> Usher? {
        defer { usher = nil }
        return usher
    }

    /// Notes that the usher has begun a carrier, whose task this is.
    ///
    /// - Returns: Whether the task is to be cancelled, and what is to be done about the nodes that are ready.
    mutating func leave(_ carrier: Carriers.Place, _ task: Task<Void, Never>) -> (isToBeCancelled: Bool, help: Help?) {
        // While it was attended, the carrier left what is ready to whoever began it.
        let hasEnded = carriers.hasEnded(carrier)
        let isToBeCancelled = carriers.leave(carrier, task)
        return (isToBeCancelled, hasEnded ? addDrainer(limit: GraphEngine.drainerLimit).map(Help.helper) : nil)
    }

    /// Ends a node that was cancelled while it waited.
    mutating func endQueued(_ node: Int, at now: Duration, _ program: GraphProgram) -> Aftermath? {
        queue.remove(node)
        return settle(node, .cancelled, nil, at: now, program, wakesForWork: true)
    }
}
