// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

@Suite(.timeLimit(.minutes(5)))
struct WorkerPoolTests {
    private let gate = Gate()
    private let order = Recorder<Int>()

    /// Starts a task that takes a slot, notes its number, and waits at the gate.
    private func start(
        _ number: Int,
        in pool: WorkerPool,
        priority: JobPriority = .normal
    ) -> Task<Void, any Error> {
        let (gate, order) = (gate, order)
        return Task {
            try await pool.withSlot(lendsSlot: false, priority: priority) {
                order.record(number)
                try await gate.wait()
            }
        }
    }

    /// Starts tasks so that they ask for slots in the order of their numbers.
    private func startInOrder(
        _ numbers: Range<Int>,
        in pool: WorkerPool,
        priorities: [JobPriority] = []
    ) async throws -> [Task<Void, any Error>] {
        var tasks: [Task<Void, any Error>] = []
        for number in numbers {
            let count = pool.runningCount + pool.waitingCount + 1
            let priority = priorities.indices.contains(number) ? priorities[number] : .normal
            tasks.append(start(number, in: pool, priority: priority))
            try await pool.wait { $0.running + $0.waiting == count }
        }
        return tasks
    }

    @Test
    func `a free slot is taken without a wait, and passed on when it is given back`() async throws {
        let pool = WorkerPool(size: 1)
        let slot = try #require(pool.takeFreeSlot(for: LocalWork.unnamed, priority: .normal))
        #expect(pool.takeFreeSlot(for: LocalWork.unnamed, priority: .high) == nil)
        #expect(pool.waitingCount == 0)
        let waiting = start(0, in: pool)
        try await pool.wait { $0.waiting == 1 }

        pool.release(slot)

        gate.pass()
        try await waiting.value
        #expect(pool.runningCount == 0)
    }

    @Test(arguments: [0, 2])
    func `a paused pool begins nothing, whatever its size, and goes on when it resumes`(size: Int) async throws {
        let runtime = JobRuntime(workerCount: size)
        let pool = runtime.workers
        let running = start(0, in: pool)
        try await order.waitForCount(1)
        pool.isPaused = true
        let tasks = try await startInOrder(1..<4, in: pool)
        pool.size = size == 0 ? 0 : 8
        pool.limits["key"] = 3
        gate.pass()
        try await running.value
        #expect(pool.runningCount == 0)
        #expect(pool.waitingCount == 3)
        let steps = Recorder<Int>()
        async let chain = runtime.serially(LocalJob("a") { steps.record(1) }, LocalJob("b") { steps.record(2) })
        try await pool.wait { $0.waiting == 4 }
        #expect(steps.elements.isEmpty)
        pool.isPaused = false
        gate.open()
        for task in tasks {
            try await task.value
        }
        _ = try await chain
        #expect(Set(order.elements) == [0, 1, 2, 3])
        #expect(steps.elements == [1, 2])
    }

    @Test
    func `work that runs while the pool is paused may use its slot for what it starts`() async throws {
        let runtime = JobRuntime(workerCount: 1)
        let result = try await runtime.run(
            LocalJob("outer") {
                runtime.workers.isPaused = true
                return try await runtime.run(LocalJob("inner") { 3 }) + 1
            }
        )
        #expect(result == 4)
        #expect(runtime.workers.runningCount == 0)
    }

    @Test
    func `no more than its size work at once, the others in the order of their arrival`() async throws {
        let pool = WorkerPool(size: 2)
        let tasks = try await startInOrder(0..<6, in: pool)
        try await gate.waitForWaiters(count: 2)
        #expect(pool.runningCount == 2)
        #expect(pool.waitingCount == 4)
        for count in 3...6 {
            gate.pass()
            try await order.waitForCount(count)
            #expect(pool.runningCount == 2)
        }
        gate.open()
        for task in tasks {
            try await task.value
        }
        #expect(order.elements.dropFirst(2) == [2, 3, 4, 5])
        #expect(pool.runningCount == 0)
    }

