// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization
import Testing

@Suite struct ReleaseOnceTests {
    private final class Counter: Sendable {
        let count = Atomic<Int>(0)

        func increment() {
            count.add(1, ordering: .relaxed)
        }
    }

    @Test
    func `a duty is done once, however often it is released`() {
        let counter = Counter()
        let duty = ReleaseOnce { counter.increment() }
        duty.release()
        duty.release()
        #expect(counter.count.load(ordering: .relaxed) == 1)
    }

    @Test
    func `a duty is done when its last reference goes`() {
        let counter = Counter()
        var duty: ReleaseOnce? = ReleaseOnce { counter.increment() }
        #expect(duty != nil)
        #expect(counter.count.load(ordering: .relaxed) == 0)
        duty = nil
        #expect(counter.count.load(ordering: .relaxed) == 1)
    }

    @Test
    func `values captured by the action are released when it has run`() {
        weak var held: Counter?
        let duty: ReleaseOnce
        do {
            let counter = Counter()
            held = counter
            duty = ReleaseOnce { counter.increment() }
        }
        #expect(held != nil)
        duty.release()
        #expect(held == nil)
    }
}
