// SPDX-License-Identifier: MIT

import Synchronization

extension GraphEngine {
    /// Begins nodes until none is ready.
    func drain(as drainer: GraphEngineState.Drainer) {
        var slot = DrainerSlot(engine: self)
        var last = GraphEngineState.Step.Last.nothing
        var now = core.clock.now()
        while true {
            let step = state.withLock { state in
                state.step(after: last, as: drainer, holdsSlot: slot.isTaken, at: now, program)
            }
            guard let node = step.node else {
                if slot.isTaken {
                    slot.giveBack()
                    perform(state.withLock { $0.lessToDo() })
                }
                perform(step.aftermath)
                return
            }
            perform(step.aftermath)
            if let helper = step.helper {
                startHelper(as: helper)
            }
            if case .immediate(let body) = program.nodes[node].body,
                let outcome = runInline(node, body, &slot, at: now)
            {
                last = .ended(node, outcome)
            } else {
                slot.giveBack()
                let carrier = state.withLock { $0.addCarrier(for: node) }
                last = .left(carrier, startCarrier(carrier, for: node, at: now))
            }
            now = core.clock.now()
        }
    }

    func startHelper(as drainer: GraphEngineState.Drainer) {
        let task = Task { drain(as: drainer) }
        if state.withLock({ $0.keep(task, of: drainer) }) {
            task.cancel()
        }
    }

    private func startCarrier(_ carrier: Carriers.Place, for node: Int, at now: Duration) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return Task.immediate { await self.carry(node, as: carrier, at: now) }
        }
        return Task { await self.carry(node, as: carrier, at: now) }
    }

    /// Does the work of nodes that may wait, one after the other.
    private func carry(_ first: Int, as carrier: Carriers.Place, at start: Duration) async {
        var node = first
        var now = start
        while true {
            let (outcome, note) = await execute(node, at: now)
            // Told before the nodes that wait for this one can begin, and only if nobody gave the node up meanwhile.
            if announcesNodes, state.withLock({ $0.claim(node) }) {
                announceEnd(of: node, outcome, note)
            }
            now = core.clock.now()
            let isCancelled = Task.isCancelled
            let turn = state.withLock { state in
                state.turn(after: node, outcome, note, of: carrier, isCancelled: isCancelled, at: now, program)
            }
            perform(turn.aftermath)
            if let helper = turn.helper {
                startHelper(as: helper)
            }
            switch turn.next {
            case .node(let next):
                node = next
            case .drain(let drainer):
                drain(as: drainer)
                return
            case .end:
                return
            }
        }
    }
}
