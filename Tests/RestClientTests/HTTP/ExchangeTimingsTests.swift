// SPDX-License-Identifier: MIT

import Testing

@testable import RestClient

@Suite struct ExchangeTimingsTests {
    @Test
    func `the phases follow one another without gaps`() {
        let timings = ExchangeTimings(
            began: 100,
            connected: 130,
            headSent: 135,
            requestSent: 145,
            headReceived: 245,
            ended: 1_245
        )

        #expect(timings.connecting == .nanoseconds(30))
        #expect(timings.blocked == .nanoseconds(5))
        #expect(timings.sending == .nanoseconds(10))
        #expect(timings.waiting == .nanoseconds(100))
        #expect(timings.receiving == .nanoseconds(1_000))
        #expect(timings.total == .nanoseconds(1_145))
    }

    @Test(arguments: [nil, 99, 100] as [UInt64?])
    func `a connection that was ready before was not made for the exchange`(connected: UInt64?) {
        let timings = ExchangeTimings(
            began: 100,
            connected: connected,
            headSent: 110,
            requestSent: 110,
            headReceived: 120,
            ended: 120
        )

        #expect(timings.connecting == nil)
        #expect(timings.blocked == .nanoseconds(10))
        #expect(timings.total == .nanoseconds(20))
    }

    @Test
    func `instants that are missing or out of order take no time`() {
        let early = ExchangeTimings(
            began: 100,
            connected: nil,
            headSent: 110,
            requestSent: 0,
            headReceived: 105,
            ended: 130
        )

        #expect(early.sending == .zero)
        #expect(early.waiting == .zero)
        #expect(early.total == .nanoseconds(30))
    }

    @Test
    func `what a transport of the user's says is kept`() {
        let timings = ExchangeTimings(sending: .milliseconds(1), waiting: .milliseconds(2), receiving: .milliseconds(3))

        #expect(timings.connecting == nil)
        #expect(timings.blocked == .zero)
        #expect(timings.total == .milliseconds(6))
    }
}
