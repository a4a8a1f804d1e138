// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import SharedStore
import Synchronization
import TestSupport
import Testing

/// Bodies that are not in memory, as a server receives them.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct RequestContentTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Writes a file; returns its path.
    private func file(_ name: String, _ bytes: Data) throws -> String {
        let url = directory.path(name)
        try bytes.write(to: url)
        return url.path
    }

    private func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    }

    /// Chunks of a text each, which can be had once.
    private func chunks(_ texts: String...) -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in texts {
                continuation.yield(Data(text.utf8))
            }
            continuation.finish()
        }
    }

    /// Chunks of a text each, for a closure that opens them for each attempt.
    private static func open(_ text: String) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            continuation.yield(Data(text.utf8))
            continuation.finish()
        }
    }

    // MARK: - Files

    @Test(.once, arguments: [0, 5, 131_072, 2_500_000], [false, true])
    func `a file arrives whole, with its length and its media type`(count: Int, isHTTP2: Bool) async throws {
        let content = bytes(count)
        let path = try file("notes.json", content)
        try await LoopbackClient.with(isHTTP2 ? .http2(try TestIdentity()) : .http1) { client in
            client.server.onAny { _ in .status(204) }
            _ = try await client.request(.put, "/").body(.file(path)).send()
            let request = try #require(client.server.requests.first)
            #expect(Data(request.body) == content)
            #expect(request.headers.values("Content-Type") == ["application/json"])
            #expect(request.headers.values("Content-Length") == [String(count)])
        }
    }

    @Test
    func `a part of a file arrives, and what is appended meanwhile does not`() async throws {
        let path = try file("a.bin", bytes(1_000))
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let growing = client.request(.put, "/")
                .interceptors(
                    Meddler { _ in try Self.append(bytes(10), to: path) },
                    perAttempt: true
                )
            _ = try await growing.body(.file(FileRange(path, offset: 100, length: 200))).send()
            _ = try await growing.body(.file(path, contentType: "text/csv")).send()
            let requests = client.server.requests
            #expect(Data(requests[0].body) == bytes(1_000)[100..<300])
            #expect(requests[1].body.count == 1_010)
            #expect(requests[1].headers.values("Content-Type") == ["text/csv"])
        }
    }

    @Test
    func `a file that shrinks while it is sent fails the call`() async throws {
        let path = try file("a.bin", bytes(500_000))
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let shrinking = client.request(.put, "/").body(.file(path))
                .interceptors(
                    Meddler { _ in try bytes(200_000).write(to: URL(filePath: path)) },
                    perAttempt: true
                )
            let error = await #expect(throws: RestClientError.self) { try await shrinking.send() }
            #expect(error?.code == .bodyChanged)
            #expect(error?.message.contains("'a.bin' ended after 200000 of the 500000 bytes") == true)
        }
    }

    @Test(arguments: ["missing.txt", "."])
    func `a file that cannot be read fails before anything is sent`(name: String) async throws {
        let path = directory.path(name).path
        try await LoopbackClient.with { client in
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.put, "/").body(.file(path)).send()
            }
            #expect(error?.code == .bodyUnreadable)
            #expect(client.server.requests.isEmpty)
        }
    }

    // MARK: - Forms

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "GET"])
    func `a form of fields and files arrives with any method`(name: String) async throws {
        let photo = bytes(300_000)
        let path = try file("harbour.png", photo)
        let method = try #require(HTTPRequest.Method(rawValue: name))
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let form = MultipartForm().field("title", "Zoë \"Z\"").file("photo", path)
                .data("thumbnail", Data([0, 1, 2]), fileName: "small.png")
            // A type of the manager's would hide the boundary.
            let node = client.request(method, "/").header(.contentType, "application/json")
            _ = try await node.body(.multipart(form)).send()

            let request = try #require(client.server.requests.first)
            let type = try #require(request.headers["Content-Type"])
            let parts = try MultipartReader.parts(of: Data(request.body), contentType: type)
            #expect(parts.map { $0.parameter("name") } == ["title", "photo", "thumbnail"])
            #expect(parts.map { $0.parameter("filename") } == [nil, "harbour.png", "small.png"])
            #expect(parts.map(\.content) == [Data("Zoë \"Z\"".utf8), photo, Data([0, 1, 2])])
            #expect(request.headers.values("Content-Length") == [String(request.body.count)])
        }
    }

    @Test
    func `a file that contains the boundary of its form fails the call`() async throws {
        let path = try file("a.bin", Data(repeating: 0x61, count: 100))
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let node = client.request(.put, "/").body(.multipart(MultipartForm().file("f", path)))
                .interceptors(
                    Meddler { request in
                        let type = try #require(request.headers[.contentType])
                        let boundary = try #require(type.split(separator: "=").last)
                        try Data("--\(boundary)--\(String(repeating: "x", count: 100))".utf8.prefix(100))
                            .write(to: URL(filePath: path))
                    },
                    perAttempt: true
                )
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.code == .boundaryInPart)
        }
    }

    // MARK: - Streams

    @Test(.once, arguments: [nil, 6] as [Int64?], [false, true])
    func `a stream arrives, with its length or in chunks`(length: Int64?, isHTTP2: Bool) async throws {
        try await LoopbackClient.with(isHTTP2 ? .http2(try TestIdentity()) : .http1) { client in
            client.server.onAny { request in .bytes(request.body) }
            let body = RequestBody.stream(chunks("one", "", "two"), length: length, contentType: "text/plain")
            let echo = try await client.request(.post, "/").body(body).send()
            let request = try #require(client.server.requests.first)
            #expect(echo == Data("onetwo".utf8))
            #expect(request.headers["Content-Length"] == length.map { "\($0)" })
            #expect(request.headers["Transfer-Encoding"] == (length == nil && !isHTTP2 ? "chunked" : nil))
        }
    }

    @Test(arguments: [5, 7] as [Int64])
    func `a stream of another length than it promised fails the call`(length: Int64) async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let body = RequestBody.stream(chunks("one", "two"), length: length)
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.post, "/").body(body).send()
            }
            #expect(error?.code == .bodyChanged)
        }
    }

    @Test
    func `an error of the stream reaches the caller as it is`() async throws {
        struct Broken: Error {}
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let body = RequestBody.stream {
                AsyncThrowingStream { continuation in
                    continuation.yield(Data("one".utf8))
                    continuation.finish(throwing: Broken())
                }
            }
            await #expect(throws: Broken.self) { try await client.request(.post, "/").body(body).send() }
        }
    }

    @Test
    func `a server that responds before the stream has ended ends the stream`() async throws {
        try await LoopbackClient.with { client in
            client.server.onHead(.post, "/") { _ in .status(413) }
            let (endless, continuation) = AsyncStream.makeStream(of: Data.self)
            let ended = Gate()
            continuation.onTermination = { _ in ended.open() }
            continuation.yield(Data("one".utf8))
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.post, "/").body(.stream(endless)).send()
            }
            #expect(error?.status?.code == 413)
            try await ended.wait()
        }
    }

    @Test
    func `a stream whose chunk comes after the response is told that no more is sent`() async throws {
        try await LoopbackClient.with { client in
            client.server.onHead(.post, "/") { _ in .status(413) }
            let source = LateSource()
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.post, "/").body(.stream(source)).send()
            }
            #expect(error?.status?.code == 413)
            source.mayBegin.open()
            try await source.ended.wait()
        }
    }

    @Test
    func `cancelling the call ends its stream`() async throws {
        try await LoopbackClient.with { client in
            let (endless, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
            let (begun, ended) = (Gate(), Gate())
            continuation.onTermination = { _ in ended.open() }
            let body = RequestBody.stream {
                begun.open()
                return endless
            }
            let call = Task { try await client.request(.post, "/").body(body).send() }
            try await begun.wait()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await ended.wait()
        }
    }

    // MARK: - Sending again

    @Test
    func `a retry sends a file and a stream that can be opened again, and no other one`() async throws {
        let path = try file("a.txt", Data("file".utf8))
        try await LoopbackClient.with { client in
            client.server.onAny { request in
                request.number.isMultiple(of: 2) ? .text(request.text) : .status(503, headers: ["Retry-After": "0"])
            }
            let node = client.request(.put, "/").retry(RetryPolicy(attempts: 2))
            let recorder = EventRecorder(client.manager)
            let opened = RequestBody.stream { Self.open("stream") }
            let file = try await node.body(.file(path)).send()
            let stream = try await node.body(opened).send()
            #expect(file == Data("file".utf8) && stream == Data("stream".utf8))

            let error = await #expect(throws: RestClientError.self) {
                try await node.body(.stream(chunks("once"))).send()
            }
            #expect(error?.status == .serviceUnavailable)
            #expect(client.server.requests.map(\.text) == ["file", "file", "stream", "stream", "once"])
            #expect(suppressions(in: recorder) == [.bodyNotRepeatable])
        }
    }

    private func suppressions(in recorder: EventRecorder) -> [RestClientError.Code] {
        recorder.events.compactMap { event in
            if case .retrySuppressed(_, let error as RestClientError) = event.kind { error.code } else { nil }
        }
    }

    @Test(arguments: [307, 308, 303])
    func `a redirect takes the body along, unless it asks for another resource`(status: Int) async throws {
        let path = try file("a.txt", Data("file".utf8))
        try await LoopbackClient.with { client in
            client.server.on(.post, "/old") { _ in .status(status, headers: ["Location": "/new"]) }
            client.server.onAny { request in .text("\(request.method) \(request.text)") }
            let node = client.request(.post, "/old")
            let isKept = status != 303
            let sent = try await node.body(.file(path)).send()
            #expect(String(decoding: sent, as: UTF8.self) == (isKept ? "POST file" : "GET "))
            let once = node.body(.stream(chunks("once")))
            if isKept {
                let error = await #expect(throws: RestClientError.self) { try await once.send() }
                #expect(error?.code == .bodyNotRepeatable)
                #expect(error?.status?.code == status)
            } else {
                let sent = try await once.send()
                #expect(sent == Data("GET ".utf8))
            }
        }
    }

    @Test
    func `a refused call is sent with the fresh token if its body can be`() async throws {
        let path = try file("a.txt", Data("file".utf8))
        try await LoopbackClient.with { client in
            let tokens = Mutex(0)
            let session = TokenSource(AccessToken("stale")) { _ in
                tokens.withLock { $0 += 1 }
                return AccessToken("fresh")
            }
            client.server.onAny { request in
                request.headers["Authorization"] == "Bearer stale" ? .status(401) : .text(request.text)
            }
            let node = client.request(.put, "/").authentication(.bearer(session))
            let error = await #expect(throws: RestClientError.self) {
                try await node.body(.stream(chunks("once"))).send()
            }
            #expect(error?.status == .unauthorized)
            // The token was refreshed all the same, so that the next stream is accepted.
            let stream = try await node.body(.stream(chunks("twice"))).send()
            let file = try await node.body(.file(path)).send()
            #expect(stream == Data("twice".utf8) && file == Data("file".utf8))
            #expect(tokens.withLock { $0 } == 1)
        }
    }

    @Test
    func `a stream that can be read once is not sent by a second call`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in .text(request.text) }
            let node = client.request(.put, "/").body(.stream(chunks("once")))
            let sent = try await node.send()
            #expect(sent == Data("once".utf8))
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.code == .bodyNotRepeatable)
        }
    }

    // MARK: - Codings

    @Test
    func `bodies are compressed where a level asks for it`() async throws {
        let text = String(repeating: "compressible ", count: 20_000)
        let path = try file("a.txt", Data(text.utf8))
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            client.manager.options = client.manager.options.compressingBody()
            let node = client.request(.put, "/")
            _ = try await node.values(["a": text]).send()
            _ = try await node.body(.file(path)).send()
            _ = try await node.body(.file(path)).compressingBody(.deflate).send()
            _ = try await node.body(.file(path)).compressingBody(nil).send()

            let requests = client.server.requests
            #expect(requests.map { $0.headers["Content-Encoding"] } == ["gzip", "gzip", "deflate", nil])
            #expect(requests.map { $0.headers["Content-Length"] != nil } == [true, false, false, true])
            let formats: [CompressionFormat] = [.gzip, .gzip, .zlib]
            let bodies = try zip(requests, formats)
                .map { request, format in
                    try Inflater.decompress(Data(request.body), format: format, limit: 1 << 20)
                }
            #expect(bodies[0] == Data("{\"a\":\"\(text)\"}".utf8))
            #expect(bodies[1] == Data(text.utf8) && bodies[2] == Data(text.utf8))
            #expect(requests[1].body.count < text.utf8.count / 10)
        }
    }

    // MARK: - Offline

    @Test
    func `dummies see the bytes that the wire would see`() async throws {
        let path = try file("a.txt", Data("file".utf8))
        let client = RestClientManager()
        client.dummies.mode = .strict
        let seen = Recorder<DummyRequest>()
        client.dummies.register(.post, "/a") { request in
            seen.record(request)
            return .status(.noContent)
        }
        let node = client.request(Void.self).post().serverAddress("api.example.com").endpoint("/a")
        try await node.body(.multipart(MultipartForm().file("f", path))).send()
        try await node.body(.stream(chunks("one", "two"))).compressingBody().send()
        try await node.body(.bytes(Data("bytes".utf8))).compressingBody().send()
        let requests = seen.elements
        let type = try #require(requests[0].headers[.contentType])
        let parts = try MultipartReader.parts(of: requests[0].body ?? Data(), contentType: type)
        #expect(parts.map(\.content) == [Data("file".utf8)])
        #expect(requests[1].body == Data("onetwo".utf8))
        #expect(requests[2].body == Data("bytes".utf8))
        #expect(requests[2].headers[.contentEncoding] == "gzip")
    }

    @Test
    func `a call whose body is not in memory uses no cache and shares no request`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in .text(request.text, headers: ["Cache-Control": "max-age=60"]) }
            let node = client.request(.post, "/").cache(.elseNetwork(maxAge: .seconds(60)))
            let first = try await node.body(.stream(chunks("one"))).send()
            let second = try await node.body(.stream(chunks("two"))).response()
            #expect(first == Data("one".utf8) && second.model == Data("two".utf8))
            #expect(second.cache.outcome == .notAsked)
        }
    }

    // MARK: - Helpers

    private static func append(_ bytes: Data, to path: String) throws {
        var content = try Data(contentsOf: URL(filePath: path))
        content.append(bytes)
        try content.write(to: URL(filePath: path))
    }
}

/// Does something between the beginning of a call and its request.
private struct Meddler: Interceptor {
    let meddle: @Sendable (OutgoingRequest) throws -> Void

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        try meddle(request)
        return try await next(request)
    }
}

/// A source whose first chunk comes when the test says so, even if its task is cancelled.
private struct LateSource: AsyncSequence, AsyncIteratorProtocol, Sendable {
    let mayBegin = Gate()
    let ended = Gate()
    private var hasBegun = false

    func makeAsyncIterator() -> LateSource { self }

    mutating func next() async throws -> Data? {
        guard hasBegun else {
            hasBegun = true
            let mayBegin = mayBegin
            try await Task { try await mayBegin.wait() }.value
            return Data("one".utf8)
        }
        guard Task.isCancelled else {
            return Data("more".utf8)
        }
        ended.open()
        return nil
    }
}
