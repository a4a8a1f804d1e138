// SPDX-License-Identifier: MIT

import Testing

@testable import JobGraphs

/// Nodes that need other results than those they are for.
@Suite(.timeLimit(.minutes(5)))
struct SideInputTests {
    private struct Failed: Error {}

    @Test
    func `a compensation that names a node without a result says so`() async throws {
        var graph = JobGraph("saga")
        let first = graph.local("first") { 1 }
        let failing = graph.local("fails") { () throws -> Int in throw Failed() }
        let skipped = graph.local("skipped", after: failing) { $0 }
        graph.undo("undo", of: first, after: skipped) { _, _ in }
        let run = try await JobRuntime().run(graph)
        let error = run.compensations.first?.outcome.error as? JobGraphError
        #expect(error?.code == .missingJobResult)
        #expect(error?.message.contains("'undo'") == true)
    }
}
