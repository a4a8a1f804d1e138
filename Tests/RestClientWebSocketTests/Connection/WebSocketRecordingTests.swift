// SPDX-License-Identifier: MIT

import RestClient
import RestClientRecording
import RestEssentials
import SeededRandom
import TestSupport
import Testing

@testable import RestClientWebSocket

/// Conversations are recorded, written as browsers write them, and replayed without a network.
@Suite(.timeLimit(.minutes(5)))
struct WebSocketRecordingTests {
    private static let url = "http://live.example.com/live"

    private static var rules: RecordingRules {
        var rules = RecordingRules()
        rules.allowsOtherBodies = true
        rules.bodyFields = .only(["id"])
        return rules
    }

    /// Records a conversation with a server that greets, echoes one message and closes.
    private static func recording(_ rules: RecordingRules = rules, closing code: Int = 1000) async throws -> HAR {
        let recorder = HARRecorder(rules: rules)
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.text(#"{"id": 7, "token": "s3cret"}"#))
            let frame = try await connection.readFrame()
            try await connection.write(FrameConnection.frame(2, frame.payload))
            try await connection.close(code, "done")
        } _: { server in
            try await recorder.record {
                let socket = try await server.node.webSocket(sending: String.self)
                _ = try await socket.receive()
                try await socket.send("hello")
                _ = try await socket.receive()
                _ = try? await socket.receive()
            }
        }
        return recorder.archive
    }

    /// An archive as a browser writes it, for the replay: the address is not that of a loopback server.
    private static func browser(_ messages: String) throws -> HAR {
        try HAR(
            data: Data(
                """
                {"log": {"version": "1.2", "creator": {"name": "WebInspector", "version": "537.36"}, "entries": [{
                  "startedDateTime": "2026-11-23T04:00:00.000Z", "time": 3,
                  "_webSocketMessages": [\(messages)],
                  "request": {"method": "GET", "url": "ws://live.example.com/live", "httpVersion": "HTTP/1.1",
                    "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0},
                  "response": {"status": 101, "statusText": "Switching Protocols", "httpVersion": "HTTP/1.1",
                    "headers": [], "cookies": [], "content": {"size": 0}, "redirectURL": "", "headersSize": -1,
                    "bodySize": 0},
                  "cache": {}, "timings": {"send": 0, "wait": 3, "receive": 0}
                }]}}
                """
                .utf8
            )
        )
    }

    private static func node() -> RequestNode<WebSocketMessage> {
        StubbedClient().manager.request(WebSocketMessage.self).url(url)
    }

    @Test
    func `messages of both directions are recorded with the end, masked like bodies`() async throws {
        let archive = try await Self.recording()

        let entry = try #require(archive.entries.first)
        let messages = try #require(entry.webSocketMessages)
        #expect(archive.entries.count == 1)
        #expect(entry.response.status == 101)
        #expect(messages.map(\.isSent) == [false, true, false])
        #expect(messages.map(\.isText) == [true, true, false])
        #expect(String(decoding: messages[0].bytes, as: UTF8.self) == #"{"id":7,"token":"<redacted>"}"#)
        #expect(messages[1].bytes == Data("hello".utf8))
        let end = try #require(entry.webSocketEnd)
        #expect(end.code == 1000 && end.reason == "done" && end.isByServer)
        let again = try HAR(data: try archive.data())
        #expect(again.entries.first?.webSocketMessages?.map(\.bytes) == messages.map(\.bytes))
        #expect(again.entries.first?.webSocketEnd == end)
    }

    @Test
    func `the strictest rules record no text`() async throws {
        let archive = try await Self.recording(RecordingRules())
        let text = String(decoding: try archive.data(), as: UTF8.self)
        #expect(!text.contains("hello") && !text.contains("s3cret") && !text.contains("done"))
        #expect(archive.entries.first?.webSocketMessages?.count == 3)
    }

