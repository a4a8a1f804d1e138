// SPDX-License-Identifier: MIT

@testable import JobGraphs

/// A state machine of a worker pool as a reference, so that expectations may change it; whoever asks is known by a
/// number.
final class MachineDriver {
    private var machine: WorkerPoolStateMachine
    private var slots: [Int: WorkerPool.Slot] = [:]
    private var waiters: [Int: WorkerPoolStateMachine.WaiterID] = [:]

    init(size: Int) {
        machine = WorkerPoolStateMachine(size: size)
    }

    var size: Int { machine.size }
    var running: Int { machine.running }
    var limits: [String: Int] { machine.limits }
    var waitingCount: Int { machine.waitingCount }

    /// The numbers of those who wait, in the order of the machine's list.
    var waiting: [Int] { machine.waiters.compactMap { Int(($0.demand.holder as? LocalWork)?.name ?? "") } }

    /// How many work for a server, whether they count there or not.
    func workers(for server: String) -> Int {
        machine.holders.count { $0.demand.limitKey == server }
    }

    /// How many wait that may use the slot of another.
    var nestedWaiters: Int { machine.waiters.count { $0.isNested } }

    /// How many use the slot of another.
    var nestedWorkers: Int { machine.holders.count { $0.isNested } }

    /// Asks for a slot; returns whether it was granted at once.
    func acquire(
        _ number: Int,
        _ priority: JobPriority = .normal,
        server: String? = nil,
        terms: SlotDemand.LimitTerms = .waits,
        loan: Int? = nil
    ) -> Bool {
        switch machine.acquire(.of(number, priority, server, terms), loan: loan.flatMap { slots[$0] }) {
        case .granted(let slot):
            slots[number] = slot
            return true
        case .wait(let id):
            waiters[number] = id
            return false
        }
    }

    func acquireIfFree(_ number: Int, server: String? = nil) -> Bool {
        slots[number] = machine.acquireIfFree(.of(number, .normal, server, .waits))
        return slots[number] != nil
    }

    func release(_ number: Int, heir: Int? = nil) -> [Int] {
        guard let slot = slots.removeValue(forKey: number) else {
            return []
        }
        return take(machine.release(slot, heir: heir.flatMap { slots[$0] }))
    }

    /// Gives a slot back twice; returns whom the second time woke.
    func releaseTwice(_ number: Int) -> [Int] {
        guard let slot = slots.removeValue(forKey: number) else {
            return []
        }
        _ = take(machine.release(slot))
        return take(machine.release(slot))
    }

    /// Gives a slot back for another; returns whom that woke.
    func exchange(_ number: Int, for next: Int, server: String? = nil) -> [Int] {
        guard let slot = slots.removeValue(forKey: number) else {
            return []
        }
        let (acquisition, grants) = machine.exchange(slot, for: .of(next, .normal, server), loan: nil)
        switch acquisition {
        case .granted(let slot): slots[next] = slot
        case .wait(let id): waiters[next] = id
        }
        return take(grants)
    }

    /// The slot of one who works.
    func slot(of number: Int) -> WorkerPool.Slot? { slots[number] }

    /// The one who uses a slot.
    func user(of slot: WorkerPool.Slot?) -> String? {
        slot.flatMap { (machine.demand(of: $0)?.holder as? LocalWork)?.name }
    }

    func setPaused(_ isPaused: Bool) -> [Int] {
        take(machine.setPaused(isPaused))
    }

    func limit(of server: String) -> Int { machine.limit(of: server) }

    func cancel(_ number: Int) -> Bool {
        waiters[number].map { machine.cancel($0) } ?? false
    }

    func isWaiting(_ number: Int) -> Bool {
        waiters[number].map { machine.isWaiting($0) } ?? false
    }

    func resize(to size: Int) -> [Int] {
        take(machine.resize(to: size))
    }

    func setLimit(_ limit: Int, of server: String) -> [Int] {
        take(machine.setLimit(limit, of: server))
    }

    private func take(_ grants: [WorkerPoolStateMachine.Grant]) -> [Int] {
        grants.compactMap { grant in
            guard let number = waiters.first(where: { $0.value == grant.waiter })?.key else {
                return nil
            }
            waiters[number] = nil
            slots[number] = grant.slot
            return number
        }
    }
}

extension SlotDemand {
    /// The demand of one who is known by a number.
    static func of(
        _ number: Int,
        _ priority: JobPriority = .normal,
        _ server: String? = nil,
        _ terms: LimitTerms = .waits
    ) -> SlotDemand {
        let work = LocalWork(name: String(number), limitKey: server)
        return SlotDemand(holder: work, priority: priority, terms: terms, since: .zero)
    }
}
