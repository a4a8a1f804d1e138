// SPDX-License-Identifier: MIT

import SeededRandom
import Testing

@testable import JobGraphs

@Suite
struct JobGraphStateMachineTests {
    private typealias Phase = JobGraphStateMachine.Phase

    private func topology(_ count: Int, _ edges: [(Int, Int)], _ need: JobEdge.Need = .value) -> JobTopology {
        JobTopology(
            count: count,
            edges: edges.map { JobEdge(from: Int32($0.0), to: Int32($0.1), need: need) }
        )
    }

    private func started(_ machine: inout JobGraphStateMachine) -> [Int] {
        var nodes: [Int] = []
        while let node = machine.next() {
            nodes.append(node)
        }
        return nodes
    }

    // MARK: - Order

    @Test
    func `a graph without nodes is finished from the start`() {
        var machine = JobGraphStateMachine(topology(0, []))
        #expect(machine.isFinished)
        #expect(machine.next() == nil)
    }

    @Test
    func `a node is ready as soon as its last input has ended, regardless of its level`() {
        //  0 → 2 → 3,  1 → 4: node 3 need not wait for node 1.
        var machine = JobGraphStateMachine(topology(5, [(0, 2), (2, 3), (1, 4)]))
        #expect(started(&machine) == [0, 1])
        #expect(machine.finish(0, .success) == true)
        #expect(started(&machine) == [2])
        #expect(machine.finish(2, .success) == true)
        #expect(started(&machine) == [3])
        #expect(machine.phases[1] == .running)
    }

    @Test
    func `a node with several inputs waits for all of them`() {
        var machine = JobGraphStateMachine(topology(3, [(0, 2), (1, 2)]))
        #expect(started(&machine) == [0, 1])
        #expect(machine.finish(1, .success) == true)
        #expect(started(&machine).isEmpty)
        #expect(machine.finish(0, .success) == true)
        #expect(started(&machine) == [2])
    }

    @Test
    func `the same input twice counts twice, and is closed twice`() {
        var machine = JobGraphStateMachine(topology(2, [(0, 1), (0, 1)]))
        #expect(started(&machine) == [0])
        #expect(machine.finish(0, .success) == true)
        #expect(started(&machine) == [1])
    }

    @Test
    func `no more nodes run than the run is wide`() {
        var machine = JobGraphStateMachine(topology(4, []), width: 2)
        #expect(machine.readyCount == 2)
        #expect(machine.next() == 0)
        #expect(machine.readyCount == 1)
        #expect(machine.next() == 1)
        #expect(machine.readyCount == 0)
        #expect(machine.next() == nil)
        #expect(machine.running == 2)
        #expect(machine.finish(0, .success) == true)
        #expect(started(&machine) == [2])
        #expect(machine.finish(1, .failure) == true)
        #expect(machine.finish(2, .success) == true)
        #expect(machine.readyCount == 1)
        #expect(started(&machine) == [3])
        #expect(machine.running == 1)
    }

    // MARK: - Needs of edges

    @Test
    func `a result that is no Boolean value counts as true`() {
        for (need, begins) in [(JobEdge.Need.truth, true), (.falsehood, false)] {
            var machine = JobGraphStateMachine(topology(2, [(0, 1)], need))
            #expect(machine.next() == 0)
            #expect(machine.finish(0, .success) == true)
            #expect(started(&machine) == (begins ? [1] : []))
        }
    }

    @Test(arguments: [
        (JobEdge.Need.value, JobGraphStateMachine.Phase.success, true, false, true),
        (.value, .failure, true, false, false), (.value, .failure, true, true, false),
        (.value, .cancelled, true, false, false), (.value, .skipped, true, false, false),
        (.success, .success, true, false, true), (.success, .failure, true, false, false),
        (.success, .failure, true, true, true),
        (.end, .success, true, false, true), (.end, .failure, true, false, true),
        (.end, .cancelled, true, false, true), (.end, .skipped, true, false, true),
        (.truth, .success, true, false, true), (.truth, .success, false, false, false),
        (.truth, .failure, true, false, false),
        (.falsehood, .success, false, false, true), (.falsehood, .success, true, false, false),
        (.falsehood, .failure, false, false, false),
    ])
    func `an edge lets its node begin only when it has what it needs`(
        need: JobEdge.Need,
        ending: JobGraphStateMachine.Phase,
        holds: Bool,
        isIgnored: Bool,
        begins: Bool
    ) {
        var machine = JobGraphStateMachine(topology(2, [(0, 1)], need))
        #expect(started(&machine) == [0])
        #expect(machine.finish(0, ending, holds: holds, onFailure: isIgnored ? .ignore : nil) == true)
        #expect(started(&machine) == (begins ? [1] : []))
        #expect(machine.isFinished == !begins)
        #expect(machine.passedOver == (begins ? [] : [1]))
        #expect(machine.causes == (begins ? [:] : [1: 0]))
    }

