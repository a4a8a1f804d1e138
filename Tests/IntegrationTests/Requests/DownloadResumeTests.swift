// SPDX-License-Identifier: MIT

import RestClient
import RestClientTesting
import RestEssentials
import TestSupport
import Testing

/// Downloads that are cut, and what observers and the disk see of them.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct DownloadResumeTests {
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 13 >> 2) }

    private let directory: TemporaryDirectory
    private var content: [UInt8] { Self.content }
    private var target: String { directory.path("today.tar").path }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func loaded() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: target)))
    }

    private func retry(_ attempts: Int) -> RetryPolicy {
        var policy = RetryPolicy(attempts: attempts)
        policy.backoff.first = .zero
        return policy
    }

    /// Cuts the first response after 100,000 bytes, and responds as told to each request for the rest.
    private func serve(
        _ server: LoopbackServer,
        length: Bool = true,
        rest respond: @escaping @Sendable (Int, [UInt8]) -> LoopbackResponse
    ) {
        let content = content
        server.onAny { request in
            guard let range = request.headers["Range"] else {
                guard request.number == 1 else {
                    return .bytes(content, headers: ["ETag": "\"v1\""])
                }
                var headers: LoopbackHeaders = ["ETag": "\"v1\""]
                if length {
                    headers["Content-Length"] = String(content.count)
                }
                return .stream(headers: headers) { try await $0.write(Array(content[..<100_000])) }.ending(.close)
            }
            return respond(Int(range.dropFirst("bytes=".count).prefix { $0 != "-" }) ?? 0, content)
        }
    }

    private static let refusals: [@Sendable (Int, [UInt8]) -> LoopbackResponse] = [
        { start, content in
            .bytes(
                Array(content[start...]),
                headers: ["ETag": "\"v1\"", "Content-Range": "bytes \(start)-\(content.count - 1)/\(content.count)"]
            )
        },
        { start, content in .bytes(Array(content[start...]), headers: ["ETag": "\"v1\""]) },
        { start, content in .bytes(Array(content[start...])) },
        { start, content in .bytes(Array(content[start...]), headers: ["ETag": "W/\"v1\""]) },
        { start, content in .bytes(Array(content[start...]), status: 206, headers: ["ETag": "\"v1\""]) },
        { start, content in
            .bytes(
                Array(content[start...]),
                headers: ["ETag": "\"v1\"", "Content-Type": "multipart/byteranges; boundary=x"]
            )
        },
        { start, content in
            .bytes(
                Array(content[(start + 1)...]),
                status: 206,
                headers: [
                    "ETag": "\"v1\"", "Content-Range": "bytes \(start + 1)-\(content.count - 1)/\(content.count)",
                ]
            )
        },
        { _, _ in .status(204, headers: ["ETag": "\"v1\""]) }, { _, _ in .status(304, headers: ["ETag": "\"v1\""]) },
        { _, _ in .status(412) }, { _, _ in .status(416) },
        { _, content in .status(416, headers: ["Content-Range": "bytes */\(content.count)"]) },
    ]

    @Test(arguments: refusals.indices, [true, false])
    func `a resume that is refused, or brings a part as the whole file, ends in the whole file`(
        index: Int,
        length: Bool
    ) async throws {
        try await LoopbackClient.with { client in
            serve(client.server, length: length, rest: Self.refusals[index])

            await #expect(throws: RestClientError.self) { try await client.request(.get, "/").download(to: target) }
            try await client.request(.get, "/").download(to: target)

            let bytes = try loaded()
            #expect(bytes == content)
            #expect(client.server.requests.map { $0.headers["Range"] != nil } == [false, true, false])
            #expect(directory.names == ["today.tar"])
        }
    }

    @Test
    func `a part from an earlier block is used`() async throws {
        try await LoopbackClient.with { client in
            serve(client.server) { start, content in
                let block = start / 65_536 * 65_536
                return .bytes(
                    Array(content[block...]),
                    status: 206,
                    headers: [
                        "ETag": "\"v1\"", "Content-Range": "bytes \(block)-\(content.count - 1)/\(content.count)",
                    ]
                )
            }
            let progress = Recorder<TransferProgress>()

            try await client.request(.get, "/").retry(retry(2)).download(to: target) { progress.record($0) }

            let bytes = try loaded()
            #expect(bytes == content)
            #expect(client.server.requests.count == 2)
            #expect(progress.elements.last?.completed == Int64(content.count))
        }
    }

    @Test
    func `a download that resumes is one call to observers, with a retry and no failure`() async throws {
        try await LoopbackClient.with { client in
            serve(client.server) { start, content in
                .bytes(
                    Array(content[start...]),
                    status: 206,
                    headers: [
                        "ETag": "\"v1\"", "Content-Range": "bytes \(start)-\(content.count - 1)/\(content.count)",
                    ]
                )
            }
            let events = EventRecorder(client.manager)

            try await client.request(.get, "/").retry(retry(2)).download(to: target)

            events.expect([
                "callStarted", "attemptStarted 1", "attemptFinished 1 200", "retryDecided 2 connectionClosed",
                "attemptStarted 2", "attemptFinished 2 206", "callSucceeded 206 network",
            ])
            #expect(Set(events.events.map(\.callID)).count == 1)
        }
    }

    @Test
    func `a download that fails, and one that is cancelled, end once`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(503) }
            let events = EventRecorder(client.manager)
            await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").retry(retry(2)).download(to: target)
            }
            events.expect([
                "callStarted", "attemptStarted 1", "attemptFinished 1 503", "retryDecided 2 unacceptableStatus",
                "attemptStarted 2", "attemptFinished 2 503", "callFailed unacceptableStatus",
            ])

            client.server.onAny { _ in .never }
            let cancelled = EventRecorder(client.manager)
            let download = Task { try await client.request(.get, "/").download(to: target) }
            _ = try await client.server.waitForRequests(count: 3)
            download.cancel()
            await #expect(throws: CancellationError.self) { try await download.value }
            #expect(cancelled.events.filter(\.isTerminal).map(\.kind.name) == [.callCancelled])
        }
    }
}
