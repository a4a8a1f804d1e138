// SPDX-License-Identifier: MIT

// Which worker begins which node, and when.

extension GraphEngineState {
    struct Step {
        let node: Int
        var slot: WorkerPool.Slot?
        var hasWaited = false
        let mayWait: Bool
    }

    struct Turn {
        /// The node to begin; `nil` for a worker that is done.
        var step: Step?
        var helper: GraphWorkers.ID?
    }

    mutating func addWorker() -> GraphWorkers.ID? {
        workers.add(for: readyCount)
    }

    mutating func begin(_ worker: GraphWorkers.ID, at now: Duration, _ engine: GraphEngine) -> Turn {
        workers.arrive()
        return turn(of: worker, givingBack: nil, at: now, engine)
    }

    mutating func finish(
        _ step: Step,
        _ result: NodeResult,
        _ note: JobNote?,
        givingBack slot: WorkerPool.Slot?,
        by worker: GraphWorkers.ID,
        isCancelled: Bool,
        at now: Duration,
        _ engine: GraphEngine
    ) -> Turn {
        workers.end(by: worker, isCancelled: isCancelled)
        settle(step.node, result, note, at: now, engine.program)
        return turn(of: worker, givingBack: slot, at: now, engine)
    }

    private mutating func turn(
        of worker: GraphWorkers.ID,
        givingBack slot: WorkerPool.Slot?,
        at now: Duration,
        _ engine: GraphEngine
    ) -> Turn {
        var (turn, slot) = (Turn(), slot)
        // The cancellation of one node must not cancel the work of others.
        if !workers.isInterrupted(worker) {
            turn.step = nextStep(givingBack: &slot, at: now, engine)
        }
        giveBack(&slot, engine)
        if let step = turn.step {
            workers.begin(step.node, by: worker, mayWait: step.mayWait)
        } else {
            workers.remove(worker)
        }
        turn.helper = addWorker()
        return turn
    }

    // MARK: - Slots

    /// Removes the next node to begin; nodes that need a slot when none is free are queued in the pool.
    private mutating func nextStep(
        givingBack slot: inout WorkerPool.Slot?,
        at now: Duration,
        _ engine: GraphEngine
    ) -> Step? {
        while true {
            if let grant = queue.next() {
                giveBack(&slot, engine)
                noteWait(of: grant.node, until: now, engine)
                return Step(node: grant.node, slot: grant.slot, hasWaited: true, mayWait: engine.mayWait(grant.node))
            }
            guard let node = machine.next() else {
                guard slot != nil else {
                    return nil
                }
                // The slot may go to a node that waits for one.
                giveBack(&slot, engine)
                continue
            }
            records.begin(node, at: now)
            if let limit = engine.options(of: node)?.timeout {
                actions.append(.limit(node, limit))
            }
            let request = engine.requestKeys(for: node, at: now)
            if let request {
                keys[node] = request
            }
            guard request?.isGranted ?? true, engine.needsSlot(node) else {
                giveBack(&slot, engine)
                return Step(node: node, mayWait: engine.mayWait(node))
            }
            var winners: [WorkerPool.Winner] = []
            switch engine.ask(for: node, givingBack: slot.take(), at: now, &winners) {
            case .granted(let slot):
                grant(winners, engine)
                return Step(node: node, slot: slot, mayWait: engine.mayWait(node))
            case .wait(let waiter):
                queue.wait(node, as: waiter)
                grant(winners, engine)
            }
        }
    }

    mutating func takeKeys(of node: Int) -> MutexKeys.Request? {
        keys.isEmpty ? nil : keys.removeValue(forKey: node)
    }

    private mutating func giveBack(_ slot: inout WorkerPool.Slot?, _ engine: GraphEngine) {
        if let slot = slot.take() {
            grant(engine.runtime.workers.released(slot), engine)
        }
    }

    private mutating func grant(_ winners: [WorkerPool.Winner], _ engine: GraphEngine) {
        for winner in winners {
            guard case .taker(let taker, let node, let slot) = winner, taker === engine else {
                actions.append(.tell(winner))
                continue
            }
            grant(slot, to: node)
        }
    }

    mutating func grant(_ slot: WorkerPool.Slot, to node: Int) {
        if !queue.grant(slot, to: node) {
            actions.append(.giveBack(slot, of: node))
        }
    }

    /// Records for the report how long a node waited for its slot; a member of a group begins after its wait.
    private mutating func noteWait(of node: Int, until now: Duration, _ engine: GraphEngine) {
        guard engine.isReported else {
            records.begin(node, at: now)
            return
        }
        if let asked = records.times[node].started, asked < now {
            records.noteWait(of: node, from: asked, to: now, since: engine.start)
        }
    }
}
