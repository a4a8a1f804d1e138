// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientWebSocket

/// Conversations without a network.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketDummyTests {
    struct Command: Codable, Sendable, Equatable { var name: String }
    struct Event: Codable, Sendable, Equatable { var id: Int }

    /// Events of several types, told apart by their names.
    enum NamedEvent: Decodable, Sendable, Equatable {
        case event(Event)
        case command(Command)
        case other(String)

        private enum CodingKeys: CodingKey { case event, data }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            switch try container.decode(String.self, forKey: .event) {
            case "event": self = .event(try container.decode(Event.self, forKey: .data))
            case "command": self = .command(try container.decode(Command.self, forKey: .data))
            case let name: self = .other(name)
            }
        }
    }

    private func client(
        _ play: @escaping @Sendable (DummyWebSocket) async throws -> Void
    ) -> (StubbedClient, RequestNode<Event>) {
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.get, "/live/{room}") { _ in .webSocket(play) }
        return (client, client.manager.request(Event.self).endpoint("/live/7"))
    }

    @Test
    func `a dummy plays a conversation, and closes at its end`() async throws {
        let (client, node) = client { socket in
            #expect(socket.request.parameters["room"] == "7")
            let command = try await socket.receive(Command.self)
            try await socket.send(Event(id: command?.name.count ?? 0))
            try await socket.send(WebSocketMessage.text(#"{"id": 2}"#))
        }
        let events = EventRecorder(client.manager)

        let socket = try await node.webSocket(sending: Command.self)
        try await socket.send(Command(name: "four"))
        var received: [Event] = []
        for try await event in socket {
            received.append(event)
        }

        #expect(received == [Event(id: 4), Event(id: 2)])
        #expect(socket.source == .dummy)
        #expect(socket.closure == WebSocketClosure(.normal, isByServer: true))
        #expect(client.requests.isEmpty)
        events.expect([
            "callStarted", "attemptStarted 1", "dummyMatched", "attemptFinished 1 101", "webSocketOpened",
            "webSocketMessage sent 15", "webSocketMessage received 8", "webSocketMessage received 9",
            "webSocketClosed 1000", "callSucceeded 101 dummy",
        ])
    }

    @Test
    func `events of several types are one model, whose case is chosen by the event's name`() async throws {
        let (client, _) = client { socket in
            try await socket.send(WebSocketMessage.text(#"{"event": "event", "data": {"id": 7}}"#))
            try await socket.send(WebSocketMessage.text(#"{"data": {"name": "stop"}, "event": "command"}"#))
            try await socket.send(WebSocketMessage.text(#"{"event": "news", "data": [1, 2]}"#))
        }
        var received: [NamedEvent] = []

        let node = client.manager.request(NamedEvent.self).endpoint("/live/7")
        for try await event in node.webSocketFeed(.once) {
            received.append(event)
        }

        #expect(received == [.event(Event(id: 7)), .command(Command(name: "stop")), .other("news")])
    }

    @Test
    func `a dummy may close with a code, cut the connection, and fail`() async throws {
        struct Failure: Error {}
        let plays: [(@Sendable (DummyWebSocket) async throws -> Void, RestClientError.Code)] = [
            ({ $0.close(4000, reason: "full") }, .webSocketClosed), ({ $0.cut() }, .connectionClosed),
            ({ _ in throw RestClientError(.timeout, "slow") }, .timeout), ({ _ in throw Failure() }, .webSocketClosed),
        ]
        for (play, code) in plays {
            let (_, node) = client { socket in
                try await socket.send(Event(id: 1))
                try await play(socket)
            }
            let socket = try await node.webSocket()

            #expect(try await socket.receive() == Event(id: 1))
            let error = await #expect(throws: RestClientError.self) { try await socket.receive() }
            #expect(error?.code == code)
        }
    }

    @Test
    func `the client's close ends the dummy's messages`() async throws {
        let ended = Gate()
        let (_, node) = client { socket in
            while try await socket.receive() != nil {}
            #expect(socket.closure == WebSocketClosure(3000, reason: "done", isByServer: false))
            ended.open()
        }
        let socket = try await node.webSocket()
        try await socket.send("hello")
        try await socket.ping()

        await socket.close(3000, reason: "done")

        try await ended.wait()
        #expect(try await socket.receive() == nil)
        await #expect(throws: RestClientError.self) { try await socket.send("late") }
        await #expect(throws: RestClientError.self) { try await socket.ping() }
    }

    @Test
    func `a client that goes cancels the dummy`() async throws {
        let cancelled = Gate()
        let (_, node) = client { _ in
            await untilCancelled()
            cancelled.open()
        }

        _ = try await node.webSocket()

        try await cancelled.wait()
    }

    @Test
    func `a dummy waits for a client that is behind`() async throws {
        let (_, node) = client { socket in
            for id in 0..<10_000 {
                try await socket.send(Event(id: id))
            }
        }
        let socket = try await node.webSocket()
        var count = 0

        for try await event in socket {
            #expect(event.id == count)
            count += 1
        }

        #expect(count == 10_000)
    }

    /// Connects again at once, also after a 503.
    private var policy: EventStreamPolicy {
        var policy = EventStreamPolicy()
        policy.backoff.first = .zero
        policy.transientStatuses = [503]
        return policy
    }

    @Test
    func `a feed goes through several conversations`() async throws {
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(
            Dummy(.get, "/live")
                .responds(
                    .webSocket { socket in
                        try await socket.send("one")
                        socket.close(.serviceRestart)
                    }
                )
                .then(.status(.serviceUnavailable))
                .then(.webSocket { try await $0.send("two") })
        )
        var texts: [String?] = []

        for try await message in client.manager.request(WebSocketMessage.self).endpoint("/live").webSocketFeed(policy) {
            texts.append(message.text)
        }

        #expect(texts == ["one", "two"])
    }

    @Test(arguments: [false, true])
    func `a feed decides by the original errors, and maps the one that ends it`(isNodes: Bool) async throws {
        struct Mine: Error, Equatable { let code: RestClientError.Code }
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(
            Dummy(.get, "/live")
                .responds(
                    .webSocket { socket in
                        try await socket.send("one")
                        socket.cut()
                    }
                )
                .then(.status(.serviceUnavailable))
                .then(
                    .webSocket { socket in
                        try await socket.send("two")
                        socket.close(4000)
                    }
                )
        )
        let plain = client.manager.request(WebSocketMessage.self).endpoint("/live")
        let node = isNodes ? plain.mapError { Mine(code: $0.code) } : plain
        if !isNodes {
            client.manager.options = client.manager.options.mapError { Mine(code: $0.code) }
        }
        let texts = Recorder<String?>()

        let error = await #expect(throws: Mine.self) {
            for try await message in node.webSocketFeed(policy) {
                #expect(client.manager.calls.running().count == 1)
                texts.record(message.text)
            }
        }

        #expect(error == Mine(code: .webSocketClosed))
        #expect(texts.elements == ["one", "two"])
        #expect(client.manager.calls.running().isEmpty)
    }

    @Test
    func `cancelling the call of an open feed ends the feed`() async throws {
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(
            Dummy(.get, "/live")
                .responds(
                    .webSocket { socket in
                        try await socket.send("one")
                        await untilCancelled()
                    }
                )
        )
        let node = client.manager.request(WebSocketMessage.self).endpoint("/live").tags("screen")

        await #expect(throws: CancellationError.self) {
            for try await _ in node.webSocketFeed(policy) {
                #expect(client.manager.calls.cancel(.tag("screen")) == 1)
            }
        }

        #expect(client.manager.dummies.calls.count == 1)
    }

    @Test
    func `a dummy's subprotocol is one that was offered`() async throws {
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.get, "/live") { _ in .webSocket(subprotocol: "v1") { _ in } }
        var options = WebSocketOptions()
        options.subprotocols = ["v1"]
        let node = client.manager.request(WebSocketMessage.self).endpoint("/live")

        #expect(try await node.webSocketOptions(options).webSocket().subprotocol == "v1")
        let error = await #expect(throws: RestClientError.self) { _ = try await node.webSocket() }
        #expect(error?.code == .handshakeRefused)
    }

    @Test
    func `a server of dummies plays no conversation, and says so`() async throws {
        let dummies = DummyRegistry()
        dummies.register(.get, "/live") { _ in .webSocket { try await $0.send("one") } }
        let manager = RestClientManager()
        try await LoopbackServer.with { server in
            server.respond(with: dummies)
            let node = manager.request(WebSocketMessage.self).url(server.url + "/live")

            let error = await #expect(throws: RestClientError.self) { _ = try await node.webSocket() }

            #expect(error?.status == .notImplemented)
            #expect(error?.response.map { String(decoding: $0.body, as: UTF8.self) }?.contains("WebSockets") == true)
        }
    }

    @Test
    func `a dummy without a conversation, and a call that wants none, fail with words`() async throws {
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        client.manager.dummies.register(.get, "/plain") { _ in .status(.switchingProtocols) }
        client.manager.dummies.register(.get, "/live") { _ in .webSocket { _ in } }

        let plain = await #expect(throws: RestClientError.self) {
            _ = try await client.manager.request(WebSocketMessage.self).endpoint("/plain").webSocket()
        }
        let live = await client.failure { $0.endpoint("/live") }

        #expect(plain?.code == .handshakeRefused)
        #expect(live?.code == .unacceptableStatus)
    }
}
