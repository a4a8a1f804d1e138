// SPDX-License-Identifier: MIT

import Synchronization

// A local node for which no slot is free waits in the pool's queue without a task. A carrier of the same run that gives its
// slot back goes on with the node that the slot falls to. If the slot was somebody else's, the usher begins the node: what
// runs there must not be the run's, and a task begun there would inherit somebody else's task-local values.

extension GraphEngine {
    /// Whether a node needs nothing but a worker slot to do its work.
    func isPlainLocal(_ node: Int) -> Bool {
        program.nodes[node].kind == .local && isPlain(node) && !passesPool
    }

    /// Whether nothing is asked of the engine around the work of a node.
    func isPlain(_ node: Int) -> Bool {
        guard settings.session == nil else {
            return false
        }
        return program.options.isEmpty || program.options[node]?.isPlain ?? true
    }

    /// How early a node is served.
    func priority(of node: Int) -> JobPriority {
        (program.options.isEmpty ? nil : program.options[node]?.priority) ?? .normal
    }

    /// Begins a local node, or lets it wait for a slot.
    ///
    /// - Returns: Its carrier with its task; `nil` when it waits.
    func beginOrQueue(_ node: Int, at now: Duration) -> (Carriers.Place, Task<Void, Never>)? {
        var slot = NodeSlot(engine: self)
        if slot.serve(node, priority: priority(of: node), at: now) {
            let carrier = state.withLock { $0.addCarrier(for: node) }
            return (carrier, startCarrier(carrier, for: node, in: slot, at: now))
        }
        if state.withLock({ $0.enqueue(node) }) {
            Task { await usher() }
        }
        let nodes = DrainedNodes(self, from: node)
        switch core.workers.keep(for: nodes, priority: priority(of: node), at: now) {
        case .granted(let kept):
            let carrier = state.withLock { $0.addCarrier(forQueued: node) }
            let slot = NodeSlot(engine: self, held: NodeSlot.Held(kept: kept, nodes: nodes))
            return (carrier, startCarrier(carrier, for: node, in: slot, at: now))
        case .waits(let waiter):
            if state.withLock({ $0.queue.wait(node, as: waiter) }) {
                leaveQueue([QueuedNodes.Leaver(node: node, waiter: waiter)])
            }
            return nil
        }
    }

    /// Has a node begun that waited for its slot; `false` when it must not begin.
    func begin(_ grant: QueuedNodes.Grant) -> Bool {
        let (isWanted, usher) = state.withLock { $0.keep(grant) }
        guard isWanted else {
            endQueued(grant.node)
            return false
        }
        usher?.wake()
        return true
    }

    /// Takes nodes out of the pool's queue that were cancelled.
    func leaveQueue(_ leavers: [QueuedNodes.Leaver]) {
        for leaver in leavers where core.workers.leave(leaver.waiter) {
            endQueued(leaver.node)
        }
    }

    /// Notes for the report how long a node waited for the slot that it has now.
    func noteWait(of node: Int, until now: Duration) {
        guard isReported else {
            return
        }
        state.withLock { state in
            guard let asked = state.times[node].started, asked < now else {
                return
            }
            let span = RunReport.Span(.queued, attempt: 1, start: asked - start, end: now - start)
            state.note(node) { $0.spans.append(span) }
        }
    }

    private func endQueued(_ node: Int) {
        if announcesNodes, state.withLock({ $0.claim(node) }) {
            announceEnd(of: node, .cancelled, nil)
        }
        let now = core.clock.now()
        perform(state.withLock { $0.endQueued(node, at: now, program) })
    }

    // MARK: The usher

    /// Begins nodes that get a slot when no carrier of the run is there to go on with them.
    private func usher() async {
        while true {
            switch state.withLock({ $0.usherOn() }) {
            case .begin(let grant, let carrier):
                begin(grant, carrier)
            case .giveUp(let grant):
                core.workers.giveBack(grant.slot.kept)
                endQueued(grant.node)
            case .wait:
                await withCheckedContinuation { continuation in
                    let usher = GraphEngineState.Usher(continuation)
                    if !state.withLock({ $0.rest(usher) }) {
                        usher.wake()
                    }
                }
            case .end:
                return
            }
        }
    }

    private func begin(_ grant: QueuedNodes.Grant, _ carrier: Carriers.Place) {
        let now = core.clock.now()
        core.workers.begin(grant.slot.kept, at: now)
        noteWait(of: grant.node, until: now)
        let slot = NodeSlot(engine: self, held: grant.slot)
        // Not on this thread: what has its slot must not wait for another node's work.
        let task = Task { await carry(grant.node, as: carrier, in: slot, at: now) }
        let (isToBeCancelled, help) = state.withLock { $0.leave(carrier, task) }
        if isToBeCancelled {
            task.cancel()
        }
        send(help, at: now)
    }
}
