// SPDX-License-Identifier: MIT

import SeededRandom
import Testing

@testable import JobGraphs

@Suite
struct WorkerPoolStateMachineTests {
    /// A machine of that size whose slots are taken by negative numbers, with some that wait.
    private func machine(size: Int, waiting: [(Int, JobPriority)] = []) -> MachineDriver {
        let machine = MachineDriver(size: size)
        for number in 0..<size {
            #expect(machine.acquire(-1 - number))
        }
        for (number, priority) in waiting {
            #expect(!machine.acquire(number, priority))
        }
        return machine
    }

    // MARK: - Order

    @Test
    func `waiters are served in the order of their arrival`() {
        let machine = machine(size: 1, waiting: [(1, .normal), (2, .normal), (3, .normal)])
        #expect(machine.release(-1) == [1])
        #expect(machine.release(1) == [2])
        #expect(machine.release(2) == [3])
        #expect(machine.release(3) == [])
        #expect(machine.acquire(4))
    }

    @Test
    func `a higher priority goes first, and within it the one that came first`() {
        let arrivals: [(Int, JobPriority)] = [(1, .low), (2, .normal), (3, .high), (4, .normal), (5, .high), (6, .low)]
        let machine = machine(size: 1, waiting: arrivals)
        #expect(machine.waiting == [3, 5, 2, 4, 1, 6])
        var served: [Int] = []
        var last = -1
        while let next = machine.release(last).first {
            served.append(next)
            last = next
        }
        #expect(served == [3, 5, 2, 4, 1, 6])
    }

