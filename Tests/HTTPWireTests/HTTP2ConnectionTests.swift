// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import HTTPTypes
import NIOCore
import NIOPosix
import RestEssentials
import Testing

@testable import HTTPWire

/// Exchanges over HTTP/2, with servers that send what they should, and with those that do not.
@Suite(.timeLimit(.minutes(5)))
struct HTTP2ConnectionTests {
    private struct Scene {
        let client: WireClient
        let server: FrameServer

        func exchange(
            _ method: String = "GET",
            target: String = "/",
            fields: HTTPFields = [:],
            body: Data? = nil,
            upload: WireStream? = nil,
            limit: Int = 1 << 20,
            streams: Bool = false
        ) throws -> WireExchange {
            let pool = try client.pool(to: WireOrigin(isSecure: false, host: "127.0.0.1", port: server.port))
            let request = try WireRequest(
                method: method,
                target: target,
                host: "odd.test",
                fields: fields,
                body: body,
                stream: upload
            )
            return WireExchange(request, over: pool, limit: limit, codedLimit: limit, streams: streams)
        }

        func send(_ method: String = "GET", body: Data? = nil, limit: Int = 1 << 20) async throws -> WireResponse {
            try await exchange(method, body: body, limit: limit).response()
        }

        /// Sends a request, and returns its status and body, or its failure, in words.
        func outcome(_ method: String = "GET", body: Data? = nil, limit: Int = 1 << 20) async -> String {
            do {
                let response = try await send(method, body: body, limit: limit)
                return "\(response.head.status) \(String(decoding: response.body, as: UTF8.self))"
            } catch {
                return "\(error)"
            }
        }
    }

    private static func with<Result>(
        settings: [(HTTP2Setting, Int)] = [],
        on trigger: FrameServer.Trigger = .end,
        pingInterval: TimeAmount = .hours(1),
        _ respond: @escaping @Sendable (FrameServer.Request) -> [FrameServer.Step],
        _ body: (Scene) async throws -> Result
    ) async throws -> Result {
        var configuration = WireScene.patient()
        configuration.assumesHTTP2 = true
        configuration.pingInterval = pingInterval
        let client = WireClient(configuration, on: MultiThreadedEventLoopGroup.singleton)
        return try await FrameServer.with(settings: settings, on: trigger, respond) { server in
            try await body(Scene(client: client, server: server))
        }
    }

    // MARK: - Responses