    @Test
    func `a failure skips a chain of a hundred thousand nodes without recursion`() {
        let count = 100_000
        var machine = JobGraphStateMachine(topology(count, (1..<count).map { ($0 - 1, $0) }))
        #expect(machine.next() == 0)
        #expect(machine.finish(0, .failure) == true)
        #expect(machine.isFinished)
        #expect(machine.passedOver.count == count - 1)
        #expect(machine.phases.dropFirst().allSatisfy { $0 == .skipped })
    }

    // MARK: - Failures

    @Test
    func `by default a failure stops nothing but what needs it`() {
        var machine = JobGraphStateMachine(topology(3, [(0, 2)]))
        #expect(started(&machine) == [0, 1])
        #expect(machine.finish(0, .failure) == true)
        #expect(machine.firstFailure == 0)
        #expect(machine.phases == [.failure, .running, .skipped])
    }

    @Test
    func `a run that stops on failure begins nothing more, and lets run what runs`() {
        var machine = JobGraphStateMachine(topology(4, [(1, 3)]), onFailure: .stop)
        #expect(machine.next() == 0)
        #expect(machine.next() == 1)
        #expect(machine.finish(0, .failure) == true)
        #expect(machine.phases == [.failure, .running, .notRun, .notRun])
        #expect(machine.interrupts.isEmpty)
        #expect(!machine.isFinished)
        #expect(machine.finish(1, .success) == true)
        #expect(machine.isFinished)
        #expect(machine.next() == nil)
    }

    @Test
    func `a run that cancels on failure interrupts what runs`() {
        var machine = JobGraphStateMachine(topology(3, []), onFailure: .cancel)
        #expect(started(&machine) == [0, 1, 2])
        #expect(machine.finish(1, .failure) == true)
        #expect(machine.interrupts == [0, 2])
    }

    @Test
    func `a failure that is ignored is none for the run`() {
        var machine = JobGraphStateMachine(topology(2, []), onFailure: .stop)
        #expect(started(&machine) == [0, 1])
        #expect(machine.finish(0, .failure, onFailure: .ignore) == true)
        #expect(machine.firstFailure == nil)
        #expect(machine.phases[1] == .running)
    }

    @Test
    func `the reaction to a node takes the place of the run's`() {
        var machine = JobGraphStateMachine(topology(4, [(0, 3)], .success), onFailure: .ignore)
        #expect(started(&machine) == [0, 1, 2])
        #expect(machine.finish(0, .failure) == true)
        #expect(machine.firstFailure == nil)
        #expect(machine.next() == 3)
        #expect(machine.finish(1, .failure, onFailure: .cancel) == true)
        #expect(machine.firstFailure == 1)
        #expect(machine.interrupts == [2, 3])
    }

    // MARK: - Cancelling

    @Test
    func `cancelling a run leaves out what has not begun and interrupts what runs`() {
        var machine = JobGraphStateMachine(topology(3, [(0, 2)]))
        #expect(machine.next() == 0)
        machine.cancel()
        #expect(machine.phases == [.running, .notRun, .notRun])
        #expect(machine.interrupts == [0])
        #expect(machine.finish(0, .cancelled) == true)
        #expect(machine.isFinished)
    }

    @Test
    func `a node that ends as cancelled is a failure of the run only if nobody interrupted it`() {
        var machine = JobGraphStateMachine(topology(2, []))
        #expect(started(&machine) == [0, 1])
        machine.cancel(0)
        #expect(machine.finish(0, .cancelled) == true)
        #expect(machine.firstFailure == nil)
        #expect(machine.finish(1, .cancelled) == true)
        #expect(machine.firstFailure == 1)
    }

    @Test
    func `a node that cancels itself fails the run, though others were interrupted`() {
        var machine = JobGraphStateMachine(topology(2, []))
        #expect(started(&machine) == [0, 1])
        machine.cancel(0)
        #expect(machine.finish(1, .cancelled) == true)
        #expect(machine.firstFailure == 1)
    }

    @Test
    func `the first failure stays the first`() {
        var machine = JobGraphStateMachine(topology(2, []))
        #expect(started(&machine) == [0, 1])
        #expect(machine.finish(1, .failure) == true)
        #expect(machine.finish(0, .failure) == true)
        #expect(machine.firstFailure == 1)
    }

    @Test(arguments: [JobEdge.Need.value, .success, .truth, .falsehood])
    func `a node that is cancelled before it began provides nothing but its end`(need: JobEdge.Need) {
        var machine = JobGraphStateMachine(topology(3, [(1, 2)], need))
        machine.cancel(1)
        #expect(machine.phases == [.ready, .cancelled, .skipped])
        #expect(machine.unsettled == 1)
    }

    @Test
    func `cancelling a node that is ready keeps it from beginning, and skips what needs it`() {
        var machine = JobGraphStateMachine(topology(3, [(1, 2)]))
        machine.cancel(1)
        #expect(started(&machine) == [0])
        #expect(machine.phases == [.running, .cancelled, .skipped])
    }

