// SPDX-License-Identifier: MIT

import DequeModule

/// Decides who holds which key: pure, without lock or task; first come, first served for each key.
struct MutexKeysStateMachine {
    /// Names one waiter for as long as the keys live.
    typealias WaiterID = UInt64

    /// The decision of `acquire`.
    enum Acquisition: Equatable {
        case granted
        case wait(WaiterID)
    }

    /// Those who wait for each key that someone holds.
    private var queues: [String: Deque<WaiterID>] = [:]
    private var lastID: WaiterID = 0

    /// How many keys are held.
    var heldCount: Int { queues.count }

    /// How many wait for a key.
    var waiterCount: Int { queues.values.reduce(0) { $0 + $1.count } }

    /// True if a key is held.
    func isHeld(_ key: String) -> Bool { queues[key] != nil }

    /// Asks for a key: granted if nobody holds it, else queued.
    mutating func acquire(_ key: String) -> Acquisition {
        guard queues[key] != nil else {
            queues[key] = []
            return .granted
        }
        lastID += 1
        queues[key]?.append(lastID)
        return .wait(lastID)
    }

    /// Gives a key back; returns who holds it now.
    mutating func release(_ key: String) -> WaiterID? {
        guard let next = queues[key]?.popFirst() else {
            queues[key] = nil
            return nil
        }
        return next
    }

    /// Takes a waiter out of the queue; `false` when it does not wait any more.
    mutating func cancel(_ id: WaiterID, for key: String) -> Bool {
        guard let place = queues[key]?.firstIndex(of: id) else {
            return false
        }
        queues[key]?.remove(at: place)
        return true
    }
}
