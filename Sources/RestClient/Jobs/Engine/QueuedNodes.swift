// SPDX-License-Identifier: MIT

import DequeModule

/// The local nodes that wait for a worker slot, and have no task while they do: pure bookkeeping, without lock.
struct QueuedNodes {
    /// A slot that the pool gave to a node.
    struct Grant: Sendable {
        let node: Int
        let slot: NodeSlot.Held
    }

    /// A node that is to leave the pool's queue.
    struct Leaver: Sendable, Equatable {
        let node: Int
        let waiter: WorkerPool.WaiterID
    }

    private struct Entry {
        /// Its name in the pool's queue; `nil` while the pool is being asked, and when it has given a slot.
        var waiter: WorkerPool.WaiterID?
        /// Whether the node must not begin any more.
        var isInterrupted = false
        var isGranted = false
    }

    private var entries: [Int: Entry] = [:]
    private var grants: Deque<Grant> = []

    /// Notes that the pool is going to be asked for a slot.
    mutating func ask(for node: Int) {
        entries[node] = Entry()
    }

    /// Notes that the pool lets a node wait.
    ///
    /// - Returns: Whether it is to leave at once, because it was interrupted meanwhile.
    mutating func wait(_ node: Int, as waiter: WorkerPool.WaiterID) -> Bool {
        guard let entry = entries[node], !entry.isGranted else {
            return false
        }
        entries[node]?.waiter = waiter
        return entry.isInterrupted
    }

    /// Keeps a slot until somebody begins its node; `false` when the node must not begin.
    mutating func keep(_ grant: Grant) -> Bool {
        guard let entry = entries[grant.node], !entry.isInterrupted else {
            return false
        }
        entries[grant.node]?.waiter = nil
        entries[grant.node]?.isGranted = true
        grants.append(grant)
        return true
    }

    /// Whether no slot is kept.
    var isWithoutGrants: Bool { grants.isEmpty }

    /// The next slot that was kept.
    mutating func nextGrant() -> Grant? {
        grants.popFirst()
    }

    /// Takes a node out that has a slot; `false`, and it stays, when it must not begin.
    mutating func begin(_ node: Int) -> Bool {
        guard let entry = entries[node], !entry.isInterrupted else {
            return false
        }
        entries[node] = nil
        return true
    }

    /// Takes out a node, however it stands.
    mutating func remove(_ node: Int) {
        entries[node] = nil
    }

    /// Lets nodes not begin any more.
    ///
    /// - Returns: Those that have to leave the pool's queue.
    mutating func interrupt(_ nodes: some Sequence<Int>) -> [Leaver] {
        guard !entries.isEmpty else {
            return []
        }
        var leavers: [Leaver] = []
        for node in nodes where entries[node] != nil {
            entries[node]?.isInterrupted = true
            if let waiter = entries[node]?.waiter {
                leavers.append(Leaver(node: node, waiter: waiter))
            }
        }
        return leavers
    }
}