    @Test
    func `a message that looks like a secret is not written to a file`() async throws {
        var rules = RecordingRules()
        rules.allowsOtherBodies = true
        let recorder = HARRecorder(rules: rules)
        try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.text("ghp_" + String(repeating: "a1B2c3", count: 6)))
            try await connection.close(1000)
        } _: { server in
            try await recorder.record {
                let socket = try await server.node.webSocket()
                while try await socket.receive() != nil {}
            }
        }

        let file = FileManager.default.temporaryDirectory.appending(path: "live-\(UInt64.random(in: 0 ... .max)).har")
        let error = #expect(throws: RestClientError.self) { try recorder.write(to: file) }
        #expect(error?.code == .secretInRecording)
        #expect(error?.message.contains("_webSocketMessages[0]") == true)
    }

    @Test
    func `a recording of a browser is replayed, the client's messages in between`() async throws {
        let archive = try Self.browser(
            """
            {"type": "receive", "time": 1795251600.5, "opcode": 1, "data": "welcome"},
            {"type": "send", "time": 1795251601, "opcode": 1, "data": "hello"},
            {"type": "receive", "time": 1795251602, "opcode": 2, "data": "AAH/"}
            """
        )
        let replay = HARReplay(archive, rules: Self.rules)

        try await replay.replay {
            let socket = try await Self.node().webSocket(sending: String.self)
            #expect(try await socket.receive() == "welcome")
            try await socket.send("hello")
            #expect(try await socket.receive() == .binary(Data([0, 1, 255])))
            #expect(try await socket.receive() == nil)
        }
        #expect(replay.unused.isEmpty)
    }

    @Test
    func `a recording with extreme values is refused or replayed, and ends`() async throws {
        let marked = """
            {"type":§"receive"§,"time":§1.5§,"opcode":§1§,"data":§"a"§},
            {"type":"receive","time":§2§,"opcode":§2§,"data":§"AA=="§}],
            "_webSocketEnd":{"code":§1000§,"reason":§"done"§,"isByServer":§true§},"_other":[
            """
        for messages in [ExtremeJSON.plain(marked)] + ExtremeJSON.variants(of: marked) {
            guard let archive = try? Self.browser(messages) else {
                continue
            }
            try? await HARReplay(archive, rules: Self.rules)
                .replay {
                    let socket = try await Self.node().webSocket()
                    for _ in archive.entries.first?.webSocketMessages ?? [] {
                        _ = try await socket.receive()
                    }
                    await socket.close()
                }
        }
        #expect(try Self.browser(ExtremeJSON.plain(marked)).entries.first?.webSocketEnd?.code == 1000)
    }

    @Test
    func `a message that was not recorded ends the replay`() async throws {
        let archive = try Self.browser(
            """
            {"type": "send", "time": 1, "opcode": 1, "data": "hello"},
            {"type": "receive", "time": 2, "opcode": 1, "data": "welcome"}
            """
        )
        try await HARReplay(archive, rules: Self.rules)
            .replay {
                let socket = try await Self.node().webSocket(sending: String.self)
                try await socket.send("other")
                let error = await #expect(throws: RestClientError.self) { try await socket.receive() }
                #expect(error?.code == .notRecorded)
            }
    }

    /// Says hello once it is greeted, and returns what it receives until the server closes.
    private static func conversation(over node: RequestNode<WebSocketMessage>) async throws -> [WebSocketMessage] {
        let socket = try await node.webSocket(sending: String.self)
        var messages: [WebSocketMessage] = []
        while let message = try await socket.receive() {
            messages.append(message)
            if messages.count == 1 {
                try await socket.send("hello")
            }
        }
        return messages
    }

    @Test
    func `a fixture records a conversation once, and replays it without the server`() async throws {
        let directory = try TemporaryDirectory()
        var live = HARFixture(directory.path("live.har"), mode: .once)
        live.rules = Self.rules
        let fixture = live
        let (port, recorded) = try await FrameServer.with { connection in
            try await connection.handshake()
            try await connection.write(FrameConnection.text(#"{"id": 7, "token": "s3cret"}"#))
            let frame = try await connection.readFrame()
            try await connection.write(FrameConnection.frame(2, frame.payload))
            try await connection.close(1000, "done")
        } _: { server in
            (server.port, try await fixture.use { _ in try await Self.conversation(over: server.node) })
        }
        #expect(recorded == [.text(#"{"id": 7, "token": "s3cret"}"#), .binary(Data("hello".utf8))])

        let client = StubbedClient()
        let node = client.manager.request(WebSocketMessage.self).url("http://127.0.0.1:\(port)/live")
        let replayed = try await fixture.use { replay in
            let messages = try await Self.conversation(over: node)
            #expect(replay.unused.isEmpty)
            return messages
        }

        #expect(replayed == [.text(#"{"id":7,"token":"<redacted>"}"#), .binary(Data("hello".utf8))])
        #expect(client.requests.isEmpty)
    }

    @Test(arguments: [(1011, RestClientError.Code.webSocketClosed), (4000, .webSocketClosed)])
    func `the end of a conversation is replayed too`(code: Int, expected: RestClientError.Code) async throws {
        var archive = try await Self.recording(closing: code)
        archive.entries[0].request.url = Self.url
        try await HARReplay(archive, rules: Self.rules)
            .replay {
                let socket = try await Self.node().webSocket(sending: String.self)
                _ = try await socket.receive()
                try await socket.send("hello")
                #expect(try await socket.receive() == .binary(Data("hello".utf8)))
                let error = await #expect(throws: RestClientError.self) { try await socket.receive() }
                #expect(error?.code == expected)
                #expect(socket.closure?.code.rawValue == UInt16(code))
            }
    }
}
