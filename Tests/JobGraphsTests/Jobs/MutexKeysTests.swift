// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Testing

@testable import JobGraphs

@Suite(.timeLimit(.minutes(5)))
struct MutexKeysTests {
    private let keys = MutexKeys()

    @Test
    func `keys are granted first come, first served, and removed when unused`() {
        var machine = MutexKeysStateMachine()
        #expect(machine.request("a") == .holds(1))
        #expect(machine.request("b") == .holds(2))
        #expect(machine.request("a") == .waits(3))
        #expect(machine.request("a") == .waits(4))
        #expect(machine.request("a") == .waits(5))
        #expect(machine.waiterCount == 3)
        #expect(machine.cancel(4) == [])
        #expect(machine.cancel(4) == nil)
        #expect(machine.release(1) == [3])
        #expect(machine.cancel(3) == nil)
        #expect(machine.release(3) == [5])
        #expect(machine.release(5) == [])
        #expect(machine.release(2) == [])
        #expect(machine.heldCount == 0)
        #expect(machine.waiterCount == 0)
        #expect(machine.request("a") == .holds(6))
    }

    @Test
    func `several keys are taken in the order of their names, and given back at once`() {
        var machine = MutexKeysStateMachine()
        #expect(machine.request("b") == .holds(1))
        // Holds "a", and waits for "b".
        #expect(machine.request("c", "b", "a") == .waits(2))
        #expect(machine.heldCount == 2)
        #expect(machine.request("a") == .waits(3))
        #expect(machine.request("c") == .holds(4))
        #expect(machine.release(1) == [])
        #expect(machine.release(4) == [2])
        #expect(machine.heldCount == 3)
        #expect(machine.request("c") == .waits(5))
        #expect(machine.release(2) == [3, 5])
        #expect(machine.heldCount == 2)
    }

    @Test
    func `a key within a request is not that of the outermost level`() {
        var machine = MutexKeysStateMachine()
        #expect(machine.request("a") == .holds(1))
        for scope: UInt64 in 1...2 {
            let (_, isGranted) = machine.request([MutexKeysStateMachine.Key(name: "a", scope: scope)])
            #expect(isGranted)
        }
        let (_, isGranted) = machine.request([MutexKeysStateMachine.Key(name: "a", scope: 1)])
        #expect(!isGranted)
        #expect(machine.heldCount == 3)
    }

    @Test
    func `a request that is cancelled gives back what it held`() {
        var machine = MutexKeysStateMachine()
        #expect(machine.request("b") == .holds(1))
        #expect(machine.request("a", "b") == .waits(2))
        #expect(machine.request("a") == .waits(3))
        #expect(machine.cancel(2) == [3])
        #expect(machine.release(1) == [])
        #expect(machine.release(3) == [])
        #expect(machine.heldCount == 0)
    }

    @Test
    func `keys that are requested and not used become free again`() async throws {
        let (first, second) = (keys.request(["a", "b"], at: .zero), keys.request(["b"], at: .zero))
        #expect(first.isGranted)
        #expect(!second.isGranted)
        first.release()
        #expect(keys.heldCount == 1)
        try await keys.withKeys(second) {
            #expect(keys.heldCount == 1)
        }
        #expect(keys.heldCount == 0)
        second.release()
        _ = keys.request(["c"], at: .zero)
        #expect(keys.heldCount == 0)
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
                            let turn = inside.next()
                            most.record(turn - most.count)
                            await keys.waitForWaiters(5 - turn)
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
    func `a cancelled waiter leaves, and releases its keys`() async throws {
        let gate = Gate()
        let keys = keys
        async let holder: Void = keys.withKeys(["b"]) { try await gate.wait() }
        try await gate.waitForWaiters(count: 1)
        // Holds "a", and waits for "b".
        let waiter = Task { try await keys.withKeys(["a", "b"]) {} }
        await keys.waitForWaiters(1)
        #expect(keys.heldCount == 2)
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        #expect(keys.heldCount == 1)
        gate.open()
        try await holder
        #expect(keys.heldCount == 0)
    }
}

/// The outcome of a request for keys.
private enum Turn: Equatable {
    case holds(UInt64)
    case waits(UInt64)
}

extension MutexKeysStateMachine {
    fileprivate mutating func request(_ names: String...) -> Turn {
        let (id, isGranted) = request(names.map { Key(name: $0) })
        return isGranted ? .holds(id) : .waits(id)
    }
}

extension MutexKeys {
    fileprivate func withKeys<Value: Sendable>(
        _ names: Set<String>,
        _ operation: () async throws -> Value
    ) async throws -> Value {
        try await withKeys(request(names, at: .zero), operation)
    }
}
