// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct GraphEventTests {
    private struct Failed: Error {}

    private let client = StubbedClient(StubTransport { _ in .text("answer") })

    @Test
    func `a chain emits events of itself, its nodes and their work`() async throws {
        let log = EventRecorder(client.manager)
        var graph = JobGraph("graph")
        let first = graph.request("first") { RequestNode(String.self).endpoint("/a") }
        let second = graph.local("second", after: first) { $0.count }
        graph.local("third", after: second) { _ async throws -> Int in throw Failed() }
        let run = try await client.manager.run(graph)
        #expect(
            log.lines == [
                "graphStarted graph 3",
                "nodeStarted first", "callStarted", "attemptStarted 1", "attemptFinished 1 200",
                "modelLoaded", "callSucceeded 200 network", "nodeFinished first success",
                "nodeStarted second", "localJobStarted second", "localJobSucceeded second",
                "nodeFinished second success",
                "nodeStarted third", "localJobStarted third", "localJobFailed third Failed()",
                "nodeFinished third failure",
                "graphFinished graph failure",
            ]
        )
        #expect(log.events.allSatisfy { $0.groupID == run.id })
        #expect(log.events.filter { $0.request != nil }.allSatisfy { $0.callID != nil })
    }
}
