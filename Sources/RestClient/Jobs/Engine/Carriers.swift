// SPDX-License-Identifier: MIT

/// The tasks that do work which may wait, one node after the other: pure bookkeeping, without lock.
///
/// A carrier is *attended* until the drainer that began it goes on: before that, nobody has its task to cancel it.
struct Carriers {
    /// Names one carrier for as long as it is there.
    typealias Place = Int

    private struct Entry {
        /// The node that it works for.
        var node: Int
        /// `nil` while it is attended.
        var task: Task<Void, Never>?
        /// Whether it was cancelled, or is to be as soon as its task is known.
        var isInterrupted = false
        var hasEnded = false
    }

    private var entries: [Entry?] = []
    private var vacant: [Place] = []

    /// Adds a carrier, for its first node.
    mutating func add(for node: Int, isInterrupted: Bool = false) -> Place {
        let entry = Entry(node: node, isInterrupted: isInterrupted)
        if let place = vacant.popLast() {
            entries[place] = entry
            return place
        }
        entries.append(entry)
        return entries.count - 1
    }

    /// Whether the drainer that began the carrier has not gone on.
    func isAttended(_ place: Place) -> Bool { entries[place]?.task == nil }

    /// Whether the carrier was interrupted, so that it must not work for other nodes.
    func isInterrupted(_ place: Place) -> Bool { entries[place]?.isInterrupted == true }

    /// Whether the carrier does no more, while it is attended.
    func hasEnded(_ place: Place) -> Bool { entries[place]?.hasEnded == true }

    /// Lets a carrier work for another node.
    mutating func move(_ place: Place, to node: Int) {
        entries[place]?.node = node
    }

    /// Notes that the drainer which began a carrier goes on.
    ///
    /// - Returns: Whether the carrier's task is to be cancelled.
    mutating func leave(_ place: Place, _ task: Task<Void, Never>) -> Bool {
        guard let entry = entries[place] else {
            return false
        }
        if entry.hasEnded {
            remove(place)
            return false
        }
        entries[place]?.task = task
        return entry.isInterrupted
    }

    /// Notes that a carrier does no more.
    ///
    /// - Returns: Its task; `nil` when the drainer that began it has not gone on.
    mutating func end(_ place: Place) -> Task<Void, Never>? {
        guard let task = entries[place]?.task else {
            entries[place]?.hasEnded = true
            return nil
        }
        remove(place)
        return task
    }

    /// Interrupts the work for some nodes; what runs without a carrier cannot be interrupted.
    ///
    /// - Returns: The tasks to cancel.
    mutating func interrupt(_ nodes: some Sequence<Int>) -> [Task<Void, Never>] {
        let nodes = Set(nodes)
        var tasks: [Task<Void, Never>] = []
        for place in entries.indices {
            if let entry = entries[place], nodes.contains(entry.node), !entry.hasEnded {
                entries[place]?.isInterrupted = true
                if let task = entry.task {
                    tasks.append(task)
                }
            }
        }
        return tasks
    }

    private mutating func remove(_ place: Place) {
        entries[place] = nil
        vacant.append(place)
    }
}
