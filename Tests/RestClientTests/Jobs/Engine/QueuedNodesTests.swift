// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite struct QueuedNodesTests {
    private let engine: GraphEngine
    private let nodes: DrainedNodes
    private let grant: QueuedNodes.Grant
    private let waiter: WorkerPool.WaiterID

    init() throws {
        var graph = JobGraph("queue")
        graph.local("only") {}
        let manager = RestClientManager()
        manager.workers.size = 1
        engine = GraphEngine(try graph.program(), manager: manager)
        nodes = DrainedNodes(engine, from: 0)
        let kept = try #require(manager.workers.keepIfFree(for: .nodes(nodes), priority: .normal, at: .zero))
        grant = nodes.grant(kept)
        guard case .waits(let waiter) = manager.workers.keep(for: nodes, priority: .normal, at: .zero) else {
            throw CancellationError()
        }
        self.waiter = waiter
    }

    @Test
    func `a node that was given its slot begins once`() {
        var queue = QueuedNodes()
        queue.ask(for: 0)
        let isToLeave = queue.wait(0, as: waiter)
        #expect(!isToLeave)
        let isWanted = queue.keep(grant)
        #expect(isWanted)
        #expect(!queue.isWithoutGrants)
        #expect(queue.nextGrant()?.node == 0)
        let begins = queue.begin(0)
        let beginsAgain = queue.begin(0)
        #expect(begins && !beginsAgain)
    }

    @Test
    func `a slot that comes before the pool has answered counts`() {
        var queue = QueuedNodes()
        queue.ask(for: 0)
        let isWanted = queue.keep(grant)
        let isToLeave = queue.wait(0, as: waiter)
        #expect(isWanted && !isToLeave)
        #expect(queue.interrupt([0]).isEmpty)
        let begins = queue.begin(0)
        #expect(!begins)
    }

    @Test
    func `one that is interrupted while the pool is asked leaves as soon as it has answered`() {
        var queue = QueuedNodes()
        queue.ask(for: 0)
        #expect(queue.interrupt([0]).isEmpty)
        let isToLeave = queue.wait(0, as: waiter)
        #expect(isToLeave)
        let isWanted = queue.keep(grant)
        #expect(!isWanted)
    }

    @Test
    func `one that waits is taken out of the pool's queue`() {
        var queue = QueuedNodes()
        queue.ask(for: 0)
        _ = queue.wait(0, as: waiter)
        #expect(queue.interrupt([0, 1]) == [QueuedNodes.Leaver(node: 0, waiter: waiter)])
        queue.remove(0)
        let isWanted = queue.keep(grant)
        #expect(!isWanted)
    }
}
