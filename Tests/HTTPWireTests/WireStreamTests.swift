// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import HTTPTypes
import NIOCore
import NIOPosix
import RestEssentials
import Testing

@testable import HTTPWire

/// Bodies that are read as they come, and bodies that are produced while they are sent.
@Suite(.timeLimit(.minutes(5)))
struct WireStreamTests {
    /// The name of the fault that ends an operation.
    private func fault(_ operation: () async throws -> some Sendable) async -> String {
        do {
            return "ended with \(try await operation())"
        } catch let fault as WireFault {
            return fault.name
        } catch {
            return "\(error)"
        }
    }

    /// A body of some chunks, which says whether it was asked for.
    private static func body(
        _ chunks: [String],
        length: Int64? = nil,
        isAsked: Gate = Gate(),
        error: (any Error)? = nil
    ) -> WireStream {
        WireStream(length: length) { upload in
            isAsked.open()
            return Task {
                do {
                    for chunk in chunks {
                        try await upload.write(ByteBuffer(string: chunk))
                    }
                    upload.end(error.map { .failure($0) } ?? .success(()))
                } catch {
                    upload.end(.failure(error))
                }
            }
        }
    }

    /// A body whose chunk never comes; the gate opens when nobody wants it any more.
    private static func endlessBody(length: Int64? = nil, isAsked: Gate = Gate(), hasEnded: Gate) -> WireStream {
        WireStream(length: length) { upload in
            isAsked.open()
            return Task {
                do {
                    try await Gate().wait()
                } catch {
                    upload.end(.failure(error))
                }
                hasEnded.open()
            }
        }
    }

