// SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import Testing

@testable import RestClient

@Suite
struct LatestDeliveryTests {
    /// Work that waits until the test does it.
    private final class Queue: Sendable {
        private let works = Mutex<[@Sendable () -> Void]>([])

        var count: Int { works.withLock { $0.count } }

        func add(_ work: @escaping @Sendable () -> Void) {
            works.withLock { $0.append(work) }
        }

        /// Does the work that waits, so many times each.
        func run(times: Int = 1) {
            for work in takeAll() {
                for _ in 0..<times {
                    work()
                }
            }
        }

        /// Drops the work that waits.
        func drop() {
            _ = takeAll()
        }

        private func takeAll() -> [@Sendable () -> Void] {
            works.withLock { works in
                defer { works = [] }
                return works
            }
        }
    }

    @Test
    func `values are delivered in order, in place`() {
        let recorder = Recorder<Int>()
        let delivery = LatestDelivery<Int, Int> { recorder.record($0) }

        for value in 1...3 {
            delivery.send(value, for: 0)
        }

        #expect(recorder.elements == [1, 2, 3])
    }

    @Test
    func `a value that waits is replaced by a later one of its key`() {
        let (queue, recorder) = (Queue(), Recorder<String>())
        let delivery = LatestDelivery<Int, String>(at: queue.add) { recorder.record($0) }

        delivery.send("a1", for: 1)
        delivery.send("b1", for: 2)
        delivery.send("a2", for: 1)

        #expect(queue.count == 1)
        queue.run()
        #expect(recorder.elements == ["b1", "a2"])
    }

    @Test
    func `a value that the handler itself causes comes after its own`() {
        let recorder = Recorder<Int>()
        let delivery = Mutex<LatestDelivery<Int, Int>?>(nil)
        let made = LatestDelivery<Int, Int> { value in
            if value == 1 {
                delivery.withLock { $0 }?.send(2, for: 0)
            }
            recorder.record(value)
        }
        delivery.withLock { $0 = made }

        made.send(1, for: 0)

        #expect(recorder.elements == [1, 2])
        delivery.withLock { $0 = nil }
    }

    @Test
    func `what a place drops is delivered with the next value, unless that replaces it`() {
        let (queue, recorder) = (Queue(), Recorder<String>())
        let delivery = LatestDelivery<Int, String>(at: queue.add) { recorder.record($0) }

        delivery.send("a1", for: 1)
        delivery.send("b1", for: 2)
        queue.drop()
        delivery.send("a2", for: 1)

        #expect(queue.count == 1)
        queue.run()
        #expect(recorder.elements == ["b1", "a2"])
    }

    @Test
    func `a place that drops work at once stops nothing that comes later`() {
        let (queue, recorder) = (Queue(), Recorder<Int>())
        let isOpen = Mutex(false)
        let place: LatestDelivery<Int, Int>.Place = { work in
            if isOpen.withLock({ $0 }) {
                queue.add(work)
            }
        }
        let delivery = LatestDelivery<Int, Int>(at: place) { recorder.record($0) }

        delivery.send(1, for: 0)
        delivery.send(2, for: 0)
        isOpen.withLock { $0 = true }
        delivery.send(3, for: 0)
        queue.run()
        delivery.send(4, for: 0)
        queue.run()

        #expect(recorder.elements == [3, 4])
    }

    @Test
    func `work that a place runs twice delivers once, and ends no later turn`() {
        let (queue, recorder) = (Queue(), Recorder<Int>())
        let delivery = LatestDelivery<Int, Int>(at: queue.add) { recorder.record($0) }

        delivery.send(1, for: 0)
        queue.run(times: 2)
        delivery.send(2, for: 0)
        delivery.send(3, for: 1)

        #expect(queue.count == 1)
        queue.run(times: 2)
        #expect(recorder.elements == [1, 2, 3])
    }

    @Test
    func `nothing is delivered once it is closed, not even what waits`() {
        let (queue, recorder) = (Queue(), Recorder<Int>())
        let delivery = LatestDelivery<Int, Int>(at: queue.add) { recorder.record($0) }

        delivery.send(1, for: 0)
        delivery.close()
        delivery.send(2, for: 0)
        queue.run()

        #expect(recorder.elements.isEmpty)
    }

    @Test
    func `a closed delivery releases its handler`() {
        final class Load: Sendable {}
        weak var released: Load?
        let delivery: LatestDelivery<Int, Int>
        do {
            let load = Load()
            released = load
            delivery = LatestDelivery<Int, Int> { _ in withExtendedLifetime(load) {} }
        }
        #expect(released != nil)

        delivery.close()

        #expect(released == nil)
        delivery.send(1, for: 0)
    }
}
