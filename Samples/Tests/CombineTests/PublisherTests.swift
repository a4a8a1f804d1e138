// SPDX-License-Identifier: MIT

import RestClient
import RestClientCombine
import RestClientTesting
import SharedStore
import Testing

#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif

/// Publishers, with Combine or, behind a trait that this package enables, OpenCombine.
@Suite(.timeLimit(.minutes(5)))
struct PublisherTests {
    private let manager = RestClientManager()

    init() {
        manager.servers["store"] = "https://api.example.com"
        manager.defaultServer = "store"
        manager.dummies.mode = .strict
    }

    private var node: RequestNode<Int> { manager.request(Int.self).endpoint("/number") }

    // MARK: - Calls

    @Test
    func `each subscription makes a call of its own, when it demands a value`() async throws {
        manager.dummies.register(.get, "/number") { _ in .text("7") }
        let events = EventRecorder(manager)
        let publisher = node.publisher()
        let first = SubscriberProbe<Int, any Error>()
        publisher.subscribe(first.subscriber)
        #expect(events.events.isEmpty)

        first.request(.max(1))
        let second = SubscriberProbe<Int, any Error>(demand: .unlimited)
        publisher.subscribe(second.subscriber)

        try await first.waitForEnd()
        try await second.waitForEnd()
        #expect(first.received == ["7", "finished"])
        #expect(second.received == ["7", "finished"])
        try manager.dummies.verify(Dummy(.get, "/number"), times: 2)
    }

    @Test
    func `a failure is published once, as the error of the call`() async throws {
        manager.dummies.register(.get, "/number") { _ in .status(.notFound) }
        let probe = SubscriberProbe<Int, any Error>(demand: .unlimited)
        node.publisher().subscribe(probe.subscriber)
        try await probe.waitForEnd()

        #expect(probe.received == ["failed"])
        #expect((probe.error as? RestClientError)?.code == .unacceptableStatus)
    }

    @Test
    func `cancelling the subscription cancels the call, which publishes nothing`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .chunks([.wait(Gate())]) }
            manager.dummies.mode = .off
            let probe = SubscriberProbe<Int, any Error>(demand: .unlimited)
            node.serverAddress(server.url).publisher().subscribe(probe.subscriber)
            try await server.waitForRequests()
            probe.cancel()
            probe.cancel()

            try await server.waitForAbortedRequests()
            #expect(probe.received == [])
        }
    }

    @Test
    func `a subscription that was cancelled before its demand makes no call`() {
        let probe = SubscriberProbe<Int, any Error>()
        node.publisher().subscribe(probe.subscriber)
        probe.cancel()
        probe.request(.unlimited)

        #expect(manager.calls.running().isEmpty)
        #expect(probe.received == [])
    }

    @Test
    func `a response is published with its metadata`() async throws {
        manager.dummies.register(.get, "/number") { _ in .text("7") }
        let probe = SubscriberProbe<Response<Int>, any Error>(demand: .max(1)) { "\($0.model) \($0.status.code)" }
        node.responsePublisher().subscribe(probe.subscriber)
        try await probe.waitForEnd()

        #expect(probe.received == ["7 200", "finished"])
    }

    // MARK: - Events and shared data

    @Test
    func `events are published from the subscription on, as many as were demanded`() async throws {
        manager.dummies.register(.get, "/number") { _ in .text("7") }
        let probe = SubscriberProbe<ClientEvent, Never>(demand: .max(1)) { "\($0.kind.name)" }
        manager.eventPublisher(.names(.callStarted, .callSucceeded)).subscribe(probe.subscriber)
        _ = try await node.send()
        _ = try await node.send()
        try await probe.wait(for: 1)

        probe.request(.max(2))
        try await probe.wait(for: 3)
        #expect(probe.received == ["callStarted", "callSucceeded", "callStarted"])

        probe.request(.unlimited)
        try await probe.wait(for: 4)
        probe.cancel()
        _ = try await node.send()
        #expect(probe.received.count == 4)
    }

    @Test
    func `changes of shared data are published until the store is released`() async throws {
        let key = SharedKey<Int>("number")
        var data: SharedData? = SharedData()
        let probe = SubscriberProbe<SharedChange<Int>, Never>(demand: .unlimited) { "\($0.newValue ?? 0)" }
        data?.publisher(for: key).subscribe(probe.subscriber)
        try data?.set(1, for: key)
        try await probe.wait(for: 1)
        try data?.set(2, for: key)
        try await probe.wait(for: 2)
        // A subscription does not keep its store.
        data = nil

        try await probe.waitForEnd()
        #expect(probe.received == ["1", "2", "finished"])
    }
}
