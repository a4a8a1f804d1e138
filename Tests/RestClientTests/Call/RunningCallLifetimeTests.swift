// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import RestClientTesting
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct RunningCallLifetimeTests {
    /// A model whose decoding runs a closure of the test.
    private struct Hooked: Decodable, Sendable {
        @TaskLocal static var decoded: @Sendable () -> Void = {}

        let value: Int

        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Int.self)
            Self.decoded()
        }
    }

    // MARK: - Beginning

    @Test
    func `a call is found and cancelled before its task has begun, and then sends nothing`() async throws {
        let client = StubbedClient(answering: .text("7"))
        let orders: APIAlias<Int> = "orders"
        client.manager.apis[orders] = API(.get, "/orders/{id}").tags("list")
        let works = Recorder<@Sendable () -> Void>()
        let ends = Recorder<String>()
        let call = client.manager.request(orders).parameter("id", 7).callIdentifier("mine")
            .onStart {}
            .onSuccess { _ in ends.record("success") }
            .onError(of: .cancelled) { _ in ends.record("cancel") }
            .callbacks { works.record($0) }
            .resume()
        // The handler of the start keeps the call from its request.
        let start = try await works.waitForCount(1)

        let running = client.manager.calls
            .running(.tag("list"))
            .filter { CallSelection.api(orders).contains($0) && CallSelection.server("store").contains($0) }
        #expect(running.map(\.request.callIdentifier) == ["mine"])
        #expect(running.map(\.request.template) == ["/orders/{id}"])
        #expect(running.map(\.request.method) == [.get])
        #expect(running.map(\.attempts) == [0])
        #expect(client.manager.calls.running(.tag("other")).isEmpty)
        #expect(client.manager.calls.cancel(.identifier("mine")) == 1)
        #expect(client.manager.calls.running().isEmpty)
        start[0]()
        let end = try await works.waitForCount(2)
        end[1]()
        await call.finished()

        #expect(ends.elements == ["cancel"])
        #expect(client.requests.isEmpty)
    }

    @Test
    func `a call that cannot be built is listed by what its node says`() async throws {
        let client = StubbedClient()
        let works = Recorder<@Sendable () -> Void>()
        let call = client.manager.request(APIAlias<Int>("unknown")).tags("screen")
            .onStart {}
            .callbacks { works.record($0) }
            .resume()
        let start = try await works.waitForCount(1)

        let running = client.manager.calls.running(.tag("screen"))
        #expect(running.map(\.request.api) == ["unknown"])
        start[0]()
        await call.finished()

        #expect(client.manager.calls.running().isEmpty)
    }

    @Test(arguments: [false, true])
    func `waiting right after a call was started waits for its handler`(hasCompletion: Bool) async {
        let client = StubbedClient(answering: .text("7"))
        let ends = Recorder<Int?>()
        let node = client.manager.request(Int.self).endpoint("/a")

        for count in 1...50 {
            if hasCompletion {
                node.resume { ends.record(try? $0.get().model) }
            } else {
                node.onSuccess { ends.record($0.model) }.resume()
            }
            await client.manager.calls.finished()
            #expect(ends.elements.count == count)
        }
        #expect(ends.elements.allSatisfy { $0 == 7 })
    }

    @Test
    func `waiting right after a response was prefetched finds it stored`() async throws {
        let client = StubbedClient(answering: .text("7"))
        let node = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork(maxAge: .seconds(60)))

        client.manager.cache.prefetch(node)
        await client.manager.calls.finished()

        #expect(try await node.response().source.isCache)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a call that is cancelled before its request is built is not served from the memory either`() async throws {
        let client = StubbedClient(answering: .text("7"))
        let plain = client.manager.request(Int.self).endpoint("/a").cache(.elseNetwork(maxAge: .seconds(60)))
        // The second one is served by the memory, as the request is known.
        #expect(try await plain.send() == 7)
        #expect(try await plain.response().source.isCache)
        let works = Recorder<@Sendable () -> Void>()
        let node = plain.onStart {}.callbacks { works.record($0) }
        let call = Task { try await node.send() }
        let start = try await works.waitForCount(1)

        #expect(client.manager.calls.cancel(.all) == 1)
        start[0]()

        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(client.requests.count == 1)
    }

    @Test
    func `a call that could not be built is not listed while its handler runs`() async throws {
        let client = StubbedClient()
        let works = Recorder<@Sendable () -> Void>()
        let call = client.manager.request(APIAlias<Int>("unknown"))
            .onError { _ in }
            .callbacks { works.record($0) }
            .resume()
        let handler = try await works.waitForCount(1)

        #expect(client.manager.calls.running().isEmpty)
        handler[0]()
        await call.finished()
    }

    // MARK: - Decoding

    @Test(arguments: [CachePolicy.networkOnly, .http, .elseNetwork(maxAge: .seconds(60))], [false, true])
    func `a call that is cancelled while its model is decoded ends as cancelled`(
        policy: CachePolicy,
        hasTask: Bool
    ) async {
        let client = StubbedClient(answering: .text("7"))
        let manager = client.manager
        let counts = Recorder<Int>()
        var node = manager.request(Hooked.self).endpoint("/a").cache(policy)
        if hasTask {
            node = node.header(.userAgent) { "test" }
        }
        let sent = node

        let cancel: @Sendable () -> Void = { counts.record(manager.calls.cancel(.all)) }
        await Hooked.$decoded
            .withValue(cancel) {
                await #expect(throws: CancellationError.self) { try await sent.send() }
            }

        #expect(counts.elements == [1])
        #expect(manager.calls.running().isEmpty)
    }

    @Test
    func `the key of a call is taken until the call has ended, not until its response has arrived`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(answering: .text("7")) { $0.clock = clock }
        let node = client.manager.request(Int.self).post().endpoint("/pay")
            .minimumDuration(.seconds(1))
            .refusingDuplicates(of: "order 7")
        let first = Task { try await node.send() }
        try await clock.waitForSleepers(count: 1)

        #expect(client.manager.calls.running().count == 1)
        let error = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(error?.code == .duplicateCall)
        clock.advance(by: .seconds(1))

        #expect(try await first.value == 7)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a call that waits for its least time is cancelled`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(answering: .text("7")) { $0.clock = clock }
        let node = client.manager.request(Int.self).endpoint("/a").minimumDuration(.seconds(1))
        let call = Task { try await node.send() }
        try await clock.waitForSleepers(count: 1)

        #expect(client.manager.calls.cancel(.all) == 1)
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    // MARK: - Fallbacks

    /// A client whose server is unavailable, and whose mirror responds when the gate is open.
    private static func clientWithMirror(_ gate: Gate) -> StubbedClient {
        let client = StubbedClient(
            StubTransport { request in
                guard request.url.hasPrefix("https://mirror.") else {
                    return .status(.serviceUnavailable)
                }
                try await gate.wait()
                return .text("7")
            }
        )
        client.manager.servers["mirror"] = "https://mirror.example.com"
        return client
    }

    @Test
    func `a call is one running call through its fallbacks, which keep its key`() async throws {
        let gate = Gate()
        let client = Self.clientWithMirror(gate)
        let node = client.manager.request(Int.self).endpoint("/a")
            .fallback(.server("mirror"))
            .refusingDuplicates(of: "a")
        let first = Task { try await node.send() }
        try await gate.waitForWaiters(count: 1)

        #expect(client.manager.calls.running().count == 1)
        let error = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(error?.code == .duplicateCall)
        gate.open()
        #expect(try await first.value == 7)

        let second = Task { try await node.send() }
        #expect(try await second.value == 7)
        #expect(client.manager.calls.running().isEmpty)
    }

    @Test
    func `a call that is cancelled in its fallback ends`() async throws {
        let gate = Gate()
        let client = Self.clientWithMirror(gate)
        let node = client.manager.request(Int.self).endpoint("/a").fallback(.server("mirror"), .value(9))
        let call = Task { try await node.send() }
        try await gate.waitForWaiters(count: 1)

        #expect(client.manager.calls.cancel(.all) == 1)
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(gate.waiterCount == 0)
    }

    // MARK: - Handlers

    @Test
    func `a call whose handler runs is not listed, but awaited`() async throws {
        let client = StubbedClient(answering: .text("7"))
        let works = Recorder<@Sendable () -> Void>()
        let order = Recorder<String>()
        let call = client.manager.request(Int.self).endpoint("/a")
            .onSuccess { _ in order.record("handler") }
            .callbacks { works.record($0) }
            .resume()
        let handler = try await works.waitForCount(1)

        #expect(client.manager.calls.running().isEmpty)
        #expect(client.manager.calls.cancel(.all) == 0)
        let waiting = Task {
            await client.manager.calls.finished()
            order.record("finished")
        }
        handler[0]()
        await waiting.value
        await call.finished()

        #expect(order.elements == ["handler", "finished"])
    }

    @Test
    func `a scope ends calls that were started in it and have not begun`() async throws {
        let client = StubbedClient(answering: .text("7"))
        let ends = Recorder<String>()
        let works = Recorder<@Sendable () -> Void>()

        let call = try await client.manager.withCalls {
            let call = client.manager.request(Int.self).endpoint("/a")
                .onStart {}
                .onSuccess { _ in ends.record("success") }
                .onError(of: .cancelled) { _ in ends.record("cancel") }
                .callbacks { works.record($0) }
                .resume()
            _ = try await works.waitForCount(1)
            return call
        }
        works.elements[0]()
        let end = try await works.waitForCount(2)
        end[1]()
        await call.finished()

        #expect(ends.elements == ["cancel"])
        #expect(client.requests.isEmpty)
    }
}
