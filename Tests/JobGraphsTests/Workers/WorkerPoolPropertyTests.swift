// SPDX-License-Identifier: MIT

import SeededRandom
import Testing

@testable import JobGraphs

@Suite
struct WorkerPoolPropertyTests {
    private static let servers: [String?] = [nil, "a", "b", "c"]

    /// A step done to the machine and to the model alike.
    private struct Walk {
        let machine = MachineDriver(size: 3)
        let model = WorkerPoolModel(size: 3)
        var random: SeededGenerator
        var last = 0

        mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

        mutating func come() {
            last += 1
            var person = WorkerPoolModel.Person(number: last)
            person.priority = JobPriority.allCases[number(below: 3)]
            person.server = WorkerPoolPropertyTests.servers[number(below: 4)]
            if number(below: 3) == 0, !model.working.isEmpty {
                person.lender = model.working[number(below: model.working.count)].number
                person.terms = [.waits, .waits, .exceeds, .covered][number(below: 4)]
            }
            let isGranted = machine.acquire(
                last,
                person.priority,
                server: person.server,
                terms: person.terms,
                loan: person.lender
            )
            #expect(isGranted == model.acquire(person))
        }

        mutating func tryToCome() {
            last += 1
            let person = WorkerPoolModel.Person(number: last, server: WorkerPoolPropertyTests.servers[number(below: 4)])
            let isFree = model.hasFreeSlot && model.hasRoom(person)
            #expect(machine.acquireIfFree(last, server: person.server) == isFree)
            if isFree {
                #expect(model.acquire(person))
            }
        }

        mutating func finish() {
            let person = model.working[number(below: model.working.count)]
            let heir = number(below: 2) == 0 ? model.working[number(below: model.working.count)].number : nil
            #expect(machine.release(person.number, heir: heir) == model.release(person.number, heir: heir))
        }

        mutating func giveUp() {
            let number = model.waiting[number(below: model.waiting.count)].number
            #expect(machine.isWaiting(number))
            #expect(machine.cancel(number))
            #expect(!machine.cancel(number))
            #expect(!machine.isWaiting(number))
            model.cancel(number)
        }

        mutating func change() {
            if number(below: 2) == 0 {
                model.size = number(below: 7)
                #expect(machine.resize(to: model.size) == model.wake())
            } else if let server = WorkerPoolPropertyTests.servers[number(below: 4)] {
                let limit = number(below: 4)
                #expect(machine.setLimit(limit, of: server) == model.setLimit(limit, of: server))
            }
        }

        func compare() {
            #expect(machine.running == model.running)
            #expect(machine.nestedWorkers == model.working.count - model.running)
            #expect(machine.waitingCount == model.waiting.count)
            #expect(machine.limits == model.limits.filter { $0.value > 0 })
            for case let server? in WorkerPoolPropertyTests.servers {
                #expect(machine.workers(for: server) == model.working.count { model.place(of: $0) == server })
            }
            let order = JobPriority.allCases.reversed()
                .flatMap { priority in
                    model.waiting.filter { $0.priority == priority }.map(\.number)
                }
            #expect(machine.waiting == order)
        }
    }

    @Test(arguments: 0..<30)
    func `any sequence of operations follows the plain rules`(seed: UInt64) {
        var walk = Walk(random: SeededGenerator(seed: seed))
        for step in 0..<1_500 where !Task.isCancelled {
            switch walk.number(below: 100) {
            case 0..<46: walk.come()
            case 46..<50: walk.tryToCome()
            case 50..<82 where !walk.model.working.isEmpty: walk.finish()
            case 82..<92 where !walk.model.waiting.isEmpty: walk.giveUp()
            default: walk.change()
            }
            if step.isMultiple(of: 10) {
                walk.compare()
            }
        }
        walk.compare()
    }

    /// A waiter is given one of the next 9 × (n + 1) slots, n being how many waited when it came.
    @Test(arguments: 0..<20)
    func `no waiter waits longer than the promised number of grants`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let machine = MachineDriver(size: 2)
        var working: [Int] = []
        var grants = 0
        var promised: [Int: Int] = [:]
        for number in 0..<4_000 {
            // The higher the more often; the lower live from what is left.
            let priority: JobPriority = [.low, .normal, .high, .high, .high, .high][
                Int.random(in: 0..<6, using: &random)
            ]
            let others = machine.waitingCount
            if machine.acquire(number, priority) {
                working.append(number)
            } else {
                promised[number] = grants + 9 * (others + 1)
            }
            // As many finish as come, once some wait: the queue neither empties nor grows.
            while machine.waitingCount > Int.random(in: 3..<20, using: &random) {
                let finished = working.remove(at: Int.random(in: 0..<working.count, using: &random))
                for granted in machine.release(finished) {
                    grants += 1
                    #expect(grants <= promised.removeValue(forKey: granted) ?? 0)
                    working.append(granted)
                }
            }
        }
        #expect(promised.values.allSatisfy { $0 > grants })
        #expect(grants > 3_000)
    }
}
