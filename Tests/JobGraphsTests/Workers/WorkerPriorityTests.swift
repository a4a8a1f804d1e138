// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

@Suite(.timeLimit(.minutes(5)))
struct WorkerPriorityTests {
    private let gate = Gate()

    @Test
    func `local jobs that wait begin by their priority`() async throws {
        let runtime = JobRuntime(workerCount: 1)
        let (gate, order) = (gate, Recorder<JobPriority>())
        let first = Task { try await runtime.run(LocalJob("first") { try await gate.wait() }) }
        try await gate.waitForWaiters(count: 1)
        let others = JobPriority.allCases.map { priority in
            Task { try await runtime.run(LocalJob("other") { order.record(priority) }.priority(priority)) }
        }
        try await runtime.workers.wait { $0.waiting == 3 }
        gate.open()
        try await first.value
        for task in others {
            try await task.value
        }
        #expect(order.elements == [.high, .normal, .low])
    }

    @Test(arguments: JobPriority.allCases)
    func `a priority is stored as its name`(priority: JobPriority) {
        #expect(JobPriority(rawValue: priority.rawValue) == priority)
        #expect(JobPriority.allCases.sorted() == [.low, .normal, .high])
    }
}
