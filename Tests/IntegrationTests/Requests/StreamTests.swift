// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// Responses that are read as they come, over real connections.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct StreamTests {
    private func text(_ stream: ByteStream) async throws -> String {
        var bytes = Data()
        for try await chunk in stream {
            bytes.append(chunk)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(.once, arguments: [false, true])
    func `the head is there before the body, and chunks come one by one`(isHTTP2: Bool) async throws {
        try await LoopbackClient.with(isHTTP2 ? .http2(try TestIdentity()) : .http1) { client in
            let gates = [Gate(), Gate()]
            client.server.onAny { _ in .chunks([.wait(gates[0]), "first", .wait(gates[1]), "second"]) }

            let response = try await client.request(.get, "/").header(.accept, "text/plain").stream()
            #expect(response.status == .ok)
            var chunks = response.bytes.makeAsyncIterator()
            gates[0].open()
            let first = try await chunks.next()
            #expect(first == Data("first".utf8))
            gates[1].open()
            let second = try await chunks.next()
            #expect(second == Data("second".utf8))
            let end = try await chunks.next()
            #expect(end == nil)
        }
    }

    @Test
    func `the server is not read faster than the consumer reads`() async throws {
        try await LoopbackClient.with { client in
            let written = Mutex(0)
            let piece = [UInt8](repeating: 1, count: 64 << 10)
            let count = 1_024
            client.server.onAny { _ in
                .stream { writer in
                    for _ in 0..<count {
                        try await writer.write(piece)
                        written.withLock { $0 += 1 }
                    }
                }
            }
            let response = try await client.request(.get, "/").stream()
            var chunks = response.bytes.makeAsyncIterator()
            var total = try await chunks.next()?.count ?? 0
            // Another exchange on the same event loops passes meanwhile; what is not read stays with the server.
            for _ in 0..<20 {
                _ = try await client.manager.request().serverAddress(client.server.url).method(.head).endpoint("/")
                    .send()
            }
            #expect(written.withLock { $0 } < count)
            while let chunk = try await chunks.next() {
                total += chunk.count
            }
            #expect(total == count * piece.count)
        }
    }

    @Test
    func `a consumer that stops cancels the exchange`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["first", .wait(Gate())]) }
            let log = EventRecorder(client.manager)
            let response = try await client.request(.get, "/").stream()
            for try await _ in response.bytes {
                break
            }
            try await client.server.waitForEvent(.aborted(request: 1))
            try await log.waitForCalls(count: 1)
            #expect(log.events.last?.kind.name == .callCancelled)
            // The stream has ended for every later reader.
            await #expect(throws: CancellationError.self) { try await text(response.bytes) }
        }
    }

    @Test
    func `a response that nobody reads cancels the exchange when it is released`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["first", .wait(Gate())]) }
            _ = try await client.request(.get, "/").stream()
            try await client.server.waitForEvent(.aborted(request: 1))
        }
    }

    @Test
    func `cancelling the task that waits for a chunk cancels the exchange`() async throws {
        try await LoopbackClient.with { client in
            let gate = Gate()
            client.server.onAny { _ in .chunks(["first", .wait(gate)]) }
            let begun = Gate()
            let reading = Task {
                let response = try await client.request(.get, "/").stream()
                for try await _ in response.bytes {
                    begun.open()
                }
            }
            try await begun.wait()
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            try await client.server.waitForEvent(.aborted(request: 1))
        }
    }

    @Test
    func `a failure is whole, mapped, retried and told, before any byte is delivered`() async throws {
        struct Mapped: Error { let text: String }
        try await LoopbackClient.with { client in
            client.server.onAny { request in
                request.number == 3 ? .text("late") : .text("why", status: 503, headers: ["Retry-After": "0"])
            }
            let node = client.request(.get, "/")
                .mapError { error in
                    Mapped(text: String(decoding: error.response?.body ?? Data(), as: UTF8.self))
                }
            let error = await #expect(throws: Mapped.self) { try await node.stream() }
            #expect(error?.text == "why")
            let response = try await node.retry(2).stream()
            let late = try await text(response.bytes)
            #expect(late == "late")
            #expect(client.server.requests.count == 3)
        }
    }

    @Test
    func `redirects are followed, and a refused token is refreshed`() async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/old") { _ in .redirect(to: "/new") }
            client.server.on(.get, "/new") { request in
                request.headers["Authorization"] == "Bearer fresh" ? .chunks(["a", "b"]) : .status(401)
            }
            let session = TokenSource(AccessToken("stale")) { _ in AccessToken("fresh") }
            let response = try await client.request(.get, "/old").authentication(.bearer(session)).stream()
            let body = try await text(response.bytes)
            #expect(body == "ab")
            #expect(response.url?.hasSuffix("/new") == true)
        }
    }

    @Test(arguments: [LoopbackContentEncoding.gzip, .deflate, .rawDeflate])
    func `content codings are removed on the way`(encoding: LoopbackContentEncoding) async throws {
        let body = String(repeating: "line of text\n", count: 50_000)
        try await LoopbackClient.with { client in
            client.server.onAny { _ in
                .text(body).encoded(encoding)
            }
            let response = try await client.request(.get, "/").stream()
            let whole = try await text(response.bytes)
            #expect(whole == body)
            // A decompressed body is limited by the call's own limit.
            let limited = try await client.request(.get, "/").limits(body: 100_000).stream()
            let error = await #expect(throws: RestClientError.self) { try await text(limited.bytes) }
            #expect(error?.code == .responseTooLarge)
        }
    }

    private struct Cut: Error {}

    @Test
    func `a body that is cut fails behind its last chunk, and the call with it`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in
                .stream { writer in
                    try await writer.write("first\nhalf a li")
                    throw Cut()
                }
            }
            let log = EventRecorder(client.manager)
            var lines: [String] = []
            let error = await #expect(throws: RestClientError.self) {
                for try await line in try await client.request(.get, "/").stream().lines() {
                    lines.append(line)
                }
            }
            #expect(error?.code == .connectionClosed || error?.code == .malformedResponse)
            #expect(error?.request != nil)
            #expect(lines == ["first"])
            #expect(log.events.last?.kind.name == .callFailed)
        }
    }

    @Test
    func `a pause longer than the idle timeout ends the stream`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["first", .wait(Gate())]) }
            let response = try await client.request(.get, "/").timeouts(idle: .milliseconds(300)).stream()
            let error = await #expect(throws: RestClientError.self) { try await text(response.bytes) }
            #expect(error?.code == .timeout)
        }
    }

    @Test
    func `a stream holds no worker slot, so that what reads it may send requests`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 1
        } _: { client in
            client.server.on(.get, "/ids") { _ in .chunks(["1\n", "2\n"]) }
            client.server.on(.get, "/{id}") { request in .text("item \(request.parameters["id"] ?? "")") }
            var items: [String] = []
            for try await id in try await client.request(.get, "/ids").stream().lines() {
                items.append(try await client.request(String.self, .get, "/{id}").parameter("id", id).send())
            }
            #expect(items == ["item 1", "item 2"])
        }
    }

    @Test
    func `JSON lines are decoded one by one, by the rules of the call`() async throws {
        struct Order: Decodable, Sendable, Equatable { let orderId: Int }
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["{\"order_id\":1}\n\n{\"ord", "er_id\":2}\r\n", "{\"order_id\":3}"]) }
            client.manager.dogmas["snake"] = JSONDogma(configureDecoder: {
                $0.keyDecodingStrategy = .convertFromSnakeCase
            })
            var orders: [Order] = []
            let response = try await client.request(.get, "/").dogma("snake").stream()
            for try await order in response.jsonLines(of: Order.self) {
                orders.append(order)
            }
            #expect(orders.map(\.orderId) == [1, 2, 3])

            let broken = try await client.request(.get, "/").stream()
            let error = await #expect(throws: RestClientError.self) {
                for try await _ in broken.jsonLines(of: [Int].self) {}
            }
            #expect(error?.code == .decodingFailed)
            #expect(error?.message.contains("line 1") == true)
        }
    }

    // MARK: - Server-sent events

    @Test
    func `a feed goes on behind its last event after each interruption, until the server ends it`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in
                switch request.number {
                case 1: .chunks(["retry: 1\nid: a\ndata: one\n\nid: b\nda"], type: "text/event-stream")
                case 2: .chunks(["\u{FEFF}event: tick\r\ndata: two\r\ndata: lines\r\n\r\n"], type: "text/event-stream")
                default: .status(204)
                }
            }
            var events: [ServerSentEvent] = []
            for try await event in client.request(.get, "/").serverSentEvents() {
                events.append(event)
            }
            #expect(
                events == [
                    ServerSentEvent(data: "one", lastEventID: "a"),
                    ServerSentEvent(type: "tick", data: "two\nlines", lastEventID: "a"),
                ]
            )
            let requests = client.server.requests
            #expect(requests.map { $0.headers["Last-Event-ID"] } == [nil, "a", "a"])
            #expect(requests.map { $0.headers["Accept"] } == Array(repeating: "text/event-stream", count: 3))
        }
    }

    @Test
    func `models in events go on after an interruption, behind the last event that was taken`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in
                switch request.number {
                case 1: .chunks(["retry: 1\nid: a\ndata: 1\n\ndata: 2\n\nid: b\ndata: cut"], type: "text/event-stream")
                case 2: .chunks(["event: ping\nid: c\ndata: -\n\ndata: 3\n\n"], type: "text/event-stream")
                default: .status(204)
                }
            }
            var values: [Int] = []
            let feed = client.request(.get, "/").serverSentEvents(of: Int.self) { $0.type != "ping" }
            for try await (_, value) in feed {
                values.append(value)
            }
            #expect(values == [1, 2, 3])
            #expect(client.server.requests.map { $0.headers["Last-Event-ID"] } == [nil, "a", "c"])
        }
    }

    @Test
    func `what is no event stream fails with the response`() async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/page") { _ in .text("<html>") }
            client.server.on(.get, "/gone") { _ in .text("gone", status: 410) }
            let page = await #expect(throws: RestClientError.self) {
                for try await _ in client.request(.get, "/page").serverSentEvents() {}
            }
            let gone = await #expect(throws: RestClientError.self) {
                for try await _ in client.request(.get, "/gone").serverSentEvents() {}
            }
            #expect(page?.code == .notAnEventStream)
            #expect(gone?.status?.code == 410)
            #expect(client.server.requests.count == 2)
        }
    }

    @Test
    func `a consumer that stops ends the feed`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["data: one\n\n", .wait(Gate())], type: "text/event-stream") }
            for try await event in client.request(.get, "/").serverSentEvents() {
                #expect(event.data == "one")
                break
            }
            try await client.server.waitForEvent(.aborted(request: 1))
        }
    }
}

extension LoopbackResponse {
    /// A response in chunks with a media type.
    fileprivate static func chunks(_ pieces: [Chunk], type: String) -> LoopbackResponse {
        var response = chunks(pieces)
        response.headers["Content-Type"] = type
        return response
    }
}