    @Test
    func `Requests one after the other and at once share a connection`() async throws {
        try await Self.with { request in
            FrameServer.Step.fine(request[":path"] ?? "")
        } _: { scene in
            for number in 0..<3 {
                let response = try await scene.send()
                #expect(response.head.status == 200 && response.head.isHTTP2)
                #expect((response.times.connected == nil) == (number > 0))
            }
            try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let response = try await scene.exchange(target: "/\(number)").response()
                        return String(decoding: response.body, as: UTF8.self)
                    }
                }
                let bodies = try await group.reduce(into: Set<String>()) { $0.insert($1) }
                #expect(bodies.count == 200)
            }
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test
    func `A request has the fields of HTTP/2, and none that are for one connection`() async throws {
        try await Self.with { _ in
            FrameServer.Step.fine()
        } _: { scene in
            var fields = HTTPFields()
            fields[.connection] = "keep-alive"
            fields[.te] = "gzip"
            fields[.accept] = "*/*"
            fields[.authorization] = "Bearer t"
            _ = try await scene.exchange("POST", target: "/a?b=c", fields: fields, body: Data("x".utf8)).response()
            let request = try #require(scene.server.requests.first)
            #expect(
                request.fields.map { "\($0.name)=\($0.value)" } == [
                    ":method=POST", ":scheme=http", ":authority=odd.test", ":path=/a?b=c", "accept=*/*",
                    "authorization=Bearer t", "content-length=1",
                ]
            )
            #expect(request.body == Data("x".utf8))
        }
    }

    @Test
    func `A head beyond one frame goes out in several, and comes back whole`() async throws {
        let long = String(repeating: "x", count: 50_000)
        try await Self.with { request in
            [.head([(":status", "200"), ("x-long", request["x-long"] ?? "")], ends: true)]
        } _: { scene in
            let name = try #require(HTTPField.Name("X-Long"))
            let response = try await scene.exchange(fields: [name: long]).response()
            #expect(response.head.fields.first?.value == long)
        }
    }

    @Test
    func `Interim responses and trailers are no part of the response`() async throws {
        try await Self.with { _ in
            [
                .head([(":status", "103"), ("link", "</a>")]), .head([(":status", "200"), ("content-length", "2")]),
                .data("o"), .data(""), .data(""), .data("k"), .head([("x-sum", "1")], ends: true),
            ]
        } _: { scene in
            let response = try await scene.send()
            #expect(response.interim.map(\.status) == [103])
            #expect(String(decoding: response.body, as: UTF8.self) == "ok")
            #expect(response.head.fields.count == 1 && response.head.fields[.contentLength] == "2")
        }
    }

    private typealias Step = FrameServer.Step

    private static let malformed: [(String, [Step])] = [
        ("malformed", [Step.head([(":status", "")], ends: true)]),
        ("malformed", [Step.head([(":status", "2000")], ends: true)]),
        ("malformed", [Step.head([(":status", "200"), (":status", "200")], ends: true)]),
        ("malformed", [Step.head([("a", "b")], ends: true)]),
        ("malformed", [Step.head([("a", "b"), (":status", "200")], ends: true)]),
        ("malformed", [Step.head([(":status", "200"), (":path", "/")], ends: true)]),
        ("malformed", [Step.head([(":status", "200"), ("connection", "close")], ends: true)]),
        ("malformed", [Step.head([(":status", "200"), ("Upper", "b")], ends: true)]),
        ("malformed", [Step.head([(":status", "200"), ("a", "b\r\nc: d")], ends: true)]),
        ("malformed", [Step.head([(":status", "200"), ("a b", "c")], ends: true)]),
        ("malformed", [Step.head([(":status", "200"), ("a", " b")], ends: true)]),
        ("malformed", [Step.head([(":status", "103")], ends: true)]),
        ("malformed", [Step.head([(":status", "101")], ends: true)]),
        ("malformed", [Step.head([(":status", "200"), ("content-length", "3")]), .data("ok", ends: true)]),
        ("malformed", [Step.head([(":status", "200"), ("content-length", "1")]), .data("ok", ends: true)]),
        ("malformed", [Step.head([(":status", "200"), ("content-length", "x")]), .data("ok", ends: true)]),
        ("malformed", [.data("ok", ends: true)]),
        ("malformed", [Step.head([(":status", "200")]), .head([(":status", "200")], ends: true)]),
        ("malformed", [Step.head([(":status", "200")]), .head([("a", "b")])]),
        ("malformed", [Step.head([(":status", "204")]), .data("ok", ends: true)]),
        ("reset", [.reset(.protocolError)]), ("reset", [Step.head([(":status", "200")]), Step.reset(.none)]),
    ]

    @Test(arguments: malformed)
    func `A malformed response fails its call, and the next one works`(
        fault: String,
        steps: [FrameServer.Step]
    ) async throws {
        try await Self.with { request in
            request.number == 1 ? steps : FrameServer.Step.fine()
        } _: { scene in
            #expect(await scene.outcome().hasPrefix(fault))
            #expect(await scene.outcome() == "200 ok")
            #expect(scene.server.connectionCount == 1)
        }
    }

    private static let frames: [(HTTP2Defect, ByteBuffer)] = {
        func frame(_ write: (inout ByteBuffer) -> Void) -> ByteBuffer {
            var bytes = ByteBuffer()
            write(&bytes)
            return bytes
        }
        func empty(_ kind: HTTP2Frame.Kind, stream: Int = 0, size: Int = 0) -> ByteBuffer {
            frame { bytes in
                bytes.writeFrameHead(kind, stream: stream, size: size)
                bytes.writeRepeatingByte(0, count: size)
            }
        }
        return [
            (.frameSize, frame { $0.writeFrameHead(.data, stream: 1, size: 20_000) }),
            (.frameSize, empty(.ping, size: 7)), (.frameSize, empty(.settings, size: 5)),
            (.frameSize, empty(.reset, stream: 1, size: 3)), (.frameSize, empty(.goAway, size: 7)),
            (.frameSize, empty(.priority, stream: 1, size: 4)),
            (
                .padding,
                frame { bytes in
                    bytes.writeFrameHead(.data, .isPadded, stream: 1, size: 2)
                    bytes.writeBytes([9, 0])
                }
            ),
            (.streamIdentifier, empty(.data)), (.streamIdentifier, empty(.headers)),
            (.streamIdentifier, empty(.headers, stream: 2)), (.streamIdentifier, empty(.data, stream: 99)),
            (.streamIdentifier, empty(.reset, stream: 99, size: 4)),
            (.streamIdentifier, empty(.ping, stream: 1, size: 8)),
            (.settingValue, frame { $0.writeSettings([(.maximumFrameSize, 1)]) }),
            (.settingValue, frame { $0.writeSettings([(.enablePush, 1)]) }),
            (.flowControl, frame { $0.writeSettings([(.initialWindowSize, 1 << 31)]) }),
            (.windowIncrement, frame { $0.writeWindowUpdate(stream: 0, increment: 0) }),
            (.flowControl, frame { $0.writeWindowUpdate(stream: 0, increment: 1 << 31 - 1) }),
            (.push, empty(.pushPromise, stream: 1, size: 4)),
            (.interruptedBlock, empty(.continuation, stream: 1)),
            (
                .interruptedBlock,
                frame { bytes in
                    bytes.writeFrameHead(.headers, stream: 1, size: 0)
                    bytes.writePing(1, isReply: false)
                }
            ),
            (
                .compression,
                frame { bytes in
                    bytes.writeFrameHead(.headers, .endsBlock, stream: 1, size: 2)
                    bytes.writeBytes([0xFF, 0xFF])
                }
            ),
            (
                .blockTooLarge,
                frame { bytes in
                    bytes.writeFrameHead(.headers, stream: 1, size: 0)
                    for _ in 0..<100 {
                        bytes.writeFrameHead(.continuation, stream: 1, size: 0)
                    }
                }
            ),
            (
                .flood,
                frame { bytes in
                    for _ in 0..<5_000 {
                        bytes.writePing(1, isReply: false)
                    }
                }
            ),
            (
                .flood,
                frame { bytes in
                    for _ in 0..<5_000 {
                        bytes.writeSettings([])
                    }
                }
            ),
        ]
    }()

    @Test(arguments: frames)
    func `A connection that breaks a rule is closed with a reason, and another one is made`(
        defect: HTTP2Defect,
        bytes: ByteBuffer
    ) async throws {
        try await Self.with { request in
            request.number == 1 ? [.raw(bytes)] : FrameServer.Step.fine()
        } _: { scene in
            #expect(await scene.outcome() == "brokenConnection(\(defect))")
            await scene.server.wait { $0.goAways == 1 }
            #expect(await scene.outcome() == "200 ok")
            #expect(scene.server.connectionCount == 2)
        }
    }

    @Test(arguments: ["GET", "HEAD"])
    func `A body beyond the limit fails, unless only its length is told`(method: String) async throws {
        try await Self.with { _ in
            [.head([(":status", "200"), ("content-length", "5")], ends: method == "HEAD")]
                + (method == "HEAD" ? [] : [.data("hello", ends: true)])
        } _: { scene in
            #expect(await scene.outcome(method, limit: 4) == (method == "HEAD" ? "200 " : "bodyOverLimit"))
        }
    }

    // MARK: - Limits of streams, and ends of connections

    @Test(arguments: [1, 3])
    func `No more streams are open than the server allows`(limit: Int) async throws {
        let gate = Gate()
        try await Self.with(settings: [(.maximumConcurrentStreams, limit)]) { request in
            request.number <= limit ? [.wait(gate)] + FrameServer.Step.fine() : FrameServer.Step.fine()
        } _: { scene in
            // So that the settings have come.
            let first = Task { await scene.outcome() }
            await scene.server.wait { $0.requests == 1 }
            let others = (1..<20).map { _ in Task { await scene.outcome() } }
            await scene.server.wait { $0.requests == limit }
            gate.open()
            for task in [first] + others {
                #expect(await task.value == "200 ok")
            }
            #expect(scene.server.requests.count == 20 && scene.server.connectionCount == 1)
        }
    }

    @Test
    func `A limit of no streams holds requests back until it is raised`() async throws {
        let (lowered, raised) = (Gate(), Gate())
        try await Self.with { request in
            request.number == 1
                ? [.settings([(.maximumConcurrentStreams, 0)])] + FrameServer.Step.fine()
                    + [.wait(raised), .settings([(.maximumConcurrentStreams, 10)])]
                : FrameServer.Step.fine()
        } _: { scene in
            #expect(await scene.outcome() == "200 ok")
            lowered.open()
            let second = Task { await scene.outcome() }
            raised.open()
            #expect(await second.value == "200 ok")
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test
    func `Of streams above the last one of GOAWAY it is said that they were not processed`() async throws {
        try await Self.with { request in
            switch request.number {
            case 1: [.head([(":status", "200")]), .data("first")]
            case 2: [.goAway(last: 1)]
            default: FrameServer.Step.fine()
            }
        } _: { scene in
            let first = try scene.exchange(streams: true)
            #expect(try await first.response().head.status == 200)
            #expect(await scene.outcome("POST", body: Data("x".utf8)) == "unprocessed")
            let last = await scene.outcome()
            #expect(last == "200 ok", "\(last)")
            #expect(scene.server.requests.map(\.connection) == [1, 1, 2])
            first.cancel()
        }
    }

    @Test
    func `A refused stream was not processed`() async throws {
        try await Self.with { request in
            request.number == 1 ? [.reset(.refusedStream)] : FrameServer.Step.fine()
        } _: { scene in
            #expect(await scene.outcome("POST", body: Data("x".utf8)) == "unprocessed")
            #expect(await scene.outcome("POST", body: Data("x".utf8)) == "200 ok")
        }
    }

    @Test
    func `A connection that ends fails its calls, as stale ones if it was used before`() async throws {
        try await Self.with { request in
            request.number == 2 ? [.close] : FrameServer.Step.fine()
        } _: { scene in
            let first = await scene.outcome()
            #expect(first == "200 ok", "\(first)")
            let second = await scene.outcome()
            #expect(second.hasPrefix("stale"), "\(second)")
            #expect(await scene.outcome() == "200 ok")
        }
    }

    @Test
    func `A call that is cancelled resets its stream alone`() async throws {
        try await Self.with { request in
            request.number == 1 ? [] : FrameServer.Step.fine()
        } _: { scene in
            let task = Task { try await scene.send() }
            await scene.server.wait { $0.requests == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await scene.server.wait { $0.resets == 1 }
            #expect(scene.server.resets == [.cancel])
            #expect(await scene.outcome() == "200 ok")
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test
    func `A server that is silent is asked for a sign of life, and given up without one`() async throws {
        try await Self.with(pingInterval: .milliseconds(20)) { _ in
            []
        } _: { scene in
            #expect(await scene.outcome() == "cut")
            await scene.server.wait { $0.pings == 1 }
        }
    }

    // MARK: - Bodies

    @Test(arguments: [0, 1, 16_384, 100_000, 300_000])
    func `A body in memory goes out as far as the windows allow`(count: Int) async throws {
        let body = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        try await Self.with(settings: [(.initialWindowSize, 1 << 20)]) { request in
            FrameServer.Step.fine("\(request.body == body)")
        } _: { scene in
            // The window of the connection has room for 65,535 bytes.
            let task = Task { await scene.outcome("PUT", body: body) }
            if count > 65_535 {
                await scene.server.wait { $0.requests == 0 }
            }
            if count <= 65_535 {
                #expect(await task.value == "200 true")
            } else {
                task.cancel()
                _ = await task.value
            }
        }
    }

    @Test
    func `A body goes on when the windows grow`() async throws {
        let body = Data(repeating: 7, count: 200_000)
        try await Self.with(settings: [(.initialWindowSize, 10)], on: .head) { request in
            [.settings([(.initialWindowSize, 1 << 20)]), .windowUpdate(1 << 20, onConnection: true)]
                + (request.number == 1 ? [.head([(":status", "200")]), .data("early", ends: true)] : [])
        } _: { scene in
            #expect(await scene.outcome("PUT", body: body) == "200 early")
        }
    }

    @Test
    func `A response that refuses a body ends its upload`() async throws {
        try await Self.with(on: .head) { _ in
            [.head([(":status", "413")], ends: true)]
        } _: { scene in
            #expect(await scene.outcome("PUT", body: Data(repeating: 7, count: 500_000)) == "413 ")
            await scene.server.wait { $0.resets == 1 }
            #expect(scene.server.resets == [.cancel])
        }
    }

    @Test
    func `A streamed body is sent as it comes, and its length is checked`() async throws {
        try await Self.with { request in
            FrameServer.Step.fine("\(request.body.count) \(request["content-length"] ?? "-")")
        } _: { scene in
            for (length, count, expected) in [(nil, 30_000, "30000 -"), (30_000, 30_000, "30000 30000")]
                as [(Int64?, Int, String)]
            {
                let stream = WireStream(length: length) { upload in
                    Task {
                        do {
                            for _ in 0..<3 {
                                try await upload.write(ByteBuffer(repeating: 1, count: count / 3))
                            }
                            upload.end(.success(()))
                        } catch {
                            upload.end(.failure(error))
                        }
                    }
                }
                let response = try await scene.exchange("POST", upload: stream).response()
                #expect(String(decoding: response.body, as: UTF8.self) == expected)
            }
            let short = WireStream(length: 9) { upload in
                Task { upload.end(.success(())) }
            }
            await #expect(throws: WireFault.self) { _ = try await scene.exchange("POST", upload: short).response() }
        }
    }

    @Test
    func `A reader that is behind holds back its stream alone`() async throws {
        let part = String(repeating: "x", count: 16_000)
        try await Self.with { request in
            request.number == 1
                ? [.head([(":status", "200")])] + (0..<60).map { _ in .data(part) } + [.data("", ends: true)]
                : FrameServer.Step.fine()
        } _: { scene in
            let slow = try scene.exchange(streams: true)
            #expect(try await slow.response().head.status == 200)
            #expect(await scene.outcome() == "200 ok")
            var count = 0
            while let chunk = try await slow.nextChunk() {
                count += chunk.readableBytes
            }
            #expect(count == 60 * part.utf8.count)
        }
    }
}
