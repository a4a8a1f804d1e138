// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite struct CarriersTests {
    private let task = Task<Void, Never> {}

    @Test
    func `one that is interrupted before its task is known is cancelled as soon as it is`() {
        var carriers = Carriers()
        let place = carriers.add(for: 3)
        #expect(carriers.isAttended(place))
        #expect(carriers.interrupt([3]).isEmpty)
        #expect(carriers.isInterrupted(place))
        let isToBeCancelled = carriers.leave(place, task)
        #expect(isToBeCancelled)
        #expect(!carriers.isAttended(place))
    }

    @Test
    func `one whose task is known is cancelled at once`() {
        var carriers = Carriers()
        let place = carriers.add(for: 3)
        let isToBeCancelled = carriers.leave(place, task)
        #expect(!isToBeCancelled)
        #expect(carriers.interrupt([2, 3]) == [task])
        #expect(carriers.isInterrupted(place))
    }

    @Test
    func `one that works for another node by now is not interrupted`() {
        var carriers = Carriers()
        let place = carriers.add(for: 3)
        _ = carriers.leave(place, task)
        carriers.move(place, to: 4)
        #expect(carriers.interrupt([3]).isEmpty)
        #expect(!carriers.isInterrupted(place))
    }

    @Test
    func `a place is used again only when carrier and drainer have left it`() {
        var carriers = Carriers()
        let first = carriers.add(for: 1)
        let taskOfAttended = carriers.end(first)
        #expect(taskOfAttended == nil)
        let second = carriers.add(for: 2)
        #expect(second != first)
        let isToBeCancelled = carriers.leave(first, task)
        #expect(!isToBeCancelled)
        let third = carriers.add(for: 3)
        #expect(third == first)
        _ = carriers.leave(second, task)
        let taskOfLeft = carriers.end(second)
        #expect(taskOfLeft == task)
    }
}
