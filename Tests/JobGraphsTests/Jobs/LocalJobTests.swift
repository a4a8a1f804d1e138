// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

@Suite(.timeLimit(.minutes(5)))
struct LocalJobTests {
    private struct Failed: Error {}
    private let log = JobEventLog()
    private let runtime: JobRuntime

    init() {
        runtime = JobRuntime(observer: log)
    }

    @Test
    func `a job alone runs, gives its result and holds a slot meanwhile`() async throws {
        let runtime = runtime
        let running = try await runtime.run(LocalJob("alone") { runtime.workers.runningCount })
        #expect(running == 1)
        #expect(runtime.workers.runningCount == 0)
        #expect(log.lines == ["localJobStarted alone", "localJobSucceeded alone"])
        #expect(log.events.allSatisfy { $0.groupID == nil })
    }

    @Test
    func `a job that throws ends with its own error`() async {
        await #expect(throws: Failed.self) { try await runtime.run(LocalJob("bad") { throw Failed() }) }
        #expect(log.lines == ["localJobStarted bad", "localJobFailed bad Failed()"])
    }

    @Test
    func `a job that is cancelled ends with a CancellationError`() async throws {
        let gate = Gate()
        let runtime = runtime
        let task = Task { try await runtime.run(LocalJob("slow") { try await gate.wait() }) }
        try await gate.waitForWaiters(count: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.lines == ["localJobStarted slow", "localJobCancelled slow"])
    }

    @Test
    func `a job that is cancelled before it has a slot never began: no event tells of it`() async throws {
        let gate = Gate()
        let runtime = runtime
        runtime.workers.size = 1
        let first = Task { try await runtime.run(LocalJob("first") { try await gate.wait() }) }
        try await gate.waitForWaiters(count: 1)
        let second = Task { try await runtime.run(LocalJob("second") {}) }
        try await runtime.workers.wait { $0.waiting == 1 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.open()
        try await first.value
        #expect(log.lines == ["localJobStarted first", "localJobSucceeded first"])
    }

    @Test
    func `a job waits for a slot like a call`() async throws {
        let gate = Gate()
        let runtime = runtime
        runtime.workers.size = 1
        let first = Task { try await runtime.run(LocalJob("first") { try await gate.wait() }) }
        try await gate.waitForWaiters(count: 1)
        let second = Task { try await runtime.run(LocalJob("second") { 2 }) }
        try await runtime.workers.wait { $0.waiting == 1 }
        gate.open()
        try await first.value
        #expect(try await second.value == 2)
    }

    @Test
    func `a job of one's own runs alone and in groups`() async throws {
        struct Double: Job {
            let number: Int
            func run(in context: JobContext) async throws -> Int {
                number * 2 + ((try? context.previous.value(as: Int.self)) ?? 0)
            }
        }
        #expect(try await runtime.run(Double(number: 2)) == 4)
        #expect(await runtime.concurrently([Double(number: 1), Double(number: 2)]).values == [2, 4])
        let report = await runtime.serially([Double(number: 1), Double(number: 2)])
        #expect(report.values == [2, 6])
    }
}
