// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import RestClientTesting
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct RunningCallTests {
    private let gate = Gate()

    /// A client whose responses wait at the gate.
    private func client() -> StubbedClient {
        let gate = gate
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return .text("7")
            }
        )
        client.manager.servers["other"] = "https://other.example.com"
        client.manager.apis[APIAlias<Int>("orders")] = API(.get, "/orders").tags("list")
        return client
    }

    /// Starts four calls that differ in everything by which calls are chosen.
    private func start(_ client: StubbedClient, _ ends: Recorder<String>) async throws -> [RequestCall] {
        func note<Model>(_ node: RequestNode<Model>, _ name: String) -> RequestNode<Model> {
            node.onSuccess { _ in ends.record("\(name) succeeded") }
                .onError(of: .cancelled) { _ in ends.record("\(name) cancelled") }
                .onError { _ in ends.record("\(name) failed") }
        }
        let manager = client.manager
        var calls: [RequestCall] = []
        for call in [
            { note(manager.request(APIAlias<Int>("orders")).tags("screen"), "a").resume() },
            { note(manager.request(Int.self).server("other").endpoint("/b"), "b").resume() },
            {
                note(manager.request(String.self).endpoint("/c").callIdentifier("the third").tags("screen"), "c")
                    .resume()
            },
            { note(manager.request(Void.self).post().endpoint("/d").cache(.http), "d").resume() },
        ] {
            calls.append(call())
            try await gate.waitForWaiters(count: calls.count)
        }
        return calls
    }

    @Test(arguments: [
        (CallSelection.all, "abcd"), (.tag("screen"), "ac"), (.tag("list"), "a"), (.tag("none"), ""),
        (.api(APIAlias<Int>("orders")), "a"), (.server("other"), "b"), (.server("store"), "acd"),
        (.identifier("the third"), "c"), (.model(Int.self), "ab"), (.model(Void.self), "d"),
        (.matching { $0.request.method == .post }, "d"),
    ])
    func `calls are found, counted and cancelled by a choice`(selection: CallSelection, names: String) async throws {
        let client = client()
        let ends = Recorder<String>()
        let calls = try await start(client, ends)

        #expect(client.manager.calls.running(selection).count == names.count)
        #expect(client.manager.calls.cancel(selection) == names.count)
        _ = try await ends.waitForCount(names.count)
        #expect(ends.elements.sorted() == names.map { "\($0) cancelled" })
        gate.open()
        for call in calls {
            await call.finished()
        }

        #expect(ends.elements.filter { $0.hasSuffix("succeeded") }.count == 4 - names.count)
        #expect(client.manager.calls.running().isEmpty)
    }

    @Test
    func `calls are listed from the oldest to the newest`() async throws {
        let client = client()
        let calls = try await start(client, Recorder())

        let running = client.manager.calls.running()
        #expect(running.map { $0.request.template ?? "" } == ["/orders", "/b", "/c", "/d"])
        #expect(running.map(\.attempts) == [1, 1, 1, 1])
        #expect(running[0].tags == ["list", "screen"])
        gate.open()
        for call in calls {
            await call.finished()
        }
    }

    @Test
    func `a call that its caller awaits throws, and the caller continues`() async throws {
        let client = client()
        let log = EventRecorder(client.manager)
        let caller = Task {
            await #expect(throws: CancellationError.self) {
                try await client.manager.request(Int.self).endpoint("/a").send()
            }
            return Task.isCancelled
        }
        try await gate.waitForWaiters(count: 1)

        client.manager.calls.cancel(.all)

        #expect(await caller.value == false)
        #expect(log.events.filter { $0.kind.isTerminal }.map(\.kind.name) == [.callCancelled])
        #expect(gate.waiterCount == 0)
    }

    @Test
    func `waiting for calls ends with the last of them, not with those that begin later`() async throws {
        let client = client()
        let calls = try await start(client, Recorder())
        let ended = Recorder<String>()
        let asked = Recorder<CallID>()
        let waiting = Task {
            let selection = CallSelection.matching { call in
                asked.record(call.id)
                return call.tags.contains("screen")
            }
            await client.manager.calls.finished(selection)
            ended.record("finished")
        }
        await client.manager.calls.finished(.tag("none"))
        // The calls to wait for are chosen now.
        _ = try await asked.waitForCount(1)
        let late = client.manager.request(Int.self).endpoint("/e").tags("screen").resume()
        try await gate.waitForWaiters(count: 5)
        client.manager.calls.cancel(.identifier("the third"))
        await calls[2].finished()
        #expect(ended.elements.isEmpty)
        client.manager.calls.cancel(.api(APIAlias<Int>("orders")))

        await waiting.value
        #expect(ended.elements == ["finished"])
        gate.open()
        await late.finished()
        for call in calls {
            await call.finished()
        }
    }

    @Test
    func `the end of a scope cancels the calls that were started in it, and no others`() async throws {
        let client = client()
        let outside = client.manager.request(Int.self).endpoint("/outside").resume()
        try await gate.waitForWaiters(count: 1)

        let inside = try await client.manager.withCalls {
            let call = client.manager.request(Int.self).endpoint("/inside").resume()
            try await gate.waitForWaiters(count: 2)
            return call
        }
        await inside.finished()

        #expect(client.manager.calls.running().map { $0.request.template ?? "" } == ["/outside"])
        gate.open()
        await outside.finished()
    }

    @Test
    func `a call that a task started in a scope begins after its end is cancelled at once`() async throws {
        let client = client()
        let start = Gate()
        let late = await client.manager.withCalls {
            Task {
                try await start.wait()
                return try await client.manager.request(Int.self).endpoint("/late").send()
            }
        }
        start.open()
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test
    func `a call with a key is rejected while another one is running, regardless of its method`() async throws {
        let client = client()
        let node = client.manager.request(Int.self).post().endpoint("/pay").refusingDuplicates(of: "order 7")
        let first = Task { try await node.send() }
        try await gate.waitForWaiters(count: 1)

        let error = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(error?.code == .duplicateCall)
        gate.open()

        #expect(try await first.value == 7)
        #expect(try await node.send() == 7)
        #expect(client.requests.count == 2)
    }

    @Test
    func `without a key, a call is rejected while an equal one is running`() async throws {
        let client = client()
        func node(_ body: String) -> RequestNode<Int> {
            client.manager.request(Int.self).post().endpoint("/pay").values(["order": body]).refusingDuplicates()
        }
        let first = Task { try await node("7").send() }
        try await gate.waitForWaiters(count: 1)
        let other = Task { try await node("8").send() }
        try await gate.waitForWaiters(count: 2)

        let error = await #expect(throws: RestClientError.self) { try await node("7").send() }
        #expect(error?.code == .duplicateCall)
        gate.open()

        #expect(try await first.value == 7)
        #expect(try await other.value == 7)
        #expect(try await node("7").send() == 7)
        #expect(client.requests.count == 3)
    }

    @Test
    func `a success takes a least time, a failure does not`() async throws {
        let clock = ManualClock()
        let client = StubbedClient(answering: .text("7"), .status(.notFound)) { $0.clock = clock }
        let node = client.manager.request(Int.self).endpoint("/a").minimumDuration(.seconds(1))

        let call = Task { try await node.response() }
        try await clock.waitForSleepers(count: 1)
        clock.advance(by: .seconds(1))

        #expect(try await call.value.duration == .seconds(1))
        await #expect(throws: RestClientError.self) { try await node.send() }
    }
}