    @Test
    func `those who wait begin by their priority`() async throws {
        let pool = WorkerPool(size: 1)
        let priorities: [JobPriority] = [.normal, .low, .normal, .high, .low, .high]
        let tasks = try await startInOrder(0..<6, in: pool, priorities: priorities)
        gate.open()
        for task in tasks {
            try await task.value
        }
        #expect(order.elements == [0, 3, 5, 2, 1, 4])
    }

    @Test
    func `raising the size lets waiters begin at once`() async throws {
        let pool = WorkerPool(size: 1)
        let tasks = try await startInOrder(0..<4, in: pool)
        pool.size = 3
        try await gate.waitForWaiters(count: 3)
        #expect(pool.waitingCount == 1)
        pool.size = 0
        try await gate.waitForWaiters(count: 4)
        gate.open()
        for task in tasks {
            try await task.value
        }
    }

    @Test
    func `lowering the size lets running work finish`() async throws {
        let pool = WorkerPool(size: 3)
        let tasks = try await startInOrder(0..<5, in: pool)
        try await gate.waitForWaiters(count: 3)
        pool.size = 1
        #expect(pool.runningCount == 3)
        gate.pass(2)
        try await pool.wait { $0.running == 1 }
        #expect(order.count == 3)
        #expect(pool.waitingCount == 2)
        gate.open()
        for task in tasks {
            try await task.value
        }
        #expect(order.count == 5)
    }

    @Test
    func `a cancelled waiter leaves the queue, and the one after it is next`() async throws {
        let pool = WorkerPool(size: 1)
        let tasks = try await startInOrder(0..<3, in: pool)
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        #expect(pool.waitingCount == 1)
        gate.open()
        try await tasks[0].value
        try await tasks[2].value
        #expect(order.elements == [0, 2])
        #expect(pool.runningCount == 0)
    }

    @Test
    func `only work that has to wait is notified, and before it waits`() async throws {
        let pool = WorkerPool(size: 1)
        let (gate, order) = (gate, order)
        func take(_ number: Int) -> Task<Void, any Error> {
            Task {
                try await pool.withSlot(lendsSlot: false, onWait: { order.record(-number) }) {
                    order.record(number)
                    try await gate.wait()
                }
            }
        }
        let first = take(1)
        try await gate.waitForWaiters(count: 1)
        let second = take(2)
        try await order.waitForCount(2)
        #expect(pool.waitingCount == 1)
        gate.open()
        try await first.value
        try await second.value
        #expect(order.elements == [1, -2, 2])
    }

    @Test
    func `a task that is cancelled before it asks takes no slot`() async throws {
        let pool = WorkerPool(size: 1)
        let start = Gate()
        let order = order
        let task = Task {
            try? await start.wait()
            try await pool.withSlot(lendsSlot: false) { order.record(1) }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(order.count == 0)
        #expect(pool.runningCount == 0)
    }

    @Test
    func `however grants and cancellations cross, no slot is lost`() async throws {
        let pool = WorkerPool(size: 2)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<400 {
                group.addTask {
                    let task = Task {
                        let priority = JobPriority.allCases[number % 3]
                        try await pool.withSlot(lendsSlot: false, priority: priority) { await suspendOnce() }
                    }
                    if number.isMultiple(of: 3) {
                        await suspendOnce()
                        task.cancel()
                    }
                    _ = await task.result
                }
            }
        }
        #expect(pool.runningCount == 0)
        #expect(pool.waitingCount == 0)
        let tasks = try await startInOrder(0..<2, in: pool)
        try await gate.waitForWaiters(count: 2)
        gate.open()
        for task in tasks {
            try await task.value
        }
    }

    @Test
    func `an operation that throws gives its slot back`() async {
        struct Failed: Error {}
        let pool = WorkerPool(size: 1)
        await #expect(throws: Failed.self) {
            try await pool.withSlot(lendsSlot: true) { throw Failed() }
        }
        #expect(pool.runningCount == 0)
    }
}
