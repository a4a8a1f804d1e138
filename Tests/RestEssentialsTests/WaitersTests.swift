// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization
import Testing

@Suite struct WaitersTests {
    /// A door that settles its waiters by number, and tells when one is parked.
    private final class Door: Sendable {
        private let waiters = Mutex(Waiters<Int, String>())
        let parked = AsyncStream.makeStream(of: Int.self)

        var count: Int { waiters.withLock { $0.count } }

        func wait(_ id: Int, ifCancelled outcome: String? = nil) async -> String {
            await Waiters.wait { continuation in
                let settled = waiters.withLock { $0.park(id, continuation, ifCancelled: outcome) }
                parked.continuation.yield(id)
                return settled
            } onCancel: {
                waiters.withLock {
                    outcome == nil ? $0.settle(id, with: "settled") : $0.withdraw(id, with: "withdrawn")
                }
            }
        }

        func settle(_ id: Int, with outcome: String) {
            waiters.withLock { $0.settle(id, with: outcome) }?.resume()
        }

        func withdraw(_ id: Int, with outcome: String) {
            waiters.withLock { $0.withdraw(id, with: outcome) }?.resume()
        }

        func withdrawAll(with outcome: String) {
            for wakeup in waiters.withLock({ $0.withdrawAll(with: outcome) }) {
                wakeup.resume()
            }
        }

        func waitForWaiters(count: Int) async {
            await withCheckedContinuation { continuation in
                waiters.withLock { $0.watch(for: count, continuation) }
            }
        }

        func untilParked(_ count: Int) async {
            var iterator = parked.stream.makeAsyncIterator()
            for _ in 0..<count {
                _ = await iterator.next()
            }
        }
    }

    @Test
    func `a parked waiter gets its outcome`() async {
        let door = Door()
        async let outcome = door.wait(1)
        await door.untilParked(1)
        #expect(door.count == 1)
        door.settle(1, with: "open")
        #expect(await outcome == "open")
        #expect(door.count == 0)
    }

    @Test
    func `a watcher is resumed as soon as so many waiters are parked`() async {
        let door = Door()
        async let seen: Int = {
            await door.waitForWaiters(count: 2)
            return door.count
        }()
        async let first = door.wait(1)
        async let second = door.wait(2)
        #expect(await seen == 2)
        await door.waitForWaiters(count: 1)
        door.withdrawAll(with: "closed")
        #expect(await [first, second] == ["closed", "closed"])
    }

    @Test
    func `an outcome that comes before its waiter is kept for it`() async {
        let door = Door()
        door.settle(1, with: "early")
        #expect(await door.wait(1) == "early")
        #expect(door.count == 0)
    }

    @Test
    func `withdrawing concerns parked waiters only`() async {
        let door = Door()
        door.withdraw(1, with: "lost")
        async let outcome = door.wait(1)
        await door.untilParked(1)
        door.withdraw(1, with: "withdrawn")
        #expect(await outcome == "withdrawn")
    }

    @Test
    func `all parked waiters are withdrawn at once`() async {
        let door = Door()
        async let first = door.wait(1)
        async let second = door.wait(2)
        await door.untilParked(2)
        door.withdrawAll(with: "closed")
        #expect(await [first, second] == ["closed", "closed"])
    }

    @Test(arguments: [nil, "cancelled"])
    func `cancelling a parked waiter's task ends its wait`(_ ifCancelled: String?) async {
        let door = Door()
        let task = Task { await door.wait(1, ifCancelled: ifCancelled) }
        await door.untilParked(1)
        task.cancel()
        #expect(await task.value == (ifCancelled == nil ? "settled" : "withdrawn"))
        #expect(door.count == 0)
    }

    @Test(arguments: [nil, "cancelled"])
    func `a task that was cancelled before does not wait`(_ ifCancelled: String?) async {
        let door = Door()
        let task = Task {
            // Ends when the task is cancelled.
            for await _ in door.parked.stream {}
            return await door.wait(1, ifCancelled: ifCancelled)
        }
        task.cancel()
        #expect(await task.value == (ifCancelled ?? "settled"))
        #expect(door.count == 0)
    }
}
