// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite
struct WorkerPoolStateMachineTests {
    /// The same rules in the plainest form there is.
    private struct Model {
        var size: Int
        var running = 0
        var queue: [UInt64] = []

        mutating func wake() -> [UInt64] {
            var woken: [UInt64] = []
            while !queue.isEmpty, size == 0 || running < size {
                woken.append(queue.removeFirst())
                running += 1
            }
            return woken
        }
    }

    @Test(arguments: 0..<20)
    func `any run of operations does what the plain rules say`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let machine = Machine(size: 3)
        var model = Model(size: 3)
        for _ in 0..<3_000 {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<50:
                let isFree = model.queue.isEmpty && (model.size == 0 || model.running < model.size)
                switch machine.acquire() {
                case .granted:
                    #expect(isFree)
                    model.running += 1
                case .wait(let id):
                    #expect(!isFree)
                    model.queue.append(id)
                }
            case 50..<70 where model.running > 0:
                model.running -= 1
                #expect(machine.release() == model.wake())
            case 70..<92 where !model.queue.isEmpty:
                let index = Int.random(in: 0..<model.queue.count, using: &random)
                let id = model.queue.remove(at: index)
                #expect(machine.isWaiting(id))
                #expect(machine.cancel(id))
                #expect(!machine.cancel(id))
            case 92..<96:
                model.size = Int.random(in: 0...6, using: &random)
                #expect(machine.resize(to: model.size) == model.wake())
            default:
                let isFree = model.queue.isEmpty && (model.size == 0 || model.running < model.size)
                #expect(machine.acquireIfFree() == isFree)
                model.running += isFree ? 1 : 0
            }
            #expect(machine.running == model.running)
            #expect(machine.waitingCount == model.queue.count)
            #expect(machine.size == model.size)
        }
    }

    @Test
    func `waiters are served in the order of their arrival`() {
        let machine = Machine(size: 1)
        #expect(machine.acquire() == .granted)
        #expect(machine.acquire() == .wait(1))
        #expect(machine.acquire() == .wait(2))
        #expect(machine.acquire() == .wait(3))
        #expect(machine.release() == [1])
        #expect(machine.release() == [2])
        #expect(machine.release() == [3])
        #expect(machine.release() == [])
        #expect(machine.acquire() == .granted)
    }

    @Test
    func `raising the size wakes as many as there is room for, at once and in order`() {
        let machine = Machine(size: 1)
        _ = machine.acquire()
        for _ in 0..<4 {
            _ = machine.acquire()
        }
        #expect(machine.resize(to: 3) == [1, 2])
        #expect(machine.resize(to: 0) == [3, 4])
        #expect(machine.running == 5)
    }

    @Test
    func `lowering the size lets running work finish and starts nothing`() {
        let machine = Machine(size: 3)
        for _ in 0..<4 {
            _ = machine.acquire()
        }
        #expect(machine.resize(to: 1) == [])
        #expect(machine.release() == [])
        #expect(machine.release() == [])
        #expect(machine.release() == [1])
        #expect(machine.running == 1)
    }

    @Test
    func `nobody overtakes a waiter, not even when a slot is free`() {
        let machine = Machine(size: 1)
        _ = machine.acquire()
        #expect(machine.acquire() == .wait(1))
        #expect(machine.release() == [1])
        #expect(machine.acquire() == .wait(2))
        #expect(!machine.acquireIfFree())
    }

    @Test
    func `a waiter that leaves makes way for those behind it`() {
        let machine = Machine(size: 1)
        _ = machine.acquire()
        _ = machine.acquire()
        _ = machine.acquire()
        #expect(machine.cancel(1))
        #expect(machine.release() == [2])
        #expect(!machine.cancel(2))
    }

    @Test
    func `thousands of waiters that leave take no room`() {
        let machine = Machine(size: 1)
        _ = machine.acquire()
        for _ in 0..<10_000 {
            guard case .wait(let id) = machine.acquire() else {
                Issue.record("a slot was given twice")
                return
            }
            #expect(machine.cancel(id))
        }
        #expect(machine.waitingCount == 0)
        #expect(machine.release() == [])
        #expect(machine.acquire() == .granted)
    }

    @Test(arguments: [0, -1, Int.min])
    func `a size of zero or less is any number`(size: Int) {
        let machine = Machine(size: size)
        for _ in 0..<100 {
            #expect(machine.acquire() == .granted)
        }
        #expect(machine.size == 0)
    }
}

/// The machine as a reference, so that expectations may change it.
private final class Machine {
    private var machine: WorkerPoolStateMachine

    init(size: Int) {
        machine = WorkerPoolStateMachine(size: size)
    }

    var size: Int { machine.size }
    var running: Int { machine.running }
    var waitingCount: Int { machine.waitingCount }

    func acquire() -> WorkerPoolStateMachine.Acquisition { machine.acquire() }
    func acquireIfFree() -> Bool { machine.acquireIfFree() }
    func release() -> [WorkerPoolStateMachine.WaiterID] { machine.release() }
    func cancel(_ id: WorkerPoolStateMachine.WaiterID) -> Bool { machine.cancel(id) }
    func resize(to size: Int) -> [WorkerPoolStateMachine.WaiterID] { machine.resize(to: size) }
    func isWaiting(_ id: WorkerPoolStateMachine.WaiterID) -> Bool { machine.isWaiting(id) }
}
