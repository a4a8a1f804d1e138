// SPDX-License-Identifier: MIT

import Foundation
import RestClient
import RestClientTesting
import SharedStore
import Testing

/// The codings `br` and `zstd`, which are behind the traits that this package enables.
@Suite(.timeLimit(.minutes(5)))
struct ContentCodingTests {
    /// Sends a request to a server with this response, and returns the body.
    private func fetch(
        _ response: LoopbackResponse,
        isStreamed: Bool,
        _ options: @Sendable (RequestNode<Data>) -> RequestNode<Data> = { $0 }
    ) async throws -> Data {
        try await LoopbackServer.with { server in
            server.onAny { _ in response }
            var configuration = RestClientManager.Configuration()
            configuration.transport = DirectTransport()
            let manager = RestClientManager(configuration: configuration)
            let request = options(manager.request(Data.self).serverAddress(server.url).endpoint("/"))
            guard isStreamed else {
                return try await request.send()
            }
            var body = Data()
            for try await chunk in try await request.stream().bytes {
                body.append(chunk)
            }
            return body
        }
    }

    private func failure(
        _ response: LoopbackResponse,
        isStreamed: Bool,
        _ options: @Sendable (RequestNode<Data>) -> RequestNode<Data> = { $0 }
    ) async -> RestClientError? {
        await #expect(throws: RestClientError.self) {
            try await fetch(response, isStreamed: isStreamed, options)
        }
    }

    // MARK: - Decoding

    @Test(arguments: CodedBody.texts)
    func `codings are removed, the last one first`(body: CodedBody) async throws {
        let whole = try await fetch(body.response(), isStreamed: false)
        let streamed = try await fetch(body.response(), isStreamed: true)

        #expect(String(decoding: whole, as: UTF8.self) == CodedBody.text)
        #expect(streamed == whole)
    }

    @Test(arguments: CodedBody.texts, [false, true])
    func `a body may come byte by byte`(body: CodedBody, isStreamed: Bool) async throws {
        let bytes = try await fetch(body.response(inPieces: true), isStreamed: isStreamed)

        #expect(String(decoding: bytes, as: UTF8.self) == CodedBody.text)
    }

    @Test(arguments: CodedBody.zeros, [false, true])
    func `output that is much longer than the input arrives whole`(body: CodedBody, isStreamed: Bool) async throws {
        let bytes = try await fetch(body.response(), isStreamed: isStreamed)

        #expect(bytes == Data(count: 4 << 20))
    }

    @Test
    func `a request accepts what can be decoded`() async throws {
        let accepted: String = try await LoopbackServer.with { server in
            server.onAny { request in .text(request.headers["Accept-Encoding"] ?? "") }
            var configuration = RestClientManager.Configuration()
            configuration.transport = DirectTransport()
            let manager = RestClientManager(configuration: configuration)
            return try await manager.request(String.self).serverAddress(server.url).endpoint("/").send()
        }

        #expect(accepted == "gzip, deflate, br, zstd")
    }

    @Test(arguments: ["br", "zstd"], [false, true])
    func `an empty body may bear any label`(coding: String, isStreamed: Bool) async throws {
        let bytes = try await fetch(CodedBody(coding, bytes: []).response(), isStreamed: isStreamed)

        #expect(bytes.isEmpty)
    }

    // MARK: - Damage

    /// The text, damaged in several ways.
    static let damaged = [CodedBody.brotli, .zstd]
        .flatMap { body -> [(body: CodedBody, code: StoreError.Code)] in
            let bytes = body.bytes
            let cut = [bytes.prefix(2), bytes.prefix(bytes.count / 2), bytes.dropLast()]
            // An error page of a proxy; the beginning of other texts may be that of a long brotli body.
            let wrong = [Array("<html>sorry</html>".utf8), bytes + Array("<html>sorry</html>".utf8)]
            return cut.map { (CodedBody(body.codings, bytes: $0), StoreError.Code.truncatedInput) }
                + wrong.map { (CodedBody(body.codings, bytes: $0), StoreError.Code.invalidInput) }
        }

    @Test(arguments: damaged, [false, true])
    func `a damaged body is an error, never a short body`(
        row: (body: CodedBody, code: StoreError.Code),
        isStreamed: Bool
    ) async throws {
        let error = await failure(row.body.response(), isStreamed: isStreamed)

        #expect(error?.code == .malformedResponse)
        #expect((error?.underlying as? StoreError)?.code == row.code)
    }

    @Test(arguments: [false, true])
    func `a flipped bit is found by the checksum of zstd`(isStreamed: Bool) async {
        var bytes = CodedBody.zstd.bytes
        bytes[20] ^= 1
        let error = await failure(CodedBody("zstd", bytes: bytes).response(), isStreamed: isStreamed)

        #expect(error?.code == .malformedResponse)
    }

    /// The beginning of a zstd frame of 12 MiB, with a window of 8 MiB, of 16 MiB, and in the format of zstd 0.5.
    @Test(arguments: [(0x68, "ends too early"), (0x70, "memory"), (nil, "format")], [false, true])
    func `a frame needs at most eight mebibytes, and the format of the standard`(
        row: (window: UInt8?, reason: String),
        isStreamed: Bool
    ) async {
        let frame: [UInt8] =
            row.window.map { [0x28, 0xB5, 0x2F, 0xFD, 0x04, $0, 0x54, 0, 0, 0x10, 0, 0] }
            ?? [0x25, 0xB5, 0x2F, 0xFD, 0, 0, 0, 0]
        let error = await failure(CodedBody("zstd", bytes: frame).response(), isStreamed: isStreamed)

        #expect(error?.code == .malformedResponse)
        let reason = (error?.underlying as? StoreError)?.reason ?? ""
        #expect(reason.contains(row.reason), "\(reason)")
    }

    @Test(arguments: [false, true])
    func `a window beyond the standard of brotli is refused`(isStreamed: Bool) async {
        // The header of a "large window", which may have a gibibyte.
        let error = await failure(CodedBody("br", bytes: [0x11, 0x1E, 0, 0, 0]).response(), isStreamed: isStreamed)

        #expect(error?.code == .malformedResponse)
        let reason = (error?.underlying as? StoreError)?.reason ?? ""
        #expect(reason.contains("WINDOW_BITS"), "\(reason)")
    }

    // MARK: - Limits

    @Test(arguments: [CodedBody.brotli, .zstd])
    func `the limit counts decoded bytes`(body: CodedBody) async throws {
        for isStreamed in [false, true] {
            let bytes = try await fetch(body.response(), isStreamed: isStreamed) { $0.limits(body: 6_400) }
            #expect(bytes.count == 6_400)

            let error = await failure(body.response(), isStreamed: isStreamed) { $0.limits(body: 6_399) }
            #expect(error?.code == .responseTooLarge)
        }
    }

    @Test(arguments: CodedBody.zeros, [false, true])
    func `a bomb is found by its size and by its ratio`(body: CodedBody, isStreamed: Bool) async {
        let size = await failure(body.response(), isStreamed: isStreamed) { $0.limits(body: 1 << 20) }
        #expect(size?.code == .responseTooLarge)

        let ratio = await failure(body.response(), isStreamed: isStreamed) { $0.limits(decompression: 200) }
        #expect(ratio?.code == .responseTooLarge)
        #expect(ratio?.message.contains("200 times") == true)
    }

    @Test(arguments: [false, true])
    func `a body with five codings is refused`(isStreamed: Bool) async {
        let body = CodedBody("br, br, br, br, br", bytes: CodedBody.brotli.bytes)
        let error = await failure(body.response(), isStreamed: isStreamed)

        #expect(error?.code == .unsupportedContentCoding)
    }
}
