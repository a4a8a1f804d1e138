// SPDX-License-Identifier: MIT

import Synchronization

extension GraphEngine: SlotHolder {
    package var groupID: GroupID? { id }
    package var limitKey: String? { nil }
    package var taker: (any SlotTaker)? { self }

    package func words(for index: Int) -> String {
        LocalWork.words(for: program.name(of: index))
    }
}

extension GraphEngine: SlotTaker {
    package func take(_ slot: WorkerPool.Slot, for index: Int) {
        update { $0.grant(slot, to: index) }
    }

    func needsSlot(_ node: Int) -> Bool {
        guard program.kind(of: node) == .local, !passesPool else {
            return false
        }
        return settings.session?.isFinished(node, program) != true
    }

    func isPlain(_ node: Int) -> Bool {
        settings.session == nil && options(of: node)?.isPlain ?? true
    }

    func mayWait(_ node: Int) -> Bool {
        // Local work that bypasses the pool announces itself as a job does.
        !program.body(of: node).isImmediate || !isPlain(node) || (passesPool && program.kind(of: node) == .local)
    }

    func ask(
        for node: Int,
        givingBack slot: WorkerPool.Slot?,
        at now: Duration,
        _ winners: inout [WorkerPool.Winner]
    ) -> WorkerPoolStateMachine.Acquisition {
        let priority = options(of: node)?.priority ?? .normal
        let demand = SlotDemand(holder: self, index: node, priority: priority, since: now)
        return runtime.workers.take(demand, givingBack: slot, at: now, &winners)
    }

    func requestKeys(for node: Int, at now: Duration) -> MutexKeys.Request? {
        guard let names = options(of: node)?.mutexKeys, !names.isEmpty,
            settings.session?.isFinished(node, program) != true
        else {
            return nil
        }
        return runtime.mutexKeys.request(names, at: now)
    }

    func endWithoutSlot(_ node: Int) {
        if announcesNodes, state.withLock({ $0.claim(node) }) {
            announceEnd(of: node, .cancelled, nil)
        }
        let now = runtime.clock.now()
        update { $0.endWithoutSlot(node, at: now, program) }?.release()
    }
}
