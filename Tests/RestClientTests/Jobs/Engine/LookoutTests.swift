// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(1)))
struct LookoutTests {
    @Test
    func `only one is out at a time, until there is nothing to see`() {
        var lookout = Lookout()
        let isFirst = lookout.begin()
        let isSecond = lookout.begin()
        #expect(isFirst && !isSecond)
        #expect(lookout.look(ready: 0) == .clear)
        let isNext = lookout.begin()
        #expect(isNext)
    }

    @Test
    func `what is ready is stuck when no node ended since the last look`() {
        var lookout = Lookout()
        _ = lookout.begin()
        lookout.noteEnd()
        #expect(lookout.look(ready: 1) == .moving)
        #expect(lookout.look(ready: 1) == .stuck)
        lookout.noteEnd()
        #expect(lookout.look(ready: 1) == .moving)
    }

    @Test(.enabled(if: GraphEngine.drainerLimit > 1, "there is a second processor to help"))
    func `a node behind short ones gets a helper when the one beside it is long`() throws {
        var graph = JobGraph("long")
        var last = graph.local("0") { 0 }
        for index in 1..<HelperRule.patience {
            last = graph.local("\(index)", after: last) { $0 }
        }
        graph.local("left", after: last) { _ in }
        graph.local("right", after: last) { _ in }
        let program = try graph.program()
        var state = GraphEngineState(
            machine: JobGraphStateMachine(program.topology),
            announcesNodes: false,
            seed: 0
        )
        let added = state.addDrainer(limit: 2)
        let drainer = try #require(added)
        var step = state.step(as: drainer, holdsSlot: false, at: .zero)
        for node in 0..<HelperRule.patience {
            #expect(step.node == node)
            #expect(step.help == nil)
            step = state.step(after: node, .success(0), as: drainer, holdsSlot: false, begun: .zero, at: .zero, program)
        }
        #expect(step.node == HelperRule.patience)
        #expect(step.help == .lookout)
        let (again, helper) = state.lookAround()
        #expect(again)
        #expect(helper != nil)
    }

    @Test(.enabled(if: GraphEngine.drainerLimit > 1, "two nodes can only meet on two processors"))
    func `work that never waits runs side by side, however short the work before it was`() async throws {
        let manager = StubbedClient().manager
        let arrived = Recorder<String>()
        var graph = JobGraph("meeting")
        var last = graph.local("0") { 0 }
        for index in 1..<1000 {
            last = graph.local("\(index)", after: last) { $0 + 1 }
        }
        // Each keeps its thread until the other one has come too.
        let meet: @Sendable (String) throws -> Void = { name in
            arrived.record(name)
            while arrived.elements.count < 2 {
                try Task.checkCancellation()
            }
        }
        graph.local("left", after: last) { _ in try meet("left") }
        graph.local("right", after: last) { _ in try meet("right") }
        let run = try await manager.run(graph)
        #expect(run.isSuccess)
    }
}
