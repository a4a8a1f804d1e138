// SPDX-License-Identifier: MIT

import Synchronization

extension GraphEngine: SlotHolder {
    package var groupID: GroupID? { id }
    package var limitKey: String? { nil }
    package var taker: (any SlotTaker)? { self }

    package func words(for index: Int) -> String {
        LocalWork.words(for: program.nodes[index].name)
    }
}

extension GraphEngine: SlotTaker {
    package func take(_ slot: WorkerPool.Slot, for index: Int) {
        let (isWanted, aftermath) = state.withLock { $0.keep(slot, for: index) }
        guard isWanted else {
            runtime.workers.release(slot)
            endWithoutSlot(index)
            return
        }
        perform(aftermath)
    }

    /// Asks for the slot that a node needs; `nil` when it needs none before its work begins.
    func ask(for node: Int, at now: Duration) -> WorkerPoolStateMachine.Acquisition? {
        guard program.nodes[node].kind == .local, isPlain(node), !passesPool else {
            return nil
        }
        let priority = program.options.isEmpty ? nil : program.options[node]?.priority
        return runtime.workers.take(
            SlotDemand(holder: self, index: node, priority: priority ?? .normal, since: now),
            at: now
        )
    }

    /// Returns true if the work of a node needs nothing but a slot.
    func isPlain(_ node: Int) -> Bool {
        guard settings.session == nil else {
            return false
        }
        return program.options.isEmpty || program.options[node]?.isPlain ?? true
    }

    /// Ends a node that was cancelled before it had its slot.
    func endWithoutSlot(_ node: Int) {
        if announcesNodes, state.withLock({ $0.claim(node) }) {
            announceEnd(of: node, .cancelled, nil)
        }
        let now = runtime.clock.now()
        perform(state.withLock { $0.endWithoutSlot(node, at: now, program) })
    }
}
