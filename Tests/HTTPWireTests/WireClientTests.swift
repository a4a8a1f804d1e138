// SPDX-License-Identifier: MIT

import HTTPTypes
import NIOCore
import NIOPosix
import RestEssentials
import Testing

@testable import HTTPWire

/// Exchanges with servers that send what they should, and with those that do not.
@Suite(.timeLimit(.minutes(5)))
struct WireClientTests {
    // MARK: - Responses

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nX: y\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\n\r\nhello", true),
        ("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", false),
        ("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false),
    ])
    func `A response is the same at once and a byte at a time`(text: String, closes: Bool) async throws {
        for isTrickled in [false, true] {
            let steps: [OddServer.Step] = [isTrickled ? .trickle(text) : .send(text)] + (closes ? [.close] : [])
            try await WireScene.with { _ in
                steps
            } _: { scene in
                for _ in 0..<3 {
                    let response = try await scene.send()
                    #expect(response.head.status == 200)
                    #expect(String(decoding: response.body, as: UTF8.self) == "hello")
                    #expect(response.interim.map(\.status) == (text.contains("103") ? [103] : []))
                }
            }
        }
    }

    @Test(arguments: [
        WireScene.fine, "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 204 No\r\n\r\n",
    ])
    func `Requests one after the other share a connection`(text: String) async throws {
        try await WireScene.with { _ in
            [.send(text)]
        } _: { scene in
            for number in 0..<5 {
                let response = try await scene.send()
                #expect((response.times.connected == nil) == (number > 0))
            }
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\nConnection: keep-alive, close\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 Evil\r\nContent-Length: 4\r\n\r\nevil",
        "HTTP/1.1 204 No\r\n\r\n\r\n",
    ])
    func `A connection that ends or has too many bytes serves no other request`(text: String) async throws {
        try await WireScene.with { _ in
            [.send(text)]
        } _: { scene in
            for _ in 0..<3 {
                let response = try await scene.send()
                #expect(response.body == Data())
            }
            #expect(scene.server.connectionCount == 3)
            await scene.server.waitForOpenConnections(0)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd\r\n\r\n", "HTTP/1.1 099 Low\r\n\r\n", "220 smtp ready\r\n",
        "HTTP/1.1 200 OK\r\n folded\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
    func `A malformed response fails, and the next request gets another connection`(text: String) async throws {
        try await WireScene.with {
            [.send($0 == 0 ? text : WireScene.fine)]
        } _: { scene in
            try await scene.expect("malformed")
            try await scene.expect("200")
            #expect(scene.server.connectionCount == 2)
        }
    }

    @Test
    func `A flood of interim responses ends`() async throws {
        let flood = String(repeating: "HTTP/1.1 102 Processing\r\n\r\n", count: 1_000)
        try await WireScene.with { _ in
            [.send(flood)]
        } _: { scene in
            try await scene.expect("malformed")
        }
    }

    @Test
    func `The first interim responses are kept, and the others are not`() async throws {
        let hints = (0..<20).map { "HTTP/1.1 103 Early Hints\r\nNumber: \($0)\r\n\r\n" }.joined()
        try await WireScene.with { _ in
            [.send(hints + WireScene.fine)]
        } _: { scene in
            for _ in 0..<2 {
                let response = try await scene.send()
                #expect(response.head.status == 200)
                #expect(response.interim.compactMap { $0.fields.first?.value } == (0..<16).map { "\($0)" })
            }
        }
    }

    @Test
    func `Fields without end are refused`() async throws {
        let line = "X-Long: " + String(repeating: "x", count: 4_000) + "\r\n"
        try await WireScene.with { _ in
            [.send("HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 100))]
        } _: { scene in
            try await scene.expect("malformed")
        }
    }

    @Test(arguments: ["", "HTT", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"])
    func `A connection that is cut fails its request, in any phase`(text: String) async throws {
        for end in [OddServer.Step.close, .reset] {
            try await WireScene.with { _ in
                [.send(text), end]
            } _: { scene in
                do {
                    _ = try await scene.send()
                    Issue.record("a response came")
                } catch let fault as WireFault {
                    #expect(fault.name == "cut")
                } catch {
                    #expect(error is IOError)
                }
            }
        }
    }

    @Test
    func `A cut in the middle of chunks is an error, not a short body`() async throws {
        let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
        try await WireScene.with { _ in
            [.send(text), .close]
        } _: { scene in
            try await scene.expect("cut")
        }
    }

    @Test
    func `A kept connection that ends under a request is called stale`() async throws {
        try await WireScene.with {
            $0 == 0 ? [.send(WireScene.fine)] : [.close]
        } _: { scene in
            try await scene.expect("200")
            try await scene.expect("stale")
            try await scene.expect("cut")
        }
    }

    @Test
    func `A kept connection that is cut within its response is not stale`() async throws {
        try await WireScene.with {
            $0 == 0 ? [.send(WireScene.fine)] : [.send("H"), .close]
        } _: { scene in
            try await scene.expect("200")
            try await scene.expect("cut")
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n01234567890",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n01234567890\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n",
    ])
    func `A body over its limit ends the exchange`(text: String) async throws {
        try await WireScene.with { _ in
            [.send(text)]
        } _: { scene in
            try await scene.expect("bodyOverLimit", limit: 10)
            await scene.server.waitForOpenConnections(0)
        }
    }

    @Test
    func `The length of a response to HEAD counts for nothing`() async throws {
        try await WireScene.with { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 11000000\r\n\r\n")]
        } _: { scene in
            try await scene.expect("200", to: "HEAD", limit: 10)
            try await scene.expect("200", to: "HEAD", limit: 10)
            #expect(scene.server.connectionCount == 1)
        }
    }

    // MARK: - Requests

    @Test
    func `A request is written with its host first and its length`() async throws {
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            _ = try await scene.send("POST", fields: [.accept: "a/b", .contentLength: "7"], body: Data("four".utf8))
            _ = try await scene.send("GET")
            _ = try await scene.send("PUT")
            #expect(
                scene.server.requests == [
                    "POST / HTTP/1.1\r\nHost: odd.test\r\nAccept: a/b\r\nContent-Length: 4\r\n\r\nfour",
                    "GET / HTTP/1.1\r\nHost: odd.test\r\n\r\n",
                    "PUT / HTTP/1.1\r\nHost: odd.test\r\nContent-Length: 0\r\n\r\n",
                ]
            )
        }
    }

    @Test
    func `A request names its host once, and expects nothing if it has no content`() async throws {
        var fields: HTTPFields = [.expect: "100-continue"]
        let name = try #require(HTTPField.Name("Host"))
        fields.append(HTTPField(name: name, value: "first.test"))
        fields.append(HTTPField(name: name, value: "second.test"))
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { [fields] scene in
            let empty = WireStream(length: 0) { upload in Task { upload.end(.success(())) } }

            _ = try await scene.send("PUT", fields: fields)
            _ = try await scene.send("PUT", fields: fields, body: Data())
            _ = try await scene.text(try scene.exchange("PUT", fields: fields, upload: empty))

            let head = "PUT / HTTP/1.1\r\nHost: first.test\r\nContent-Length: 0\r\n\r\n"
            #expect(scene.server.requests == [head, head, head])
        }
    }

    @Test(arguments: [("close", 3), ("a, Close ,b", 3), ("closed", 1), ("keep-alive", 1)])
    func `A request that says close is the last one of its connection`(value: String, connections: Int) async throws {
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            for _ in 0..<3 {
                _ = try await scene.send(fields: [.connection: value])
            }
            #expect(scene.server.connectionCount == connections)
            scene.client.close()
            await scene.server.waitForOpenConnections(0)
        }
    }

    @Test
    func `What would make two messages of one is not written`() {
        let rows: [(method: String, target: String, host: String)] = [
            ("GET x", "/", "a"), ("", "/", "a"), ("GET\r\n", "/", "a"), ("GET", "/ HTTP/1.1\r\nX: y", "a"),
            ("GET", "/a b", "a"), ("GET", "/\u{E9}", "a"), ("GET", "a", "a"), ("GET", "", "a"), ("GET", "/\0", "a"),
            ("GET", "/", "a\r\nX: y"), ("GET", "/", "a\0"), ("GET", "/\u{7F}", "a"),
        ]
        for row in rows {
            #expect(throws: WireFault.self, "\(row)") {
                try WireRequest(method: row.method, target: row.target, host: row.host, fields: [:], body: nil)
            }
        }
        #expect(throws: WireFault.self) {
            try WireRequest(method: "TRACE", target: "/", host: "a", fields: [:], body: Data([1]))
        }
    }

    @Test
    func `A long body is sent whole`() async throws {
        let body = Data(repeating: 97, count: 3 << 20)
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            // The server responds to the head, and the body is sent all the same, before the next request.
            try await scene.expect("200", to: "POST", body: body)
            try await scene.expect("200", to: "GET")
            #expect(scene.server.connectionCount == 1)
            #expect(scene.server.receivedCount > body.count)
        }
    }

    @Test(arguments: [413, 401])
    func `A failure that comes before the body is sent ends the request`(status: Int) async throws {
        let body = Data(repeating: 97, count: 64 << 20)
        let text = "HTTP/1.1 \(status) Early\r\nContent-Length: 3\r\n\r\nwhy"
        try await WireScene.with { _ in
            [.stopReading, .send(text)]
        } _: { scene in
            let response = try await scene.send("POST", body: body)
            #expect(response.head.status == status)
            #expect(String(decoding: response.body, as: UTF8.self) == "why")
        }
    }

    @Test
    func `A body waits for the consent of the server`() async throws {
        try await WireScene.with {
            [
                $0 == 0
                    ? .send("HTTP/1.1 417 No\r\nContent-Length: 0\r\n\r\n")
                    : .send("HTTP/1.1 100 Go\r\n\r\n" + WireScene.fine)
            ]
        } _: { scene in
            let fields: HTTPFields = [.expect: "100-continue"]
            let refused = try await scene.send("PUT", fields: fields, body: Data("body".utf8))
            #expect(refused.head.status == 417)
            let accepted = try await scene.send("PUT", fields: fields, body: Data("body".utf8))
            #expect(accepted.head.status == 200 && accepted.interim.map(\.status) == [100])
            #expect(!scene.server.requests[0].hasSuffix("body"))
            #expect(scene.server.connectionCount == 2)
        }
    }

    // MARK: - Time and cancellation

    @Test
    func `A cancelled exchange closes its connection`() async throws {
        try await WireScene.with { _ in
            []
        } _: { scene in
            let task = Task { try await scene.send() }
            await scene.server.waitForRequests(1)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            await scene.server.waitForOpenConnections(0)
        }
    }

    @Test
    func `An exchange that is cancelled before it begins sends nothing`() async throws {
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            let exchange = try scene.exchange(streams: false)
            exchange.cancel()
            await #expect(throws: CancellationError.self) { try await exchange.response() }
            try await scene.expect("200")
            #expect(scene.server.requests.count == 1)
        }
    }

    @Test
    func `An exchange that is cancelled while it waits leaves the queue`() async throws {
        try await WireScene.with(WireScene.patient { $0.connectionsPerOrigin = 1 }) {
            $0 == 0 ? [] : [.send(WireScene.fine)]
        } _: { scene in
            let first = try scene.exchange(streams: false)
            let holder = Task { try await first.response() }
            await scene.server.waitForRequests(1)
            let waiting = try scene.exchange(streams: false)
            let waiter = Task { try await waiting.response() }
            let last = Task { try await scene.send() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiter.value }
            first.cancel()
            await #expect(throws: CancellationError.self) { try await holder.value }
            let response = try await last.value
            #expect(response.head.status == 200)
            #expect(scene.server.requests.count == 2)
        }
    }

    @Test
    func `Cancelling an exchange that has ended does not touch the next one`() async throws {
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            for _ in 0..<200 {
                let exchange = try scene.exchange(streams: false)
                _ = try await exchange.response()
                exchange.cancel()
            }
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test
    func `Exchanges that are cancelled at any moment end once, and the others are served`() async throws {
        try await WireScene.with(WireScene.patient { $0.connectionsPerOrigin = 4 }) { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            let ends = await withTaskGroup(of: String.self) { group in
                for number in 0..<400 {
                    group.addTask {
                        do {
                            let exchange = try scene.exchange(streams: false)
                            async let response = exchange.response()
                            if number.isMultiple(of: 3) {
                                exchange.cancel()
                            }
                            return "\(try await response.head.status)"
                        } catch {
                            return error is CancellationError ? "cancelled" : "\(error)"
                        }
                    }
                }
                return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(Set(ends.keys).isSubset(of: ["200", "cancelled"]))
            #expect(ends.values.reduce(0, +) == 400)
            #expect(ends["200", default: 0] >= 266)
        }
    }

    @Test
    func `An exchange ends when its time is up`() async throws {
        try await WireScene.with { _ in
            []
        } _: { scene in
            let exchange = try scene.exchange(streams: false)
            let task = Task { try await exchange.response() }
            await scene.server.waitForRequests(1)
            exchange.expire()
            await #expect(throws: WireFault.self) { try await task.value }
            await scene.server.waitForOpenConnections(0)
        }
    }

    // MARK: - Connections

    @Test
    func `No more connections than allowed are made, and all requests are served`() async throws {
        try await WireScene.with(WireScene.patient { $0.connectionsPerOrigin = 3 }) { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<60 {
                    group.addTask { _ = try await scene.send() }
                }
                try await group.waitForAll()
            }
            #expect(scene.server.connectionCount <= 3)
            #expect(scene.server.requests.count == 60)
        }
    }

    @Test
    func `A connection that nobody uses is closed in time`() async throws {
        try await WireScene.with(WireScene.patient { $0.idleTimeout = .milliseconds(1) }) { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            _ = try await scene.send()
            await scene.server.waitForOpenConnections(0)
        }
    }

    @Test(arguments: [(TimeAmount.zero, 3), (.hours(1), 1)])
    func `A connection that is too old serves no other request`(age: TimeAmount, connections: Int) async throws {
        try await WireScene.with(WireScene.patient { $0.maximumAge = age }) { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            for _ in 0..<3 {
                _ = try await scene.send()
            }
            #expect(scene.server.connectionCount == connections)
            if age == .zero {
                await scene.server.waitForOpenConnections(0)
            }
        }
    }

    @Test
    func `A client that is closed keeps no connection and takes no request`() async throws {
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            _ = try await scene.send()
            scene.client.close()
            await scene.server.waitForOpenConnections(0)
            try await scene.expect("closed")
        }
    }

    @Test
    func `An origin has one pool as long as somebody uses it, however many origins there are`() async throws {
        let client = WireClient(WireConfiguration(), on: MultiThreadedEventLoopGroup.singleton)
        let first = WireOrigin(isSecure: false, host: "first.test", port: 80)
        let kept = try client.pool(to: first)
        weak let dropped = try client.pool(to: WireOrigin(isSecure: false, host: "dropped.test", port: 80))
        for number in 0..<1_100 {
            _ = try client.pool(to: WireOrigin(isSecure: false, host: "\(number).test", port: 80))
        }
        #expect(try client.pool(to: first) === kept)
        #expect(dropped == nil)

        client.close()

        let late = try client.pool(to: WireOrigin(isSecure: false, host: "late.test", port: 80))
        let request = try WireRequest(method: "GET", target: "/", host: "a", fields: [:], body: nil)
        for pool in [kept, late] {
            let exchange = WireExchange(request, over: pool, limit: 1, codedLimit: 1)
            let fault = await #expect(throws: WireFault.self) { try await exchange.response() }
            #expect(fault?.name == "closed")
        }
    }

    @Test
    func `A server that is not there fails all requests at once`() async throws {
        let port = try await OddServer.with { _ in
            []
        } _: {
            $0.port
        }
        let client = WireClient(WireConfiguration(), on: MultiThreadedEventLoopGroup.singleton)
        let pool = try client.pool(to: WireOrigin(isSecure: false, host: "127.0.0.1", port: port))
        let request = try WireRequest(method: "GET", target: "/", host: "a", fields: [:], body: nil)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let exchange = WireExchange(request, over: pool, limit: 1, codedLimit: 1)
                    await #expect(throws: IOError.self) { try await exchange.response() }
                }
            }
        }
    }
}

extension WireFault {
    var name: String {
        switch self {
        case .malformed: "malformed"
        case .bodyOverLimit: "bodyOverLimit"
        case .noHTTP2: "noHTTP2"
        case .cut: "cut"
        case .stale: "stale"
        case .deadlineExceeded: "deadlineExceeded"
        case .connectTimeout: "connectTimeout"
        case .invalidRequest: "invalidRequest"
        case .closed: "closed"
        case .unprocessed: "unprocessed"
        case .reset: "reset"
        case .brokenConnection: "brokenConnection"
        }
    }
}
