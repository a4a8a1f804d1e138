// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Streams without a network: dummies, transports that do not stream, and the clock of the waits.
@Suite(.timeLimit(.minutes(5)))
struct OfflineStreamTests {
    private func texts(_ stream: ByteStream) async throws -> [String] {
        var texts: [String] = []
        for try await chunk in stream {
            texts.append(String(decoding: chunk, as: UTF8.self))
        }
        return texts
    }

    private func client(_ response: DummyResponse) -> StubbedClient {
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.get, "/a") { _ in response }
        return client
    }

    @Test
    func `a dummy's chunks come as they are, and whole to other calls`() async throws {
        let client = client(.stream([Data("one".utf8), Data(), Data("two".utf8)]))
        let node = client.manager.request(String.self).endpoint("/a").dogma(.raw)

        let response = try await node.stream()

        #expect(response.source == .dummy)
        #expect(try await texts(response.bytes) == ["one", "two"])
        #expect(try await node.send() == "onetwo")
    }

    @Test
    func `a truncated dummy fails after its chunks`() async throws {
        let client = client(.stream([Data("one\n".utf8), Data("two\n".utf8)]).truncated(after: 5))
        var lines: [String] = []

        let error = await #expect(throws: RestClientError.self) {
            for try await line in try await client.manager.request(Void.self).endpoint("/a").stream().lines() {
                lines.append(line)
            }
        }

        #expect(error?.code == .connectionClosed)
        #expect(lines == ["one"])
    }

    @Test(arguments: [
        (8, [String](), true), (9, ["one"], true), (19, ["one", "four-and-more"], false), (-1, [], true),
    ])
    func `an event longer than the policy allows ends the stream`(
        limit: Int,
        expected: [String],
        fails: Bool
    ) async throws {
        let client = client(.serverSentEvents([ServerSentEvent(data: "one"), ServerSentEvent(data: "four-and-more")]))
        var policy = EventStreamPolicy()
        policy.eventLimit = limit
        var received: [String] = []
        var failure: RestClientError?

        do {
            for try await event in client.manager.request(Void.self).endpoint("/a").serverSentEvents(policy).prefix(2) {
                received.append(event.data)
            }
        } catch {
            failure = error as? RestClientError
        }

        #expect(received == expected)
        #expect((failure?.code == .lineTooLong) == fails)
    }

    @Test
    func `a dummy's events are those that were given`() async throws {
        let events = [
            ServerSentEvent(data: "one\ntwo", lastEventID: "1"),
            ServerSentEvent(type: "tick", data: "", lastEventID: "1"),
            ServerSentEvent(data: "three", lastEventID: "2"),
        ]
        let client = client(.serverSentEvents(events))
        var received: [ServerSentEvent] = []

        for try await event in client.manager.request(Void.self).endpoint("/a").serverSentEvents(.once) {
            received.append(event)
        }

        #expect(received == events)
    }

    @Test
    func `a feed without events fails after the allowed number of requests`() async throws {
        let client = client(.serverSentEvents([]))
        var policy = EventStreamPolicy()
        policy.backoff.first = .zero
        policy.failureLimit = 2

        let error = await #expect(throws: RestClientError.self) {
            for try await _ in client.manager.request(Void.self).endpoint("/a").serverSentEvents(policy) {}
        }

        #expect(error?.code == .connectionClosed)
        #expect(client.manager.dummies.calls.count == 3)
    }

    @Test
    func `a transport that does not stream delivers its body as one chunk`() async throws {
        let client = StubbedClient(answering: .text("whole"), .text("no", .notFound))
        let response = try await client.manager.request(Void.self).endpoint("/a").stream()
        let error = await #expect(throws: RestClientError.self) {
            try await client.manager.request(Void.self).endpoint("/a").stream()
        }

        #expect(try await texts(response.bytes) == ["whole"])
        #expect(error?.status == .notFound)
        #expect(error?.response?.body == Data("no".utf8))
    }

    @Test
    func `a transport of one's own streams any sequence`() async throws {
        struct Streaming: Transport {
            let ended: Gate

            func send(_ request: TransportRequest) async throws -> RawResponse { RawResponse() }

            func open(_ request: TransportRequest) async throws -> RawResponse {
                let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
                continuation.onTermination = { [ended] _ in ended.open() }
                continuation.yield(Data("one".utf8))
                continuation.yield(Data("two".utf8))
                var response = RawResponse()
                response.stream = ByteStream(chunks)
                return response
            }
        }
        var configuration = RestClientManager.Configuration()
        let ended = Gate()
        configuration.transport = Streaming(ended: ended)
        let manager = RestClientManager(configuration: configuration)
        let response = try await manager.request(Void.self).url("https://example.com/").stream()
        var chunks: [String] = []

        for try await chunk in response.bytes {
            chunks.append(String(decoding: chunk, as: UTF8.self))
            if chunks.count == 2 {
                break
            }
        }

        #expect(chunks == ["one", "two"])
        try await ended.wait()
    }

    @Test
    func `the call ends once, with its body`() async throws {
        let client = client(.stream([Data("one".utf8), Data("two".utf8)]))
        let log = EventRecorder(client.manager)
        let response = try await client.manager.request(Void.self).endpoint("/a").stream()
        let endings = log.events.filter(\.isTerminal)
        #expect(endings.isEmpty)

        _ = try await texts(response.bytes)

        let terminal = log.events.filter(\.isTerminal).map(\.kind.name)
        #expect(terminal == [.callSucceeded])
    }
}
