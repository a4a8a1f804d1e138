// SPDX-License-Identifier: MIT

import Crypto
import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

/// Downloads over real connections.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct DownloadTests {
    private let directory: TemporaryDirectory
    private static let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    private var content: Data { Self.content }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var target: String { directory.path("today.tar").path }

    private func loaded() throws -> Data {
        try Data(contentsOf: URL(filePath: target))
    }

    /// Serves the content with ranges, as `"v1"`; the first requests are cut after some bytes.
    private func serve(_ server: LoopbackServer, cuts: Int = 0, after count: Int = 1_000_000, tag: String = "\"v1\"") {
        let content = content
        server.onAny { request in
            var start = 0
            if let range = request.headers["Range"], request.headers["If-Range"].map({ $0 == tag }) ?? true {
                start = Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0
            }
            let rest = [UInt8](content[start...])
            var headers: LoopbackHeaders = ["ETag": tag, "Content-Length": String(rest.count)]
            if start > 0 {
                headers["Content-Range"] = "bytes \(start)-\(content.count - 1)/\(content.count)"
            }
            let isCut = request.number <= cuts
            let sent = isCut ? Array(rest.prefix(count)) : rest
            return .stream(status: start > 0 ? 206 : 200, headers: headers) { try await $0.write(sent) }
                .ending(isCut ? .close : .complete)
        }
    }

    @Test
    func `a file is loaded whole, and only it is left`() async throws {
        try await LoopbackClient.with { client in
            serve(client.server)
            let news = Mutex<[TransferProgress]>([])
            let digest = Data(SHA256.hash(data: content))
            let file = try await client.request(.get, "/")
                .download(to: target, sha256: digest) { progress in
                    news.withLock { $0.append(progress) }
                }
            #expect(file.length == Int64(content.count))
            #expect(file.headers[.eTag] == "\"v1\"")
            let bytes = try loaded()
            #expect(bytes == content)
            #expect(directory.names == ["today.tar"])
            let told = news.withLock { $0 }
            #expect(told.last?.fraction == 1)
            #expect(told.map(\.completed) == told.map(\.completed).sorted())
        }
    }

    @Test
    func `a download that is cut goes on where it stopped, with a retry`() async throws {
        try await LoopbackClient.with { client in
            serve(client.server, cuts: 2)
            var policy = RetryPolicy(attempts: 2)
            policy.backoff.first = .zero
            try await client.request(.get, "/").retry(policy).download(to: target)
            let bytes = try loaded()
            #expect(bytes == content)
            let requests = client.server.requests
            #expect(requests.count == 3)
            #expect(requests.map { $0.headers["Range"] != nil } == [false, true, true])
            #expect(requests.last?.headers["If-Range"] == "\"v1\"")
        }
    }

    @Test
    func `a download that failed goes on with the next call`() async throws {
        try await LoopbackClient.with { client in
            serve(client.server, cuts: 1)
            let node = client.request(.get, "/")
            await #expect(throws: RestClientError.self) { try await node.download(to: target) }
            #expect(directory.names == ["today.tar.partial", "today.tar.partial.json"])
            try await node.download(to: target)
            let bytes = try loaded()
            #expect(bytes == content)
            #expect(client.server.requests.last?.headers["Range"] != nil)
            #expect(directory.names == ["today.tar"])
        }
    }

    @Test
    func `a file that has changed meanwhile is loaded anew`() async throws {
        try await LoopbackClient.with { client in
            serve(client.server, cuts: 1)
            let node = client.request(.get, "/")
            await #expect(throws: RestClientError.self) { try await node.download(to: target) }
            serve(client.server, tag: "\"v2\"")
            try await node.download(to: target)
            let bytes = try loaded()
            #expect(bytes == content)
        }
    }

    /// Returns the part of a file that a field `Range` asks for; one without an end asks for the rest.
    private static func part(of content: Data, asIn field: String) -> LoopbackResponse {
        let range = field.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        let start = range.first ?? 0
        let end = min(range.count > 1 ? range[1] : content.count - 1, content.count - 1)
        return .bytes(
            [UInt8](content[start...end]),
            status: 206,
            headers: ["ETag": "\"v1\"", "Content-Range": "bytes \(start)-\(end)/\(content.count)"]
        )
    }

    @Test
    func `several ranges are loaded side by side where that is asked for`() async throws {
        let content = content
        try await LoopbackClient.with { client in
            client.server.onAny { Self.part(of: content, asIn: $0.headers["Range"] ?? "") }
            var policy = DownloadPolicy()
            policy.connections = 4
            policy.minimumRange = 200_000
            try await client.request(.get, "/").download(to: target, policy)
            let bytes = try loaded()
            #expect(bytes == content)
            #expect(client.server.requests.count == 4)
        }
    }

    @Test
    func `a request with an unsafe method is sent once, however many connections the policy allows`() async throws {
        let content = content
        try await LoopbackClient.with { client in
            client.server.onAny { request in
                request.headers["Range"].map { Self.part(of: content, asIn: $0) }
                    ?? .bytes([UInt8](content), headers: ["ETag": "\"v1\""])
            }
            var policy = DownloadPolicy()
            policy.connections = 4
            policy.minimumRange = 200_000
            try await client.request(.post, "/").download(to: target, policy)
            let bytes = try loaded()
            #expect(bytes == content)
            #expect(client.server.requests.map { $0.headers["Range"] != nil } == [false])
        }
    }

    @Test
    func `a wrong digest drops the file, and leaves the one that was there`() async throws {
        try Data("old".utf8).write(to: URL(filePath: target))
        try await LoopbackClient.with { client in
            serve(client.server)
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").download(to: target, sha256: Data(repeating: 0, count: 32))
            }
            #expect(error?.code == .digestMismatch)
            let bytes = try loaded()
            #expect(bytes == Data("old".utf8))
            #expect(directory.names == ["today.tar"])
        }
    }

    @Test
    func `a failure is that of the call, with its response`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("gone", status: 410) }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").download(to: target)
            }
            #expect(error?.status?.code == 410)
            #expect(error?.response?.body == Data("gone".utf8))
        }
    }

    @Test
    func `cancelling keeps what is there`() async throws {
        let content = content
        try await LoopbackClient.with { client in
            client.server.onAny { _ in
                .stream(headers: ["ETag": "\"v1\"", "Content-Length": String(content.count)]) { writer in
                    try await writer.write([UInt8](content.prefix(500_000)))
                    try await Gate().wait()
                }
            }
            let begun = Gate()
            let call = Task { [target] in
                try await client.request(.get, "/").download(to: target) { _ in begun.open() }
            }
            try await begun.wait()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(directory.names.contains("today.tar.partial.json"))
            serve(client.server)
            try await client.request(.get, "/").download(to: target)
            let bytes = try loaded()
            #expect(bytes == content)
            #expect(client.server.requests.last?.headers["Range"] != nil)
        }
    }

    @Test
    func `two downloads to one place exclude each other`() async throws {
        try await LoopbackClient.with { client in
            let gate = Gate()
            client.server.onAny { _ in .chunks(["first", .wait(gate)]) }
            let first = Task { [target] in try await client.request(.get, "/").download(to: target) }
            try await gate.waitForWaiters(count: 1)
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").download(to: target)
            }
            #expect(error?.code == .fileNotWritten)
            gate.open()
            let file = try await first.value
            #expect(file.length == 5)
        }
    }
}
