// SPDX-License-Identifier: MIT

import DequeModule

/// The nodes of a run that asked for a slot of the pool: those that wait, and those that were given one.
struct NodeQueue {
    /// A node that was given its slot.
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
    /// In the order in which the slots were given.
    private var granted: Deque<Grant> = []
    /// The nodes that must not begin, whose slot may be on its way.
    private var unwanted: Set<Int> = []

    /// The number of nodes that can begin.
    var grantedCount: Int { granted.count }

    /// Lets a node wait.
    mutating func wait(_ node: Int, as id: WorkerPool.WaiterID) {
        waiting[node] = id
    }

    /// Notes that a node was given its slot; `false` if the node must not begin.
    mutating func grant(_ slot: WorkerPool.Slot, to node: Int) -> Bool {
        waiting[node] = nil
        guard unwanted.isEmpty || unwanted.remove(node) == nil else {
            return false
        }
        granted.append(Grant(node: node, slot: slot))
        return true
    }

    /// Takes out the next node that can begin.
    mutating func next() -> Grant? { granted.popFirst() }

    /// Lets nodes not begin.
    ///
    /// - Returns: Those that have to be taken out of the pool's queue, and those that have a slot to give back.
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

    /// Forgets a node that has left.
    mutating func forget(_ node: Int) {
        unwanted.remove(node)
    }
}
