// SPDX-License-Identifier: MIT

import RestEssentials

/// The workers of a run: tasks that do the work of nodes, one after the other.
struct GraphWorkers {
    /// Identifies one worker, from its start to its end.
    typealias ID = Int

    private struct Worker: Sendable {
        /// `nil` in a vacant place.
        var task: Task<Void, Never>?
        /// The node whose work the worker does now.
        var node: Int?
        /// A Boolean value that is true while the worker does work that may suspend.
        var isAway = false
        /// A Boolean value that is true if the worker's task was cancelled.
        var isInterrupted = false
    }

    /// One worker for each thread that runs tasks.
    private static let limit = max(1, ProcessInfo.processInfo.activeProcessorCount)

    /// The workers, by ID; vacant places are reused.
    private var workers: [Worker] = []
    private var vacant: [ID] = []
    /// The number of workers that do no work that may suspend.
    private(set) var present = 0
    /// The number of workers that were started and have not yet asked for a node.
    private var starting = 0

    /// Adds a worker if there are more ready nodes than workers about to take one, and too few workers.
    mutating func add(for count: Int) -> ID? {
        guard count > starting, present < Self.limit else {
            return nil
        }
        present += 1
        starting += 1
        if let id = vacant.popLast() {
            return id
        }
        workers.append(Worker())
        return workers.count - 1
    }

    /// Stores the task of a worker.
    mutating func keep(_ task: Task<Void, Never>, of id: ID) {
        workers[id].task = task
    }

    /// Records that a worker asks for its first node.
    mutating func arrive() {
        starting -= 1
    }

    /// Returns true if a worker's task was cancelled; it must then not run another node.
    func isInterrupted(_ id: ID) -> Bool { workers[id].isInterrupted }

    /// Records the node that a worker begins.
    mutating func begin(_ node: Int, by id: ID, mayWait: Bool) {
        present -= mayWait ? 1 : 0
        workers[id].node = node
        workers[id].isAway = mayWait
    }

    /// Records that a worker's node has ended.
    mutating func end(by id: ID, isCancelled: Bool) {
        present += workers[id].isAway ? 1 : 0
        workers[id].node = nil
        workers[id].isAway = false
        if isCancelled {
            workers[id].isInterrupted = true
        }
    }

    /// Removes a worker that is done, and frees its place.
    mutating func remove(_ id: ID) {
        present -= 1
        workers[id] = Worker()
        vacant.append(id)
    }

    /// Interrupts the work of nodes; returns the tasks to cancel.
    mutating func interrupt(_ nodes: Set<Int>) -> [Task<Void, Never>] {
        workers.indices.compactMap { id in
            guard let node = workers[id].node, nodes.contains(node) else {
                return nil
            }
            workers[id].isInterrupted = true
            return workers[id].task
        }
    }
}
