// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct GateTests {
    @Test
    func `an open gate lets every task through`() async throws {
        let gate = Gate(isOpen: true)
        try await gate.wait()
        #expect(gate.isOpen)
        #expect(gate.waiterCount == 0)
    }

    @Test
    func `opening lets go of those who wait and those who come later`() async throws {
        let gate = Gate()
        let passed = Recorder<Int>()
        async let first: Void = {
            try await gate.wait()
            passed.record(1)
        }()
        async let second: Void = {
            try await gate.wait()
            passed.record(2)
        }()
        try await gate.waitForWaiters(count: 2)
        #expect(passed.elements.isEmpty)

        gate.open()

        _ = try await (first, second)
        try await gate.wait()
        #expect(Set(passed.elements) == [1, 2])
        #expect(gate.waiterCount == 0)
    }

    @Test
    func `passes let so many through and keep for those who come later`() async throws {
        let gate = Gate()
        gate.pass(2)
        try await gate.wait()
        try await gate.wait()
        let third = Task { try await gate.wait() }
        try await gate.waitForWaiters(count: 1)
        #expect(!gate.isOpen)
        gate.pass()
        try await third.value
        gate.pass(-1)
        gate.pass(0)
        let fourth = Task { try await gate.wait() }
        try await gate.waitForWaiters(count: 1)
        fourth.cancel()
        await #expect(throws: CancellationError.self) { try await fourth.value }
    }

    @Test
    func `tasks pass in the order of their arrival`() async throws {
        let gate = Gate()
        let passed = Recorder<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...5 {
                group.addTask {
                    try await gate.wait()
                    passed.record(number)
                }
                try await gate.waitForWaiters(count: number)
            }
            for number in 1...5 {
                gate.pass()
                #expect(try await passed.waitForCount(number).last == number)
            }
        }
    }

    @Test
    func `a task that is cancelled before it waits does not wait`() async {
        let gate = Gate()
        let task = Task {
            await untilCancelled()
            try await gate.wait()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(gate.waiterCount == 0)
    }

    @Test
    func `a task that is cancelled while it waits uses no pass`() async throws {
        let gate = Gate()
        let task = Task { try await gate.wait() }
        try await gate.waitForWaiters(count: 1)

        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(gate.waiterCount == 0)
        gate.pass()
        try await gate.wait()
    }

    @Test
    func `waiting for waiters can be cancelled`() async {
        let gate = Gate()
        let task = Task { try await gate.waitForWaiters(count: 1) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test
    func `every wait ends once, whether it is cancelled or passes, or both concurrently`() async throws {
        for _ in 0..<500 {
            let gate = Gate()
            let task = Task { try await gate.wait() }
            async let opened: Void = { gate.pass() }()
            async let cancelled: Void = { task.cancel() }()
            _ = await (opened, cancelled)
            if case .failure = await task.result {
                // The pass has not been used, so it is here for the next one.
                try await gate.wait()
            }
            #expect(gate.waiterCount == 0)
        }
    }
}
