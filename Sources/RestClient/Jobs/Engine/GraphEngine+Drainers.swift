// SPDX-License-Identifier: MIT

import Synchronization

extension GraphEngine {
    /// Begins nodes until none is ready.
    func drain(as drainer: GraphEngineState.Drainer) {
        var slot = NodeSlot(engine: self)
        // One for all nodes, of which it only tells which one it is.
        var context = NodeContext(engine: self, index: 0, deadline: settings.deadline)
        let clock = core.clock
        var now = clock.now()
        var step = state.withLock { $0.step(as: drainer, holdsSlot: false, at: now) }
        while let node = step.node {
            perform(step.aftermath)
            let begun = send(step.help, at: now)
            context.index = node
            if case .immediate(let body) = program.nodes[node].body,
                let result = runInline(context, body, &slot, at: now)
            {
                now = clock.now()
                step = state.withLock { state in
                    state.step(
                        after: node,
                        result,
                        as: drainer,
                        holdsSlot: slot.isTaken,
                        begun: begun,
                        at: now,
                        program
                    )
                }
            } else {
                slot.giveBack()
                let carried = begin(node, at: now)
                now = clock.now()
                step = state.withLock { state in
                    guard let (carrier, task) = carried else {
                        return state.step(as: drainer, holdsSlot: false, at: now)
                    }
                    return state.step(leaving: carrier, task, as: drainer, at: now)
                }
            }
        }
        leave(&slot)
        perform(step.aftermath)
    }

    // MARK: Help

    func startHelper(as drainer: GraphEngineState.Drainer) {
        let task = Task { drain(as: drainer) }
        if state.withLock({ $0.keep(task, of: drainer) }) {
            task.cancel()
        }
    }

    /// Does what is to be done about nodes that nobody has begun; returns the time after that.
    @discardableResult
    func send(_ help: GraphEngineState.Help?, at now: Duration) -> Duration {
        switch help {
        case .none: return now
        case .helper(let drainer): startHelper(as: drainer)
        case .lookout: startLookout()
        }
        return core.clock.now()
    }

    private func startLookout() {
        let task = Task { await lookOut() }
        if state.withLock({ $0.keepLookout(task) }) {
            task.cancel()
        }
    }

    /// Looks from time to time whether nodes wait although a processor is idle.
    private func lookOut() async {
        while (try? await Task.sleep(for: Lookout.interval)) != nil {
            let (again, helper) = state.withLock { $0.lookAround() }
            if let helper {
                startHelper(as: helper)
            }
            guard again else {
                return
            }
        }
    }

    // MARK: Carriers

    /// Begins a node whose work may wait; `nil` when it waits for a slot without a task.
    private func begin(_ node: Int, at now: Duration) -> (Carriers.Place, Task<Void, Never>)? {
        announceStart(of: node)
        if isPlainLocal(node) {
            return beginOrQueue(node, at: now)
        }
        let carrier = state.withLock { $0.addCarrier(for: node) }
        return (carrier, startCarrier(carrier, for: node, in: NodeSlot(engine: self), at: now))
    }

    /// Begins a carrier on this thread; it goes on elsewhere when it waits.
    func startCarrier(
        _ carrier: Carriers.Place,
        for node: Int,
        in slot: NodeSlot,
        at now: Duration
    ) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { await self.carry(node, as: carrier, in: slot, at: now) }
        }
        return Task { await self.carry(node, as: carrier, in: slot, at: now) }
    }

    /// Does the work of nodes that may wait, one after the other.
    ///
    /// - Parameters:
    ///   - first: The first of them, whose beginning was told.
    ///   - carrier: What the state knows the task by.
    ///   - firstSlot: The first node's slot, if it needs nothing else.
    ///   - start: The time, on the manager's clock.
    func carry(_ first: Int, as carrier: Carriers.Place, in firstSlot: NodeSlot, at start: Duration) async {
        var node = first
        var slot = firstSlot
        var now = start
        var begun = start
        let clock = core.clock
        while true {
            let (result, note) =
                slot.isTaken ? (await executeLocal(node, in: &slot), nil) : await execute(node, at: now)
            // Told before the nodes that wait for this one can begin, and only if nobody gave the node up meanwhile.
            if announcesNodes, state.withLock({ $0.claim(node) }) {
                announceEnd(of: node, result, note)
            }
            now = clock.now()
            let isCancelled = Task.isCancelled
            let successor = slot.handOver()
            let turn = state.withLock { state in
                state.turn(
                    after: node,
                    result,
                    note,
                    of: carrier,
                    isCancelled: isCancelled,
                    slot: (slot.isTaken, successor),
                    begun: begun,
                    at: now,
                    program
                )
            }
            if let unused = turn.unused {
                core.workers.pass(unused)
            }
            perform(turn.aftermath)
            begun = send(turn.help, at: now)
            switch turn.next {
            case .node(let next):
                node = next
                announceStart(of: node)
                if !isPlainLocal(node) || !slot.serve(node, priority: priority(of: node), at: now) {
                    slot.giveBack()
                }
            case .granted(let grant):
                node = grant.node
                slot = NodeSlot(engine: self, held: grant.slot)
                core.workers.begin(grant.slot.kept, at: now)
                noteWait(of: node, until: now)
            case .drain(let drainer):
                leave(&slot)
                drain(as: drainer)
                return
            case .end:
                leave(&slot)
                return
            }
        }
    }

    /// Gives back a slot, for which the end of the run waits.
    private func leave(_ slot: inout NodeSlot) {
        if slot.isTaken {
            slot.giveBack()
            perform(state.withLock { $0.lessToDo() })
        }
    }
}