    @Test
    func `after eight were preferred to it, a lower priority has its turn`() {
        let machine = machine(size: 1, waiting: [(0, .low)])
        var last = -1
        var served: [Int] = []
        for number in 1...20 {
            #expect(!machine.acquire(number, .high))
            last = machine.release(last).first ?? last
            served.append(last)
        }
        #expect(served == [1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    }

    @Test
    func `a long line of a lower priority gets one slot in nine while higher ones keep coming`() {
        let machine = machine(size: 1, waiting: (0..<100).map { ($0, .low) })
        let served = serve(machine, 100..<1_000)
        #expect(served.filter { $0 < 100 } == Array(0..<100))
        #expect(served.indices.filter { served[$0] < 100 } == (1...100).map { $0 * 9 - 1 })
    }

    /// For each number, one of a high priority comes and a slot is released; returns who got it.
    private func serve(_ machine: MachineDriver, _ numbers: Range<Int>, first: Int = -1) -> [Int] {
        var last = first
        return numbers.map { number in
            #expect(!machine.acquire(number, .high))
            last = machine.release(last).first ?? last
            return last
        }
    }

    @Test
    func `who becomes the head of a line because others left was preferred to by nobody yet`() {
        let machine = machine(size: 1, waiting: [(0, .low), (1, .low)])
        let served = serve(machine, 10..<15)
        #expect(served == Array(10..<15))
        #expect(machine.cancel(0))
        #expect(serve(machine, 15..<24, first: 14) == Array(15..<23) + [1])
    }

    @Test
    func `who becomes the head of a line because others got a limit was preferred to by nobody yet`() {
        let machine = machine(size: 1)
        #expect(!machine.acquire(0, .low, server: "a"))
        #expect(!machine.acquire(1, .low))
        #expect(serve(machine, 10..<15) == Array(10..<15))
        #expect(machine.setLimit(1, of: "a") == [])
        #expect(machine.cancel(0))
        #expect(serve(machine, 15..<24, first: 14) == Array(15..<23) + [1])
    }

    @Test
    func `who was preferred to often enough has the highest rank, and no more`() {
        let machine = MachineDriver(size: 2)
        #expect(machine.setLimit(1, of: "a") == [])
        #expect(machine.acquire(-1))
        #expect(machine.acquire(-2, server: "a"))
        #expect(!machine.acquire(0, .high, server: "a"))
        #expect(!machine.acquire(1, .low))
        #expect(serve(machine, 10..<18) == Array(10..<18))
        // Both have the highest rank now, and the limit holds the older one back no longer.
        #expect(machine.release(-2) == [0])
        #expect(machine.release(0) == [1])
    }

    @Test
    func `nothing is kept of a lender whose borrowers have gone`() throws {
        var pool = WorkerPoolStateMachine(size: 1)
        let granted = pool.acquireIfFree(.of(0))
        let lender = try #require(granted)
        var (lines, lanes) = (WaitingLines(), LimitLanes())

        let leaving = lines.enter(.of(1), lane: LimitLanes.shared, lender: lender)
        #expect(lines.lenders == [lender])
        #expect(lines.leave(leaving) == true)
        #expect(lines.lenders.isEmpty)

        _ = lines.enter(.of(2), lane: LimitLanes.shared, lender: lender)
        #expect(lines.next(lanes, of: [lender]) != nil)
        #expect(lines.lenders.isEmpty)

        let moving = lines.enter(.of(3, .normal, "a"), lane: LimitLanes.shared, lender: lender)
        let lane = lanes.setLimit(1, of: "a")
        lines.move("a", to: try #require(lane))
        #expect(lines.lenders == [lender])
        #expect(lines.leave(moving) == true)
        #expect(lines.lenders.isEmpty)
    }

    @Test
    func `a limit of zero for a server that has none changes nothing`() {
        let machine = machine(size: 1)
        #expect(machine.setLimit(0, of: "a") == [])
        #expect(machine.setLimit(-1, of: "a") == [])
        #expect(machine.limit(of: "a") == 0)
        #expect(machine.limits.isEmpty)
        // Both wait in one line, where eight are preferred to one after the other.
        #expect(!machine.acquire(0, .low))
        #expect(!machine.acquire(1, .low, server: "a"))
        #expect(serve(machine, 10..<28) == Array(10..<18) + [0] + Array(18..<26) + [1])
    }

    @Test
    func `a newcomer never overtakes a waiter, not even when a slot was just released`() {
        let machine = machine(size: 1, waiting: [(1, .normal)])
        #expect(machine.release(-1) == [1])
        #expect(!machine.acquire(2))
        #expect(!machine.acquireIfFree(3))
    }

    // MARK: - Size

    @Test
    func `raising the size wakes as many as there is room for, at once and in order`() {
        let machine = machine(size: 1, waiting: [(1, .normal), (2, .normal), (3, .normal), (4, .high)])
        #expect(machine.resize(to: 3) == [4, 1])
        #expect(machine.resize(to: 0) == [2, 3])
        #expect(machine.running == 5)
    }

    @Test
    func `lowering the size lets running work finish and starts nothing`() {
        let machine = machine(size: 3, waiting: [(1, .normal)])
        #expect(machine.resize(to: 1) == [])
        #expect(machine.release(-1) == [])
        #expect(machine.release(-2) == [])
        #expect(machine.release(-3) == [1])
        #expect(machine.running == 1)
    }

    @Test(arguments: [0, -1, Int.min])
    func `a size of zero or less is any number`(size: Int) {
        let machine = MachineDriver(size: size)
        for number in 0..<100 {
            #expect(machine.acquire(number))
        }
        #expect(machine.size == 0)
    }

    // MARK: - Leaving

    @Test
    func `a waiter that leaves makes way for later ones`() {
        let machine = machine(size: 1, waiting: [(1, .normal), (2, .normal), (3, .normal)])
        #expect(machine.cancel(2))
        #expect(machine.cancel(1))
        #expect(!machine.cancel(1))
        #expect(machine.release(-1) == [3])
        #expect(!machine.cancel(3))
    }

    @Test
    func `a hundred thousand waiters leave one by one, in no order`() {
        let machine = WaiterCrowd(count: 100_000)
        #expect(machine.leaveInRandomOrder())
    }

    @Test
    func `the places of many who left are cleared, and the others keep theirs`() {
        let machine = machine(size: 1, waiting: (0..<200).map { ($0, .normal) })
        for number in 10..<190 {
            #expect(machine.cancel(number))
        }
        #expect(machine.waitingCount == 20)
        var served: [Int] = []
        var last = -1
        while let next = machine.release(last).first {
            served.append(next)
            last = next
        }
        #expect(served == Array(0..<10) + Array(190..<200))
    }

    @Test
    func `the heir of a slot is looked for only if somebody waits`() throws {
        for waits in [false, true] {
            var machine = WorkerPoolStateMachine(size: 1)
            let granted = machine.acquireIfFree(.of(1))
            let slot = try #require(granted)
            if waits {
                _ = machine.acquire(.of(2))
            }
            var asked = 0
            func heir() -> WorkerPool.Slot? {
                asked += 1
                return nil
            }
            let grants = machine.release(slot, heir: heir())
            #expect(grants.count == (waits ? 1 : 0))
            #expect(asked == (waits ? 1 : 0))
        }
    }

    // MARK: - Passing on

    @Test(arguments: [0, 1, 2])
    func `a slot for which nobody waits is passed on as it is`(size: Int) {
        let machine = MachineDriver(size: size)
        for number in 0..<max(1, size) {
            #expect(machine.acquire(number))
        }
        let slot = machine.slot(of: 0)
        #expect(machine.exchange(0, for: 7) == [])
        #expect(machine.slot(of: 7) == slot)
        #expect(machine.user(of: slot) == "7")
        #expect(machine.running == max(1, size))
    }

    @Test
    func `a slot is not passed on past a waiter, in a pause, in a pool that became too small, or past a limit`() {
        let busy = machine(size: 1, waiting: [(1, .normal)])
        #expect(busy.exchange(-1, for: 2) == [1])
        #expect(busy.isWaiting(2))

        let paused = machine(size: 1)
        #expect(paused.setPaused(true) == [])
        #expect(paused.exchange(-1, for: 2) == [])
        #expect(paused.isWaiting(2))
        #expect(paused.setPaused(false) == [2])

        for size in 1...2 {
            let shrunk = machine(size: size + 1)
            #expect(shrunk.resize(to: size) == [])
            #expect(shrunk.exchange(-1, for: 2) == [])
            #expect(shrunk.isWaiting(2))
            #expect(shrunk.running == size)
        }

        let limited = MachineDriver(size: 3)
        #expect(limited.setLimit(1, of: "a") == [])
        #expect(limited.acquire(1, server: "a"))
        #expect(limited.acquire(2))
        #expect(limited.exchange(2, for: 3, server: "a") == [])
        #expect(limited.isWaiting(3))
        #expect(limited.exchange(1, for: 4) == [3])
        #expect(limited.workers(for: "a") == 1)
    }

    @Test
    func `a slot that was released already is not passed on`() throws {
        var machine = WorkerPoolStateMachine(size: 2)
        let granted = (machine.acquireIfFree(.of(1)), machine.acquireIfFree(.of(2)))
        let (kept, gone) = (try #require(granted.0), try #require(granted.1))
        #expect(machine.release(gone) == [])
        let (acquisition, grants) = machine.exchange(gone, for: .of(3), loan: nil)
        #expect(grants == [])
        guard case .granted(let slot) = acquisition else {
            Issue.record("a slot is free")
            return
        }
        #expect(slot != gone && slot != kept)
        #expect(machine.running == 2)
    }

    @Test
    func `a slot that is given back twice is given back once`() {
        let machine = machine(size: 1, waiting: [(1, .normal), (2, .normal)])
        #expect(machine.releaseTwice(-1) == [])
        #expect(machine.running == 1)
        #expect(machine.waitingCount == 1)

        let quiet = self.machine(size: 2)
        #expect(quiet.releaseTwice(-1) == [])
        #expect(quiet.running == 1)
    }

    // MARK: - Servers

    @Test
    func `who is held back by the limit of its server holds back no one else`() {
        let machine = MachineDriver(size: 3)
        #expect(machine.setLimit(1, of: "a") == [])
        #expect(machine.acquire(1, server: "a"))
        #expect(!machine.acquire(2, .high, server: "a"))
        #expect(machine.acquire(3, server: "b"))
        #expect(machine.acquire(4))
        #expect(machine.release(3) == [])
        #expect(machine.release(1) == [2])
    }

    @Test
    func `a limit counts the work that runs when it is set`() {
        let machine = MachineDriver(size: 0)
        #expect(machine.acquire(1, server: "a"))
        #expect(machine.acquire(2, server: "a"))
        #expect(machine.setLimit(2, of: "a") == [])
        #expect(!machine.acquire(3, server: "a"))
        #expect(machine.release(1) == [3])
    }

    @Test
    func `a larger limit and no limit wake waiters at once; a smaller one stops no work`() {
        let machine = MachineDriver(size: 0)
        #expect(machine.setLimit(1, of: "a") == [])
        #expect(machine.acquire(0, server: "a"))
        for number in 1...5 {
            #expect(!machine.acquire(number, server: "a"))
        }
        #expect(machine.setLimit(3, of: "a") == [1, 2])
        #expect(machine.limits == ["a": 3])
        #expect(machine.setLimit(1, of: "a") == [])
        #expect(machine.release(0) == [])
        #expect(machine.release(1) == [])
        #expect(machine.release(2) == [3])
        #expect(machine.setLimit(0, of: "a") == [4, 5])
        #expect(machine.limits.isEmpty)
    }

    @Test
    func `those who wait for a server when it gets a limit keep their place among themselves`() {
        let machine = machine(size: 1)
        for (number, server) in [(1, "a"), (2, "b"), (3, "a"), (4, "a")] as [(Int, String)] {
            #expect(!machine.acquire(number, server: server))
        }
        #expect(machine.setLimit(1, of: "a") == [])
        #expect(machine.resize(to: 4) == [1, 2])
        #expect(machine.release(1) == [3])
        #expect(machine.release(3) == [4])
    }

    // MARK: - Nested work

    @Test
    func `nested work uses the slot of its job when no other is free, one at a time`() {
        let machine = MachineDriver(size: 1)
        #expect(machine.acquire(1))
        #expect(machine.acquire(2, loan: 1))
        #expect(!machine.acquire(3, loan: 1))
        #expect(!machine.acquire(4))
        #expect(machine.cancel(4))
        #expect(machine.running == 1)
        #expect(machine.nestedWorkers == 1)
        #expect(machine.nestedWaiters == 1)
        #expect(machine.release(2) == [3])
        #expect(machine.release(3) == [])
        #expect(machine.release(1) == [])
        #expect(machine.running == 0)
    }

    @Test
    func `nested work that waits takes a slot for which no other work waits`() {
        let machine = machine(size: 2)
        #expect(machine.acquire(1, loan: -1))
        #expect(!machine.acquire(2, loan: -1))
        #expect(!machine.acquire(3))
        #expect(!machine.acquire(4, loan: -1))
        #expect(machine.nestedWaiters == 2)
        #expect(machine.release(-2) == [3])
        #expect(machine.release(3) == [2])
        #expect(machine.running == 2)
        #expect(machine.release(1) == [4])
    }

    @Test
    func `nested work that is held back by its server leaves the slot to its siblings`() {
        let machine = MachineDriver(size: 1)
        #expect(machine.acquire(0))
        #expect(machine.setLimit(1, of: "a") == [])
        #expect(machine.acquire(1, server: "a", loan: 0))
        #expect(!machine.acquire(2, server: "a", loan: 0))
        #expect(!machine.acquire(3, server: "b", loan: 0))
        #expect(machine.release(1) == [2])
        #expect(machine.release(2) == [3])
    }

    @Test
    func `remaining work of a job continues with its slot, and waiting work waits for its own slot`() {
        let machine = machine(size: 1)
        #expect(machine.acquire(1, loan: -1))
        #expect(!machine.acquire(2, loan: -1))
        #expect(!machine.acquire(3))
        #expect(machine.release(-1) == [])
        #expect(machine.running == 1)
        #expect(machine.nestedWorkers == 0)
        #expect(machine.release(1) == [3])
        #expect(machine.release(3) == [2])
    }

    @Test
    func `what waited for the slot of a nested job waits for that of the outer one`() {
        let machine = machine(size: 1)
        #expect(machine.acquire(1, loan: -1))
        #expect(machine.acquire(2, loan: 1))
        #expect(!machine.acquire(3, loan: 1))
        #expect(machine.release(1, heir: -1) == [])
        #expect(machine.release(2) == [3])
        #expect(machine.running == 1)
    }

    @Test
    func `the slot of a job that has ended is lent no more`() {
        let machine = MachineDriver(size: 1)
        #expect(machine.acquire(1))
        #expect(machine.release(1) == [])
        #expect(machine.acquire(2))
        #expect(!machine.acquire(3, loan: 1))
    }
}

/// Many who wait, each known by what the machine named it.
private final class WaiterCrowd {
    private var machine = WorkerPoolStateMachine(size: 1)
    private var ids: [WorkerPoolStateMachine.WaiterID] = []

    init(count: Int) {
        for _ in 0...count {
            if case .wait(let id) = machine.acquire(.of(0)) {
                ids.append(id)
            }
        }
    }

    /// Returns true if each could leave, and none is left.
    func leaveInRandomOrder() -> Bool {
        var random = SeededGenerator(seed: 1)
        return ids.shuffled(using: &random).allSatisfy { machine.cancel($0) } && machine.waitingCount == 0
    }
}