    // MARK: - Responses

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nX: y\r\n\r\n", false),
        ("HTTP/1.1 200 OK\r\n\r\nhello", true),
        ("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false),
    ])
    func `a response is the same at once and a byte at a time, and its connection is kept`(
        text: String,
        closes: Bool
    ) async throws {
        for isTrickled in [false, true] {
            let steps: [OddServer.Step] = [isTrickled ? .trickle(text) : .send(text)] + (closes ? [.close] : [])
            try await WireScene.with { _ in
                steps
            } _: { scene in
                for _ in 0..<3 {
                    let exchange = try scene.exchange()
                    let read = try await scene.text(exchange)
                    #expect(read == "hello")
                }
                #expect(scene.server.connectionCount == (closes ? 3 : 1))
            }
        }
    }

    @Test(arguments: [
        "HTTP/1.1 204 No\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ])
    func `an empty body ends at once`(text: String) async throws {
        try await WireScene.with { _ in
            [.send(text)]
        } _: { scene in
            for _ in 0..<2 {
                let read = try await scene.text(try scene.exchange())
                #expect(read.isEmpty)
            }
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test
    func `a kept connection is free when the body has ended, and not before`() async throws {
        try await WireScene.with { number in
            [.send(number == 0 ? "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel" : WireScene.fine)]
        } _: { scene in
            let first = try scene.exchange()
            _ = try await first.response()
            let other = try await scene.text(try scene.exchange())
            #expect(other == "ok")
            #expect(scene.server.connectionCount == 2)
            first.cancel()
            await scene.server.waitForOpenConnections(1)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", OddServer.Step.close, "cut"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n", .close, "cut"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\nzz\r\n", .send(""), "malformed"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhelp", .send(""), "malformed"),
    ])
    func `a body that breaks fails behind the bytes that came`(
        text: String,
        end: OddServer.Step,
        name: String
    ) async throws {
        try await WireScene.with { _ in
            [.send(text), end]
        } _: { scene in
            let exchange = try scene.exchange()
            _ = try await exchange.response()
            let chunk = try await exchange.nextChunk()
            #expect(chunk.map { String(buffer: $0) } == "hel")
            for _ in 0..<2 {
                let fault = await fault { try await exchange.nextChunk() }
                #expect(fault == name)
            }
            await scene.server.waitForOpenConnections(0)
        }
    }

    @Test
    func `a connection is not read faster than its reader reads`() async throws {
        let count = 64 << 20
        try await WireScene.with { number in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n"
            return number == 0 ? [.send(head), .fill(count)] : [.send(WireScene.fine)]
        } _: { scene in
            let exchange = try scene.exchange()
            _ = try await exchange.response()
            for _ in 0..<5 {
                try await scene.passTime()
            }
            #expect(scene.server.finishedFills == 0)
            var total = 0
            while let chunk = try await exchange.nextChunk() {
                total += chunk.readableBytes
            }
            #expect(total == count)
            let next = try await scene.text(try scene.exchange())
            #expect(next == "ok")
            #expect(scene.server.connectionCount == 2)
        }
    }

    @Test
    func `a reader that stops closes the connection, at any moment`() async throws {
        for moment in 0..<3 {
            try await WireScene.with { _ in
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n"), .fill(2_000_000)]
            } _: { scene in
                let exchange = try scene.exchange()
                _ = try await exchange.response()
                if moment > 0 {
                    _ = try await exchange.nextChunk()
                }
                if moment > 1 {
                    let reader = Task {
                        while try await exchange.nextChunk() != nil {}
                    }
                    exchange.cancel()
                    await #expect(throws: CancellationError.self) { try await reader.value }
                }
                exchange.cancel()
                await #expect(throws: CancellationError.self) { try await exchange.nextChunk() }
                await scene.server.waitForOpenConnections(0)
            }
        }
    }

    @Test
    func `a stream that is out of time fails, and its connection is closed`() async throws {
        try await WireScene.with { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")]
        } _: { scene in
            let exchange = try scene.exchange()
            _ = try await exchange.response()
            exchange.expire()
            let fault = await fault { try await exchange.nextChunk() }
            #expect(fault == "deadlineExceeded")
            await scene.server.waitForOpenConnections(0)
        }
    }

    // MARK: - Requests

    @Test(arguments: [nil, 6] as [Int64?])
    func `a body is framed by its length, or in chunks without one`(length: Int64?) async throws {
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            for chunks in [["one", "", "two"], ["onetwo"]] {
                let exchange = try scene.exchange("PUT", upload: Self.body(chunks, length: length))
                let read = try await scene.text(exchange)
                #expect(read == "ok")
            }
            let head = "PUT / HTTP/1.1\r\nHost: odd.test\r\n"
            #expect(
                scene.server.requests
                    == (length == nil
                        ? [
                            head + "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n",
                            head + "Transfer-Encoding: chunked\r\n\r\n6\r\nonetwo\r\n0\r\n\r\n",
                        ] : Array(repeating: head + "Content-Length: 6\r\n\r\nonetwo", count: 2))
            )
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test(arguments: [false, true])
    func `many small chunks arrive whole and in order`(isAnnounced: Bool) async throws {
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            let chunks = (0..<5_000).map { "\($0)," }
            let length = isAnnounced ? Int64(chunks.joined().utf8.count) : nil
            let exchange = try scene.exchange("PUT", upload: Self.body(chunks, length: length))
            let read = try await scene.text(exchange)
            #expect(read == "ok")
            let sent = isAnnounced ? chunks : chunks.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }
            let end = sent.joined() + (isAnnounced ? "" : "0\r\n\r\n")
            #expect(scene.server.requests.first?.hasSuffix("\r\n\r\n" + end) == true)
        }
    }

    @Test(arguments: [nil, 0] as [Int64?])
    func `an empty body ends the request`(length: Int64?) async throws {
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            for _ in 0..<2 {
                let read = try await scene.text(try scene.exchange("PUT", upload: Self.body([], length: length)))
                #expect(read == "ok")
            }
            let end = length == nil ? "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" : "Content-Length: 0\r\n\r\n"
            #expect(scene.server.requests.allSatisfy { $0.hasSuffix(end) })
            #expect(scene.server.connectionCount == 1)
        }
    }

    @Test(arguments: [["one"], ["one", "two", "three"]])
    func `a body of another length than announced fails, and the connection with it`(chunks: [String]) async throws {
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            let exchange = try scene.exchange("PUT", upload: Self.body(chunks, length: 6), streams: false)
            let fault = await fault { try await exchange.response().head.status }
            #expect(fault == "invalidRequest")
            let next = try await scene.text(try scene.exchange())
            #expect(next == "ok")
            #expect(scene.server.connectionCount == 2)
        }
    }

    @Test
    func `the error of a body's source is the error of its exchange`() async throws {
        struct Broken: Error {}
        try await WireScene.with { _ in
            []
        } _: { scene in
            let exchange = try scene.exchange("PUT", upload: Self.body(["one"], error: Broken()))
            await #expect(throws: Broken.self) { try await exchange.response() }
            await scene.server.waitForOpenConnections(0)
        }
    }

    @Test
    func `a source is not asked faster than the connection takes its chunks`() async throws {
        try await WireScene.with { number in
            number == 0 ? [.stopReading] : [.send(WireScene.fine)]
        } _: { scene in
            let written = Recorder<Int>()
            let (total, hasEnded) = (1_024, Gate())
            let body = WireStream(length: Int64(total) << 16) { upload in
                Task {
                    defer { hasEnded.open() }
                    do {
                        for number in 0..<total {
                            try await upload.write(ByteBuffer(repeating: 1, count: 1 << 16))
                            written.record(number)
                        }
                    } catch {
                        upload.end(.failure(error))
                    }
                }
            }
            let exchange = try scene.exchange("PUT", upload: body)
            let caller = Task { try await exchange.response() }
            await scene.server.waitForRequests(1)
            for _ in 0..<5 {
                try await scene.passTime()
            }
            #expect(written.count < total)
            exchange.cancel()
            await #expect(throws: CancellationError.self) { try await caller.value }
            try await hasEnded.wait()
            #expect(written.count < total)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 413 Early\r\nContent-Length: 3\r\n\r\nwhy",
        "HTTP/1.1 401 Early\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n0\r\n\r\n",
    ])
    func `a response that makes the rest of the body unnecessary ends the upload`(text: String) async throws {
        for streams in [false, true] {
            try await WireScene.with { _ in
                [.send(text)]
            } _: { scene in
                let hasEnded = Gate()
                let body = Self.endlessBody(length: 1_000_000, hasEnded: hasEnded)
                let exchange = try scene.exchange("PUT", upload: body, streams: streams)
                if streams {
                    let read = try await scene.text(exchange)
                    #expect(read == "why")
                } else {
                    let response = try await exchange.response()
                    #expect(String(decoding: response.body, as: UTF8.self) == "why")
                }
                try await hasEnded.wait()
                await scene.server.waitForOpenConnections(0)
            }
        }
    }

    @Test
    func `a success that comes before the body was sent waits for it`() async throws {
        try await WireScene.with { _ in
            [.send(WireScene.fine)]
        } _: { scene in
            let (mayGoOn, chunk) = (Gate(), String(repeating: "a", count: 100_001))
            let body = WireStream(length: 100_001) { upload in
                Task {
                    try? await mayGoOn.wait()
                    try? await upload.write(ByteBuffer(string: chunk))
                    upload.end(.success(()))
                }
            }
            let exchange = try scene.exchange("PUT", upload: body)
            _ = try await exchange.response()
            let first = try await exchange.nextChunk()
            #expect(first.map { String(buffer: $0) } == "ok")
            mayGoOn.open()
            let end = try await exchange.nextChunk()
            #expect(end == nil)
        }
    }

    @Test
    func `a success that comes while a body in memory is sent waits for the rest of it`() async throws {
        let (mayGoOn, body) = (Gate(), Data(repeating: 97, count: 64 << 20))
        try await WireScene.with { number in
            number == 0 ? [.pauseReading(until: mayGoOn), .send(WireScene.fine)] : [.send(WireScene.fine)]
        } _: { scene in
            let exchange = try scene.exchange("POST", body: body)
            _ = try await exchange.response()
            let first = try await exchange.nextChunk()
            #expect(first.map { String(buffer: $0) } == "ok")

            mayGoOn.open()
            let end = try await exchange.nextChunk()
            // It follows on the same connection, so that the server has the whole body when it responds.
            let next = try await scene.text(try scene.exchange())

            #expect(end == nil)
            #expect(next == "ok")
            #expect(scene.server.connectionCount == 1)
            #expect(scene.server.receivedCount > body.count)
        }
    }

    @Test
    func `an upload that is cancelled ends its source and its connection, at any moment`() async throws {
        for head in ["", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no"] {
            try await WireScene.with { _ in
                head.isEmpty ? [] : [.send(head)]
            } _: { scene in
                let (isAsked, hasEnded) = (Gate(), Gate())
                let body = Self.endlessBody(length: 1_000_000, isAsked: isAsked, hasEnded: hasEnded)
                let exchange = try scene.exchange("PUT", upload: body)
                let caller = Task { try await scene.text(exchange) }
                try await isAsked.wait()
                if !head.isEmpty {
                    await scene.server.waitForRequests(1)
                }
                exchange.cancel()
                await #expect(throws: CancellationError.self) { try await caller.value }
                try await hasEnded.wait()
                await scene.server.waitForOpenConnections(0)
            }
        }
    }

    @Test
    func `a connection that is cut ends the upload`() async throws {
        try await WireScene.with { _ in
            [.close]
        } _: { scene in
            let hasEnded = Gate()
            let exchange = try scene.exchange(
                "PUT",
                upload: Self.endlessBody(length: 1_000_000, hasEnded: hasEnded)
            )
            let fault = await fault { try await exchange.response().head.status }
            #expect(fault == "cut")
            try await hasEnded.wait()
        }
    }

    // MARK: - Consent

    @Test(arguments: [417, 401, 200])
    func `a body that its server does not want is not begun`(status: Int) async throws {
        try await WireScene.with { _ in
            [.send("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")]
        } _: { scene in
            let begun = Recorder<Bool>()
            let body = WireStream(length: nil) { _ in
                begun.record(true)
                return Task {}
            }
            let exchange = try scene.exchange("PUT", fields: [.expect: "100-continue"], upload: body, streams: false)
            let response = try await exchange.response()
            #expect(response.head.status == status)
            await scene.server.waitForOpenConnections(0)
            #expect(begun.elements.isEmpty)
        }
    }

    @Test
    func `a body is sent with the server's consent`() async throws {
        try await WireScene.with { number in
            [.send(number == 0 ? "HTTP/1.1 100 Go\r\n\r\n" : WireScene.fine)]
        } _: { scene in
            // The server takes what follows the head for another request; a body that looks like one ends it.
            let body = Self.body(["BODY / HTTP/1.1\r\n\r\n"], length: 19)
            let exchange = try scene.exchange("PUT", fields: [.expect: "100-continue"], upload: body)
            let read = try await scene.text(exchange)
            #expect(read == "ok")
            #expect(scene.server.requests.count == 2)
            #expect(scene.server.requests.last == "BODY / HTTP/1.1\r\n\r\n")
        }
    }
}
