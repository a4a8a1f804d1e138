// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite
struct BodyContentTests {
    /// The kinds of bodies by name.
    enum Kind: String, CaseIterable, Sendable {
        case bytes, file, openFile, form, stream, repeatableStream, compressed, compressedStream

        func body() throws -> RequestBody {
            let chunks = AsyncThrowingStream<Data, any Error> { $0.finish() }
            return switch self {
            case .bytes: .bytes(Data("abc"))
            case .file: .file(FileRange("/a/b.json", length: 7))
            case .openFile: .file("/a/b.json")
            case .form: try Self.form()
            case .stream: .stream(chunks, length: 5)
            case .repeatableStream: .stream(contentType: "text/csv") { chunks }
            case .compressed: .bytes(Data("abc"), contentType: "text/plain").compressed(.gzip)
            case .compressedStream: .stream(chunks, length: 5).compressed(.gzip)
            }
        }

        private static func form() throws -> RequestBody {
            let body = try MultipartBody(MultipartForm(), boundary: MultipartBoundary("XX"))
            return RequestBody(content: .multipart(body), contentType: body.contentType)
        }
    }

    @Test(
        arguments: [
            (Kind.bytes, 3, true, "application/octet-stream"), (.file, 7, true, "application/json"),
            (.openFile, nil, true, "application/json"), (.form, 8, true, "multipart/form-data; boundary=XX"),
            (.stream, 5, false, "application/octet-stream"), (.repeatableStream, nil, true, "text/csv"),
            (.compressed, nil, true, "text/plain"), (.compressedStream, nil, false, "application/octet-stream"),
        ] as [(Kind, Int64?, Bool, String)]
    )
    func `a body knows its length, its type, and whether it can be sent again`(
        kind: Kind,
        length: Int64?,
        isRepeatable: Bool,
        contentType: String
    ) throws {
        let body = try kind.body()

        #expect(body.length == length)
        #expect(body.isRepeatable == isRepeatable)
        #expect(body.contentType == contentType)
        #expect(body.codings.map(\.description) == (kind.rawValue.hasPrefix("compressed") ? ["gzip"] : []))
    }

    @Test
    func `codings are listed in the order of their use, each once`() {
        let body = RequestBody.bytes(Data()).compressed(.deflate).compressed(.gzip).compressed(.deflate)

        #expect(body.codings == [.deflate, .gzip])
    }

