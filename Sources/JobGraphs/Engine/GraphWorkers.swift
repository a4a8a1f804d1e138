// SPDX-License-Identifier: MIT

import RestEssentials

struct GraphWorkers {
    typealias ID = Slab<Worker>.Place

    struct Worker: Sendable {
        fileprivate var task: Task<Void, Never>?
        fileprivate var node: Int?
        /// A Boolean value that is true while the worker does work that may suspend.
        fileprivate var isAway = false
        fileprivate var isInterrupted = false
    }

    private static let limit = max(1, ProcessInfo.processInfo.activeProcessorCount)

    private var workers = Slab<Worker>()
    /// The number of workers that do no work that may suspend.
    private(set) var present = 0
    /// The number of workers that were started and have not yet asked for a node.
    private var starting = 0

    mutating func add(for count: Int) -> ID? {
        guard count > starting, present < Self.limit else {
            return nil
        }
        present += 1
        starting += 1
        return workers.insert(Worker())
    }

    mutating func keep(_ task: Task<Void, Never>, of id: ID) {
        workers.update(id) { $0.task = task }
    }

    mutating func arrive() {
        starting -= 1
    }

    /// Returns true if a worker's task was cancelled; it must then not run another node.
    func isInterrupted(_ id: ID) -> Bool { workers[id]?.isInterrupted ?? false }

    mutating func begin(_ node: Int, by id: ID, mayWait: Bool) {
        present -= mayWait ? 1 : 0
        workers.update(id) { worker in
            worker.node = node
            worker.isAway = mayWait
        }
    }

    mutating func end(by id: ID, isCancelled: Bool) {
        let wasAway = workers.update(id) { worker in
            defer { worker.isAway = false }
            worker.node = nil
            worker.isInterrupted = worker.isInterrupted || isCancelled
            return worker.isAway
        }
        present += wasAway == true ? 1 : 0
    }

    mutating func remove(_ id: ID) {
        present -= 1
        workers.remove(at: id)
    }

    mutating func interrupt(_ nodes: Set<Int>) -> [Task<Void, Never>] {
        workers.places.compactMap { id in
            let task = workers.update(id) { worker -> Task<Void, Never>? in
                guard let node = worker.node, nodes.contains(node) else {
                    return nil
                }
                worker.isInterrupted = true
                return worker.task
            }
            return task ?? nil
        }
    }
}
