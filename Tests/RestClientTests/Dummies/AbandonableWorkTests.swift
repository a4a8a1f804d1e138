// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct AbandonableWorkTests {
    private struct Odd: Error, Equatable {}

    @Test
    func `the result or the error of the work is passed on`() async throws {
        #expect(try await AbandonableWork.run { 42 } == 42)
        await #expect(throws: Odd()) { try await AbandonableWork<Int>.run { throw Odd() } }
    }

    @Test
    func `work that is cancelled before it begins sees that, and is not waited for`() async {
        let seen = Recorder<Bool>()
        let gate = Gate()
        let task = Task {
            try? await gate.wait()
            return try await AbandonableWork.run {
                seen.record(Task.isCancelled)
                try await Gate().wait()
            }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test
    func `work is cancelled and abandoned when its caller is cancelled`() async throws {
        let entered = Gate()
        let ended = Gate()
        let stuck = Gate()
        let task = Task {
            try await AbandonableWork.run {
                entered.open()
                await Task { try? await stuck.wait() }.value
                ended.open()
                #expect(Task.isCancelled)
            }
        }
        try await entered.wait()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!ended.isOpen)
        stuck.open()
        try await ended.wait()
    }

    @Test
    func `work inherits task-local values`() async throws {
        enum Local {
            @TaskLocal static var value = 0
        }
        let value = try await Local.$value.withValue(7) { try await AbandonableWork.run { Local.value } }
        #expect(value == 7)
    }

    @Test
    func `a result that comes as the task is cancelled is given or dropped, and nothing hangs`() async {
        for _ in 0..<500 {
            let task = Task { try await AbandonableWork.run { 1 } }
            task.cancel()
            let result = await task.result
            #expect((try? result.get()) == 1 || (try? result.get()) == nil)
        }
    }
}
