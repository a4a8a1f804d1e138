// SPDX-License-Identifier: MIT

/// The worker slot of a drainer, which serves the work that it does itself, one node after the other.
///
/// It is given back as soon as somebody else wants one, and before anything but such work is done.
struct DrainerSlot {
    private let engine: GraphEngine
    private let pool: WorkerPool
    private var kept: WorkerPool.KeptSlot?
    private var nodes: DrainedNodes?

    init(engine: GraphEngine) {
        self.engine = engine
        pool = engine.core.workers
    }

    /// Whether there is a slot to give back.
    var isTaken: Bool { kept != nil }

    /// Lets the slot serve a node; `false` when none is free.
    mutating func serve(_ node: Int, priority: JobPriority, at now: Duration) -> Bool {
        if let kept {
            if pool.mayKeep(kept, for: priority) {
                nodes?.move(to: node)
                return true
            }
            giveBack()
        }
        let nodes = nodes ?? DrainedNodes(engine, from: node)
        nodes.move(to: node)
        self.nodes = nodes
        kept = pool.keepIfFree(for: .nodes(nodes), priority: priority, at: now)
        return kept != nil
    }

    /// Gives the slot back, if there is one.
    mutating func giveBack() {
        if let kept {
            pool.giveBack(kept)
        }
        kept = nil
    }
}
