// SPDX-License-Identifier: MIT

import Synchronization

extension GraphEngine {
    /// Begins nodes until none is ready.
    func drain(as drainer: GraphEngineState.Drainer) {
        var slot = DrainerSlot(engine: self)
        let clock = core.clock
        var now = clock.now()
        var step = state.withLock { $0.step(as: drainer, holdsSlot: false, at: now) }
        while let node = step.node {
            perform(step.aftermath)
            let begun = send(step.help, at: now)
            if case .immediate(let body) = program.nodes[node].body,
                let result = runInline(node, body, &slot, at: now)
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
                let carrier = state.withLock { $0.addCarrier(for: node) }
                let task = startCarrier(carrier, for: node, at: now)
                now = clock.now()
                step = state.withLock { $0.step(leaving: carrier, task, as: drainer, at: now) }
            }
        }
        if slot.isTaken {
            slot.giveBack()
            perform(state.withLock { $0.lessToDo() })
        }
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
        var begun = start
        while true {
            let (result, note) = await execute(node, at: now)
            // Told before the nodes that wait for this one can begin, and only if nobody gave the node up meanwhile.
            if announcesNodes, state.withLock({ $0.claim(node) }) {
                announceEnd(of: node, result, note)
            }
            now = core.clock.now()
            let isCancelled = Task.isCancelled
            let turn = state.withLock { state in
                state.turn(
                    after: node,
                    result,
                    note,
                    of: carrier,
                    isCancelled: isCancelled,
                    begun: begun,
                    at: now,
                    program
                )
            }
            perform(turn.aftermath)
            begun = send(turn.help, at: now)
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
