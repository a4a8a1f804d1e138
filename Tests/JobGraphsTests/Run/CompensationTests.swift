// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// Compensations and their time limits; in which order they run is tested with the runs that fail.
@Suite(.timeLimit(.minutes(5)))
struct CompensationTests {
    private struct Failed: Error {}

    private let clock = ManualClock()
    private let gate = Gate()

    /// A step that can be compensated within ten seconds, and one that fails.
    private func graph(_ undo: @escaping @Sendable @concurrent (Int) async throws -> Void) -> JobGraph {
        var graph = JobGraph("saga")
        let first = graph.local("first") { 1 }
        let second = graph.local("second", after: first) { $0 + 1 }
        graph.undo("undo second", of: second, timeout: .seconds(10), undo)
        graph.undo("undo first", of: first, timeout: .seconds(10)) { _ in }
        graph.local("fails", after: second) { _ in throw Failed() }
        return graph
    }

    private func runtime() -> JobRuntime {
        JobRuntime(clock: clock)
    }

    @Test(arguments: [false, true])
    func `one that takes too long has failed in time, and the others are run`(isStubborn: Bool) async throws {
        let graph = graph { [gate] _ in
            if isStubborn {
                // Not cancellable: waits in a task of its own.
                _ = await Task { try await gate.wait() }.result
            } else {
                try await gate.wait()
            }
        }
        let execution = try runtime().start(graph)
        try await gate.waitForWaiters(count: 1)
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(10))
        let run = await execution.finished()
        #expect(run.compensations.map(\.name) == ["undo second", "undo first"])
        let error = run.compensations.first?.outcome.error as? JobGraphError
        #expect(error?.code == .timeout)
        #expect(error?.message.contains("'undo second'") == true)
        #expect(run.nodes.map(\.status) == [.compensated, .success, .failure])
        gate.open()
    }

    @Test
    func `a compensation that ends in time leaves no timer`() async throws {
        let run = try await runtime().run(graph { _ in })
        #expect(run.nodes.map(\.status) == [.compensated, .compensated, .failure])
        try await clock.waitForNoSleepers()
    }

    @Test
    func `one that throws a CancellationError of its own is cancelled, and not too late`() async throws {
        let run = try await runtime().run(graph { _ in throw CancellationError() })
        guard case .cancelled = run.compensations.first?.outcome else {
            Issue.record("\(run.compensations)")
            return
        }
    }
}
