// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

@Suite(.timeLimit(.minutes(1)))
struct MutexKeysTests {
    private let keys = MutexKeys()

    @Test
    func `keys are given first come, first served, and forgotten when nobody wants them`() {
        var machine = MutexKeysStateMachine()
        #expect(machine.acquire("a") == .granted)
        #expect(machine.acquire("b") == .granted)
        #expect(machine.acquire("a") == .wait(1))
        #expect(machine.acquire("a") == .wait(2))
        #expect(machine.acquire("a") == .wait(3))
        #expect(machine.cancel(2, for: "a") == true)
        #expect(machine.cancel(2, for: "a") == false)
        #expect(machine.release("a") == 1)
        #expect(machine.release("a") == 3)
        #expect(machine.release("a") == nil)
        #expect(machine.release("b") == nil)
        #expect(machine.heldCount == 0)
        #expect(machine.acquire("a") == .granted)
    }

    @Test
    func `work with a key in common takes turns, other work does not`() async throws {
        let (first, other) = (Gate(), Gate())
        let order = Recorder<String>()
        let keys = keys
        async let one: Void = keys.withKeys(["a", "b"]) {
            try await first.wait()
            order.record("one")
        }
        try await first.waitForWaiters(count: 1)
        async let two: Void = keys.withKeys(["b"]) { order.record("two") }
        async let three: Void = keys.withKeys(["c"]) { try await other.wait() }
        try await other.waitForWaiters(count: 1)
        #expect(order.elements.isEmpty)
        first.open()
        _ = try await (one, two)
        #expect(order.elements == ["one", "two"])
        other.open()
        try await three
        #expect(keys.heldCount == 0)
    }

    @Test
    func `work inside a holder may name the key again, and takes turns among itself`() async throws {
        let most = Recorder<Int>()
        let inside = Counter()
        let keys = keys
        try await keys.withKeys(["a"]) {
            await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        try await keys.withKeys(["a"]) {
                            most.record(inside.next() - most.count)
                            await Task.yield()
                        }
                    }
                }
            }
        }
        #expect(most.elements == [1, 1, 1, 1, 1])
        #expect(keys.heldCount == 0)
    }

    @Test
    func `the way may lead through another owner's keys and back`() async throws {
        let (keys, others) = (keys, MutexKeys())
        let value = try await keys.withKeys(["a"]) {
            try await others.withKeys(["a"]) { try await keys.withKeys(["a"]) { 1 } }
        }
        #expect(value == 1)
    }

    @Test
    func `whoever is cancelled while waiting leaves, and gives back what it holds`() async throws {
        let gate = Gate()
        let keys = keys
        async let holder: Void = keys.withKeys(["b"]) { try await gate.wait() }
        try await gate.waitForWaiters(count: 1)
        // Holds "a", and waits for "b".
        let waiter = Task { try await keys.withKeys(["a", "b"]) {} }
        while keys.heldCount < 2 {
            await Task.yield()
        }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(keys.heldCount == 1)
        gate.open()
        try await holder
        #expect(keys.heldCount == 0)
    }
}