    @Test
    func `chunks come as they are, from sequences that cannot fail and from those that do`() async throws {
        struct Cut: Error {}
        let safe = AsyncStream<Data> { continuation in
            for text in ["a", "", "bc"] {
                continuation.yield(Data(text))
            }
            continuation.finish()
        }
        let failing = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("a"))
            continuation.finish(throwing: Cut())
        }

        #expect(try await text(of: .stream(safe)) == "a||bc")
        await #expect(throws: Cut.self) { try await text(of: .stream(failing)) }
    }

    private func text(of body: RequestBody) async throws -> String {
        guard case .stream(_, let source) = body.content else {
            Issue.record("the body is no stream")
            return ""
        }
        var texts: [String] = []
        for try await chunk in try source.open() {
            texts.append(chunk.text)
        }
        return texts.joined(separator: "|")
    }

    // MARK: - Preparing

    @Test
    func `a prepared form has its boundary, its type and its length, also beneath a coding`() throws {
        var generator = SeededGenerator(seed: 20)
        let form = MultipartForm().field("a", "1").file("f", "/a/b.json")

        let body = try RequestBody.multipart(form).prepared(fileLength: { _ in 1_000 }, using: &generator)
        let coded = try RequestBody.multipart(form).compressed(.gzip)
            .prepared(fileLength: { _ in 1_000 }, using: &generator)

        #expect(RequestBody.multipart(form).length == nil)
        #expect(body.contentType?.hasPrefix("multipart/form-data; boundary=----form-") == true)
        #expect((body.length ?? 0) > 1_000)
        #expect(coded.contentType?.hasPrefix("multipart/form-data; boundary=----form-") == true)
        #expect(coded.contentType != body.contentType)
        #expect(coded.codings == [.gzip])
    }

    @Test
    func `a prepared file has its length, and what needs nothing stays`() throws {
        struct Missing: Error {}
        var generator = SeededGenerator(seed: 21)

        let file = try RequestBody.file("/a/b.json").prepared(fileLength: { _ in 7 }, using: &generator)
        let bytes = try Kind.bytes.body().prepared(fileLength: { _ in throw Missing() }, using: &generator)

        #expect(file.length == 7)
        #expect(file.contentType == "application/json")
        #expect(bytes.length == 3)
        #expect(throws: Missing.self) {
            try RequestBody.file("/a").prepared(fileLength: { _ in throw Missing() }, using: &generator)
        }
        #expect(throws: RestClientError.self) {
            try RequestBody.file(FileRange("/a", offset: 9)).prepared(fileLength: { _ in 7 }, using: &generator)
        }
    }

    // MARK: - Sending again

    private func text(_ occasion: Repetition.Occasion, _ method: HTTPRequest.Method, _ body: RequestBody?) -> String {
        switch Repetition(method, isDeclared: false, body: body).verdict(occasion) {
        case .send: "\(method) with body"
        case .sendWithoutBody: occasion == .redirectToGet ? "GET" : "\(method)"
        case .stop(let reason): reason.rawValue
        }
    }

    private func text(_ status: Int, _ method: HTTPRequest.Method, _ body: RequestBody?) -> String {
        text(RedirectRule.occasion(of: .init(code: status), method), method, body)
    }

    @Test
    func `a repeatable body is sent again, unless the redirect becomes a GET`() throws {
        for kind in Kind.allCases where try kind.body().isRepeatable {
            let body = try kind.body()
            for occasion in [Repetition.Occasion.retry, .refreshedToken] {
                #expect(text(occasion, .post, body) == "POST with body")
            }
            for (status, expected) in [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST with body")] {
                #expect(text(status, .post, body) == expected)
            }
            #expect(text(308, .post, body) == "POST with body")
        }
        #expect(text(.retry, .post, nil) == "POST")
        #expect(text(308, .post, nil) == "POST")
    }

    @Test(arguments: [Kind.stream, .compressedStream])
    func `a stream that has been read is not sent again`(kind: Kind) async throws {
        let (unread, read) = (try kind.body(), try kind.body())
        _ = try #require(Self.source(of: read.content.uncoded)).open()

        for occasion in [Repetition.Occasion.retry, .refreshedToken] {
            #expect(text(occasion, .post, unread) == "POST with body")
            #expect(text(occasion, .post, read) == "bodySpent")
        }
        for status in [307, 308] {
            #expect(text(status, .post, unread) == "POST with body")
            #expect(text(status, .post, read) == "bodySpent")
        }
        for status in [302, 303] {
            #expect(text(status, .post, read) == "GET")
        }
    }

    @Test
    func `a stream that can be read once is not opened twice, one of a closure is`() throws {
        let once = try #require(Self.source(of: try Kind.stream.body().content))
        let often = try #require(Self.source(of: try Kind.repeatableStream.body().content))

        _ = try once.open()
        _ = try often.open()
        _ = try often.open()

        let error = #expect(throws: RestClientError.self) { try once.open() }
        #expect(error?.code == .bodyNotRepeatable)
    }

    private static func source(of content: RequestBody.Content) -> ChunkSource? {
        if case .stream(_, let source) = content { source } else { nil }
    }

    @Test(arguments: [
        (301, HTTPRequest.Method.put, "PUT with body"), (302, .put, "PUT with body"), (303, .put, "GET"),
        (303, .head, "HEAD with body"), (301, .get, "GET with body"), (302, .delete, "DELETE with body"),
        (307, .get, "GET with body"),
    ])
    func `redirects keep other methods`(status: Int, method: HTTPRequest.Method, expected: String) {
        #expect(text(status, method, .bytes(Data("a"))) == expected)
    }
}