    @Test
    func `cancelling a branch cancels all dependent nodes and no others`() {
        //  0 → 1 → 3,  0 → 2 → 3 → 4,  5 beside them.
        var machine = JobGraphStateMachine(topology(6, [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]))
        #expect(started(&machine) == [0, 5])
        #expect(machine.finish(0, .success) == true)
        #expect(started(&machine) == [1, 2])
        machine.cancelBranch(from: 1)
        #expect(machine.interrupts == [1])
        #expect(machine.phases == [.success, .running, .running, .cancelled, .cancelled, .running])
    }

    @Test
    func `cancelling what has ended changes nothing`() {
        var machine = JobGraphStateMachine(topology(1, []))
        #expect(machine.next() == 0)
        #expect(machine.finish(0, .success) == true)
        machine.cancel(0)
        machine.cancel()
        #expect(machine.phases == [.success])
        #expect(machine.interrupts.isEmpty)
        #expect(machine.finish(0, .failure) == false)
    }

    // MARK: - Any graph

    /// Nodes in random order of ends, with random failures and cancels, against the definition of each phase.
    @Test(arguments: 0..<200)
    func `every node ends exactly once, and only for a reason`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let count = Int.random(in: 1...30, using: &generator)
        let needs: [JobEdge.Need] = [.value, .value, .value, .success, .end]
        var edges: [JobEdge] = []
        for to in 1..<max(2, count) where to < count {
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let from = Int.random(in: 0..<to, using: &generator)
                let need = needs.randomElement(using: &generator) ?? .value
                edges.append(JobEdge(from: Int32(from), to: Int32(to), need: need))
            }
        }
        var machine = JobGraphStateMachine(JobTopology(count: count, edges: edges))
        var running: Set<Int> = []
        var begun: Set<Int> = []
        while !machine.isFinished {
            while let node = machine.next() {
                #expect(begun.insert(node).inserted, "seed \(seed)")
                running.insert(node)
                for edge in edges where Int(edge.to) == node {
                    let phase = machine.phases[Int(edge.from)]
                    #expect(edge.need == .end ? phase.isSettled : phase == .success, "seed \(seed)")
                }
            }
            guard let node = running.sorted().randomElement(using: &generator) else {
                Issue.record("seed \(seed): nothing runs, and \(machine.unsettled) nodes have not ended")
                return
            }
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: machine.cancel(Int.random(in: 0..<count, using: &generator))
            case 1...2:
                running.remove(node)
                #expect(machine.finish(node, .failure) == true)
            default:
                running.remove(node)
                #expect(machine.finish(node, .success) == true)
            }
        }
        #expect(running.isEmpty)
        #expect(Set(machine.passedOver).isDisjoint(with: begun))
        #expect(machine.passedOver.count + begun.count == count)
        for node in 0..<count where machine.phases[node] == .skipped {
            let cause = machine.causes[node]
            #expect(edges.contains { Int($0.to) == node && Int($0.from) == cause }, "seed \(seed)")
        }
    }
}

@Suite
struct JobTopologyTests {
    @Test(arguments: [
        ([(0, 1), (1, 2), (2, 0)], [0, 1, 2]), ([(0, 1), (1, 1)], [1]),
        ([(2, 3), (3, 2), (0, 1), (3, 4), (4, 5)], [2, 3]), ([(1, 2), (2, 1), (2, 0)], [1, 2]),
        ([(0, 1), (1, 2)], nil), ([], nil),
    ])
    func `a cycle is found, and nodes after it are not part of it`(edges: [(Int, Int)], nodes: [Int]?) {
        let topology = JobTopology(
            count: 6,
            edges: edges.map { JobEdge(from: Int32($0.0), to: Int32($0.1), need: .success) }
        )
        let cycle = topology.cycle
        #expect(cycle?.sorted() == nodes)
        #expect(cycle?.first == nodes?.first)
        for (index, node) in (cycle ?? []).enumerated() {
            let next = cycle?[(index + 1) % (cycle?.count ?? 1)]
            #expect(edges.contains { $0 == node && $1 == next })
        }
    }

    @Test(arguments: [
        (JobEdge.Need.value, false), (.success, false), (.end, false), (.truth, true), (.falsehood, true),
    ])
    func `a condition is an edge that needs a Boolean result`(need: JobEdge.Need, isCondition: Bool) {
        let edges = [JobEdge(from: 0, to: 1, need: .value), JobEdge(from: 1, to: 2, need: need)]
        #expect(JobTopology(count: 3, edges: edges).hasConditions == isCondition)
    }

    @Test
    func `a branch has what depends on its root, and the sorted nodes come after what they depend on`() {
        //  0 → 1 → 3,  0 → 2 → 3 → 4,  5 beside them.
        let edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]
            .map { JobEdge(from: Int32($0.0), to: Int32($0.1), need: .value) }
        let topology = JobTopology(count: 6, edges: edges)
        #expect(topology.branch(from: 0) == [0, 1, 2, 3, 4])
        #expect(topology.branch(from: 1) == [1, 3, 4])
        #expect(topology.branch(from: 5) == [5])
        #expect(topology.sorted == [0, 5, 1, 2, 3, 4])
        #expect(topology.links(from: 0).map(\.target) == [1, 2])
        #expect(topology.inDegrees == [0, 1, 1, 2, 1, 0])
    }
}
