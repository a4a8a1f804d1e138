// SPDX-License-Identifier: MIT

import Testing

@testable import SharedStore

@Suite(.timeLimit(.minutes(5)))
struct OrderedDeliveryTests {
    @Test
    func `deliveries run in the order in which they were added`() async {
        let delivery = OrderedDelivery()
        let delivered = Recorder<Int>()
        let added = Recorder<Int>()

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    // The recorder's lock makes one step of noting and adding.
                    added.record(number) { delivery.add { delivered.record(number) } }
                    delivery.deliver()
                }
            }
        }

        #expect(delivered.all == added.all)
    }

    @Test
    func `a delivery that adds another finishes first`() {
        let delivery = OrderedDelivery()
        let delivered = Recorder<String>()
        delivery.add {
            delivered.record("one begins")
            delivery.add { delivered.record("two") }
            delivery.deliver()
            delivered.record("one ends")
        }

        delivery.deliver()

        #expect(delivered.all == ["one begins", "one ends", "two"])
    }

    @Test
    func `a token ends once`() {
        let ended = Recorder<Int>()
        var token: ObservationToken? = ObservationToken { ended.record(1) }

        token?.cancel()
        token?.cancel()
        token = nil

        #expect(ended.all == [1])
        #expect(token == nil)
    }
}
