// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

/// The waits of local work in the report of a run.
@Suite(.timeLimit(.minutes(5)))
struct GraphRunReportTests {
    @Test
    func `local work says how long it waited for its key, its slot and between attempts`() async throws {
        let clock = ManualClock()
        let runtime = JobRuntime(workerCount: 1, clock: clock)
        let (gate, tries) = (Gate(), Counter())
        var retry = RetryPolicy(attempts: 2)
        retry.backoff.first = .seconds(1)
        retry.backoff.jitter = 0
        retry.isRetryable = { _ in true }
        var graph = JobGraph("g")
        graph.local("holder", options: [.mutex("key")]) { try await gate.wait() }
        graph.local("behind", options: [.mutex("key"), .retry(retry)]) {
            if tries.next() == 1 {
                throw JobGraphError(.timeout, "too late")
            }
        }
        graph.local("beside") { () async in }
        let execution = try runtime.start(graph)
        try await gate.waitForWaiters(count: 1)
        try await runtime.workers.wait { $0.waiting == 1 }
        await runtime.mutexKeys.waitForWaiters(1)
        clock.advance(by: .seconds(3))
        gate.open()
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))

        let report = await execution.finished().report

        func span(_ phase: RunReport.Phase, _ attempt: Int, _ start: Int, _ end: Int) -> RunReport.Span {
            RunReport.Span(phase, attempt: attempt, start: .seconds(start), end: .seconds(end))
        }
        #expect(report.nodes[0].spans.isEmpty)
        #expect(report.nodes[1].spans == [span(.queued, 1, 0, 3), span(.backoff, 1, 3, 4)])
        #expect(report.nodes[2].spans == [span(.queued, 1, 0, 3)])
    }

    @Test
    func `the end of a part of a job is not taken for the end of its work`() async throws {
        let clock = ManualClock()
        let runtime = JobRuntime(workerCount: 1, clock: clock)
        var graph = JobGraph("g")
        graph.job("import") { JobOfParts(clock: clock) }

        let node = try await runtime.run(graph).report.nodes[0]

        #expect(node.ended == .seconds(7))
        #expect(node.spans.allSatisfy { $0.end == .seconds(7) })
    }
}

/// Works for three seconds in a worker slot, and for four outside of it.
private struct JobOfParts: Job {
    let clock: ManualClock

    func run(in context: JobContext) async throws {
        try await LocalJob("part") { [clock] in clock.advance(by: .seconds(3)) }.run(in: context)
        clock.advance(by: .seconds(4))
    }
}
