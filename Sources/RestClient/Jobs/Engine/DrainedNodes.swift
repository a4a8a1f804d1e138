// SPDX-License-Identifier: MIT

import Synchronization

/// The nodes whose work a drainer does itself, as the worker pool knows them: one slot serves them one after the other.
final class DrainedNodes: Sendable {
    private let engine: GraphEngine
    private let current: Atomic<Int>

    /// Begins with one node.
    init(_ engine: GraphEngine, from node: Int) {
        self.engine = engine
        current = Atomic(node)
    }

    /// Goes on with another node.
    func move(to node: Int) {
        current.store(node, ordering: .relaxed)
    }

    private var node: Int { current.load(ordering: .relaxed) }

    /// The name of the node whose work is done now.
    var name: String { engine.program.nodes[node].name }

    /// When that began, on the manager's clock.
    var begun: Duration? { engine.state.withLock { $0.times[node].started } }

    /// The run.
    var groupID: GroupID { engine.id }
}
