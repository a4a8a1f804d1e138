// SPDX-License-Identifier: MIT

import DequeModule

/// Decides who may work: pure, without lock, clock or task.
///
/// Waiters are served in the order of their arrival; one that gives up leaves in constant time, and its place in the queue
/// is skipped when its turn comes.
struct WorkerPoolStateMachine {
    /// Names one waiter for as long as the pool lives.
    typealias WaiterID = UInt64

    /// What `acquire` decided.
    enum Acquisition: Equatable {
        case granted
        case wait(WaiterID)
    }

    /// How many may work at once; zero stands for any number.
    private(set) var size: Int
    /// How many work now.
    private(set) var running = 0
    private var queue: Deque<WaiterID> = []
    private var waiting: Set<WaiterID> = []
    private var nextID: WaiterID = 0

    init(size: Int) {
        self.size = max(0, size)
    }

    /// How many wait now.
    var waitingCount: Int { waiting.count }

    /// Whether a waiter is still in the queue.
    func isWaiting(_ id: WaiterID) -> Bool { waiting.contains(id) }

    /// Asks for a slot: granted if one is free and nobody waits, else queued.
    mutating func acquire() -> Acquisition {
        if acquireIfFree() {
            return .granted
        }
        nextID += 1
        queue.append(nextID)
        waiting.insert(nextID)
        return .wait(nextID)
    }

    /// Takes a slot if one is free and nobody waits for it.
    mutating func acquireIfFree() -> Bool {
        guard waiting.isEmpty, hasFreeSlot else {
            return false
        }
        running += 1
        return true
    }

    /// Gives a slot back; returns who may work now.
    mutating func release() -> [WaiterID] {
        running -= 1
        return grantFreeSlots()
    }

    /// Takes a waiter out of the queue; `false` when it does not wait any more.
    mutating func cancel(_ id: WaiterID) -> Bool {
        guard waiting.remove(id) != nil else {
            return false
        }
        if queue.count > 64, waiting.count * 2 < queue.count {
            queue.removeAll { !waiting.contains($0) }
        }
        return true
    }

    /// Changes the size, without interrupting running work; returns who may work now.
    mutating func resize(to newSize: Int) -> [WaiterID] {
        size = max(0, newSize)
        return grantFreeSlots()
    }

    private var hasFreeSlot: Bool { size == 0 || running < size }

    private mutating func grantFreeSlots() -> [WaiterID] {
        var granted: [WaiterID] = []
        while hasFreeSlot, let id = queue.popFirst() {
            if waiting.remove(id) != nil {
                running += 1
                granted.append(id)
            }
        }
        return granted
    }
}
