// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClientWebSocket

/// Feeds that connect again.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketFeedTests {
    private var policy: EventStreamPolicy {
        var policy = EventStreamPolicy()
        policy.backoff.first = .zero
        return policy
    }

    @Test
    func `a feed goes on after a cut, a restart and a refusal, subscribes each time, and ends when the server says so`()
        async throws
    {
        let connections = Mutex(0)
        try await FrameServer.with { connection in
            let number = connections.withLock { count in
                count += 1
                return count
            }
            if number == 3 {
                _ = try await connection.readHead()
                try await connection.write("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
                return
            }
            try await connection.handshake()
            #expect(try await connection.readFrame().text == "subscribe")
            try await connection.write(FrameConnection.text("\(number)"))
            switch number {
            case 1: break
            case 2: try await connection.close(1012)
            default: try await connection.close(1000)
            }
        } _: { server in
            var policy = policy
            policy.transientStatuses = [503]
            let feed = server.node.webSocketFeed(policy, sending: String.self) { try await $0.send("subscribe") }
            let events = EventRecorder(server.manager)
            var texts: [String?] = []

            for try await message in feed {
                texts.append(message.text)
            }

            #expect(texts == ["1", "2", "4"])
            // To observers they are one call.
            #expect(Set(events.events.map(\.callID)).count == 1)
            let lines = events.lines.map { $0.hasPrefix("webSocketReconnecting") ? "webSocketReconnecting" : $0 }
            #expect(
                lines == [
                    "callStarted", "attemptStarted 1", "attemptFinished 1 101", "webSocketOpened",
                    "webSocketMessage sent 9", "webSocketMessage received 1", "webSocketClosed 1006",
                    "webSocketReconnecting", "attemptStarted 2", "attemptFinished 2 101", "webSocketOpened",
                    "webSocketMessage sent 9", "webSocketMessage received 1", "webSocketClosed 1012",
                    "webSocketReconnecting", "attemptStarted 3", "attemptFinished 3 503", "webSocketReconnecting",
                    "attemptStarted 4", "attemptFinished 4 101", "webSocketOpened", "webSocketMessage sent 9",
                    "webSocketMessage received 1", "webSocketClosed 1000", "callSucceeded 101 network",
                ]
            )
            let reconnections = events.events.filter { $0.kind.name == .webSocketReconnecting }
            #expect(reconnections.allSatisfy { $0.request?.url?.hasSuffix("/live") == true })
        }
    }

    @Test
    func `leaving the loop closes the connection`() async throws {
        let close = Recorder<FrameConnection.Frame>()
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.text("one"))
            close.record(try await connection.readFrame())
            try await connection.waitForEnd()
        } _: { server in
            for try await message in server.node.webSocketFeed(policy) {
                #expect(message == "one")
                break
            }

            #expect(try await close.waitForCount(1)[0].code == 1001)
        }
    }

    @Test(arguments: [false, true])
    func `cancelling the task ends a wait, as does cancelling the feed among the running calls`(
        isByTable: Bool
    ) async throws {
        let clock = ManualClock()
        let port = try LoopbackPort(.refusing)
        var configuration = RestClientManager.Configuration()
        configuration.clock = clock
        let manager = RestClientManager(configuration: configuration)
        manager.servers["live"] = Server(port.url)
        manager.defaultServer = "live"
        let node = manager.request(WebSocketMessage.self).endpoint("/live").tags("screen")
        let task = Task {
            for try await _ in node.webSocketFeed() {}
        }
        try await clock.waitForSleeper(for: .seconds(3))
        let running = manager.calls.running(.tag("screen"))
        #expect(running.map(\.request.url) == ["\(port.url)/live"])

        if isByTable {
            #expect(manager.calls.cancel(.tag("screen")) == 1)
        } else {
            task.cancel()
        }

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(manager.calls.running().isEmpty)
    }

    @Test
    func `a close that would come again fails the feed`() async throws {
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.close(4003, "no access")
        } _: { server in
            let error = await #expect(throws: RestClientError.self) {
                for try await _ in server.node.webSocketFeed(policy) {}
            }

            #expect(error?.code == .webSocketClosed)
            #expect((error?.underlying as? WebSocketClosure)?.reason == "no access")
        }
    }
}
