// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

@Suite(.timeLimit(.minutes(1)))
struct LocalJobTests {
    private struct Failed: Error {}
    private let manager = StubbedClient().manager

    @Test
    func `a job alone runs, gives its result and holds a slot meanwhile`() async throws {
        let manager = manager
        let log = EventRecorder(manager)
        let running = try await manager.run(LocalJob("alone") { manager.workers.runningCount })
        #expect(running == 1)
        #expect(manager.workers.runningCount == 0)
        #expect(log.lines == ["localJobStarted alone", "localJobSucceeded alone"])
        #expect(log.events.allSatisfy { $0.groupID == nil && $0.callID == nil })
    }

    @Test
    func `a job that throws ends with its own error`() async {
        let log = EventRecorder(manager)
        await #expect(throws: Failed.self) { try await manager.run(LocalJob("bad") { throw Failed() }) }
        #expect(log.lines == ["localJobStarted bad", "localJobFailed bad Failed()"])
    }

    @Test
    func `a job that is cancelled ends with a CancellationError`() async throws {
        let gate = Gate()
        let manager = manager
        let log = EventRecorder(manager)
        let task = Task { try await manager.run(LocalJob("slow") { try await gate.wait() }) }
        try await gate.waitForWaiters(count: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.lines == ["localJobStarted slow", "localJobCancelled slow"])
    }

    @Test
    func `a job that is cancelled before it has a slot never began: no event tells of it`() async throws {
        let gate = Gate()
        let manager = manager
        let log = EventRecorder(manager)
        manager.workers.size = 1
        let first = Task { try await manager.run(LocalJob("first") { try await gate.wait() }) }
        try await gate.waitForWaiters(count: 1)
        let second = Task { try await manager.run(LocalJob("second") {}) }
        while manager.workers.waitingCount == 0 {
            await Task.yield()
        }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.open()
        try await first.value
        #expect(log.lines == ["localJobStarted first", "localJobSucceeded first"])
    }

    @Test
    func `a job waits for a slot like a call`() async throws {
        let gate = Gate()
        let manager = manager
        manager.workers.size = 1
        let first = Task { try await manager.run(LocalJob("first") { try await gate.wait() }) }
        try await gate.waitForWaiters(count: 1)
        let second = Task { try await manager.run(LocalJob("second") { 2 }) }
        while manager.workers.waitingCount == 0 {
            await Task.yield()
        }
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
        #expect(try await manager.run(Double(number: 2)) == 4)
        #expect(await manager.concurrently([Double(number: 1), Double(number: 2)]).values == [2, 4])
        let report = await manager.serially([Double(number: 1), Double(number: 2)])
        #expect(report.values == [2, 6])
    }
}
