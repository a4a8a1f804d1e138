// SPDX-License-Identifier: MIT

import Synchronization

/// The local nodes that a slot serves one after the other, or the node that waits for one, as the worker pool knows them.
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

    // MARK: Waiting

    /// Whether they are nodes of a run.
    func belong(to engine: GraphEngine) -> Bool { self.engine === engine }

    /// What the pool gives when a slot is free for the node that waits.
    func grant(_ kept: WorkerPool.KeptSlot) -> QueuedNodes.Grant {
        QueuedNodes.Grant(node: node, slot: NodeSlot.Held(kept: kept, nodes: self))
    }

    /// Has the node begun that waited; `false` when it must not begin, and its slot is to be given back.
    func begin(in kept: WorkerPool.KeptSlot) -> Bool {
        engine.begin(grant(kept))
    }
}
