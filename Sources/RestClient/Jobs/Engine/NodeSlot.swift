// SPDX-License-Identifier: MIT

/// The worker slot of a drainer or a carrier, which serves local nodes one after the other.
///
/// It is given back as soon as somebody else wants one, and before anything but local work is done.
struct NodeSlot {
    /// A slot, and what its pool knows of the nodes that it serves.
    struct Held: Sendable {
        let kept: WorkerPool.KeptSlot
        let nodes: DrainedNodes
    }

    private let engine: GraphEngine
    private let pool: WorkerPool
    private var held: Held?
    /// Used again, so that it is made once for many nodes.
    private var nodes: DrainedNodes?
    /// The last loan of the slot, if nobody but this knows of it: then it is as good as a new one.
    private var loan: SlotLoan?

    /// Begins with a slot that is there already, or without one.
    init(engine: GraphEngine, held: Held? = nil) {
        self.engine = engine
        pool = engine.core.workers
        self.held = held
        nodes = held?.nodes
    }

    /// Whether there is a slot to give back.
    var isTaken: Bool { held != nil }

    /// Lets the slot serve a node; `false` when none is free.
    mutating func serve(_ node: Int, priority: JobPriority, at now: Duration) -> Bool {
        if let kept = held?.kept {
            if pool.mayKeep(kept, for: priority) {
                nodes?.move(to: node)
                return true
            }
            giveBack()
        }
        let nodes = nodes ?? DrainedNodes(engine, from: node)
        nodes.move(to: node)
        self.nodes = nodes
        held = pool.keepIfFree(for: .nodes(nodes), priority: priority, at: now).map { Held(kept: $0, nodes: nodes) }
        return isTaken
    }

    /// Does work that may use the slot for what it starts.
    mutating func lend(to work: () async throws -> any Sendable) async throws -> any Sendable {
        guard let held else {
            return try await work()
        }
        var loan = loan ?? pool.loan(of: held.kept, to: held.nodes)
        self.loan = nil
        defer {
            // A task that the work left behind has kept its loan, and must find it ended.
            if isKnownUniquelyReferenced(&loan) {
                self.loan = loan
            } else {
                loan.end()
            }
        }
        return try await pool.lending(loan, for: work)
    }

    /// Gives the slot back, if there is one.
    mutating func giveBack() {
        loan = nil
        if let held {
            pool.giveBack(held.kept)
        }
        held = nil
    }

    /// Gives the slot back if somebody waits for one.
    ///
    /// - Returns: The slot of a node of the same run that waited longest, for the caller to go on with.
    mutating func handOver() -> QueuedNodes.Grant? {
        guard let kept = held?.kept, !pool.mayKeep(kept, for: kept.priority) else {
            return nil
        }
        held = nil
        loan = nil
        // What the pool knows of the nodes goes on with those who used the slot last.
        nodes = nil
        return pool.handOver(kept, within: engine)
    }
}
