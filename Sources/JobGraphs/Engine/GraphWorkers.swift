// SPDX-License-Identifier: MIT

import RestEssentials

/// The workers of a run: tasks that do the work of nodes, one after the other.
struct GraphWorkers {
    /// Names one worker.
    typealias ID = SerialTable<Worker>.ID

    struct Worker: Sendable {
        /// `nil` until it is known.
        fileprivate var task: Task<Void, Never>?
        /// The node whose work is done now.
        fileprivate var node: Int?
        /// A Boolean value that is true while the worker does work that may wait.
        fileprivate var isAway = false
        /// A Boolean value that is true if its task was cancelled, or is to be as soon as it is known.
        fileprivate var isInterrupted = false
    }

    /// One worker for each thread that runs tasks.
    private static let limit = max(1, ProcessInfo.processInfo.activeProcessorCount)

    private var workers = SerialTable<Worker>()
    /// How many workers are not away.
    private(set) var present = 0
    /// How many workers were started and have not looked for a node yet.
    private var starting = 0

    /// Adds a worker, if there are more nodes to begin than workers that are about to take one, and not enough workers.
    mutating func add(for count: Int) -> ID? {
        guard count > starting, present < Self.limit else {
            return nil
        }
        present += 1
        starting += 1
        return workers.insert(Worker())
    }

    /// Keeps the task of a worker; returns whether it is to be cancelled.
    mutating func keep(_ task: Task<Void, Never>, of id: ID) -> Bool {
        workers[id]?.task = task
        return isInterrupted(id)
    }

    /// Notes that a worker looks for its first node.
    mutating func arrive() {
        starting -= 1
    }

    /// Returns true if a worker's task was cancelled; it must do no other node's work.
    func isInterrupted(_ id: ID) -> Bool { workers[id]?.isInterrupted ?? false }

    /// Notes the node whose work a worker does from now on.
    mutating func begin(_ node: Int, by id: ID, mayWait: Bool) {
        present -= mayWait ? 1 : 0
        workers[id]?.node = node
        workers[id]?.isAway = mayWait
    }

    /// Notes that a worker has done a node's work.
    mutating func end(by id: ID, isCancelled: Bool) {
        present += workers[id]?.isAway == true ? 1 : 0
        workers[id]?.node = nil
        workers[id]?.isAway = false
        if isCancelled {
            workers[id]?.isInterrupted = true
        }
    }

    /// Removes a worker that is done.
    mutating func remove(_ id: ID) {
        workers.remove(id)
        present -= 1
    }

    /// Interrupts the work of nodes; returns the tasks to cancel.
    mutating func interrupt(_ nodes: Set<Int>) -> [Task<Void, Never>] {
        workers.all.compactMap { id, worker in
            guard let node = worker.node, nodes.contains(node) else {
                return nil
            }
            workers[id]?.isInterrupted = true
            return worker.task
        }
    }
}
