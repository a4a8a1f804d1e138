// SPDX-License-Identifier: MIT

import DequeModule

/// The nodes of a run that requested a slot of the pool: those that wait, and those that were granted one.
struct NodeQueue {
    /// A node that was granted its slot.
    struct Grant {
        let node: Int
        let slot: WorkerPool.Slot
    }

    /// A node that waits for its slot.
    struct Waiter {
        let node: Int
        let id: WorkerPool.WaiterID
    }

    private var waiting: [Int: WorkerPool.WaiterID] = [:]
    /// The granted nodes, in the order in which their slots were granted.
    private var granted: Deque<Grant> = []
    /// The nodes that must not begin although their slot may still arrive.
    private var unwanted: Set<Int> = []

    /// The number of nodes that can begin.
    var grantedCount: Int { granted.count }

    /// Adds a node that waits.
    mutating func wait(_ node: Int, as id: WorkerPool.WaiterID) {
        waiting[node] = id
    }

    /// Records that a node was granted its slot; `false` if the node must not begin.
    mutating func grant(_ slot: WorkerPool.Slot, to node: Int) -> Bool {
        waiting[node] = nil
        guard unwanted.isEmpty || unwanted.remove(node) == nil else {
            return false
        }
        granted.append(Grant(node: node, slot: slot))
        return true
    }

    /// Removes and returns the next node that can begin.
    mutating func next() -> Grant? { granted.popFirst() }

    /// Prevents nodes from beginning.
    ///
    /// - Returns: The nodes to remove from the pool's queue, and those with a slot to release.
    mutating func remove(_ nodes: Set<Int>) -> (waiters: [Waiter], granted: [Grant]) {
        guard !waiting.isEmpty || !granted.isEmpty else {
            return ([], [])
        }
        let waiters = nodes.sorted()
            .compactMap { node in
                waiting.removeValue(forKey: node).map { Waiter(node: node, id: $0) }
            }
        unwanted.formUnion(waiters.map(\.node))
        let returned = Array(granted.filter { nodes.contains($0.node) })
        granted.removeAll { nodes.contains($0.node) }
        return (waiters, returned)
    }

    /// Forgets a node that has left the queue.
    mutating func forget(_ node: Int) {
        unwanted.remove(node)
    }
}
