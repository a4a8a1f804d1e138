// SPDX-License-Identifier: MIT

import ConcurrencyTesting
import JobGraphsTestSupport
import RestClient
import RestEssentials
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DownloadClockTests {
    /// A client whose first response asks for twenty seconds.
    private func busyClient(
        _ clock: ManualClock,
        then respond: @escaping @Sendable () async throws -> RawResponse
    ) -> StubbedClient {
        let sent = Recorder<Void>()
        let transport = StubTransport { _ in
            sent.record(())
            guard sent.count > 1 else {
                return .text("", .serviceUnavailable, headers: [.retryAfter: "20"])
            }
            return try await respond()
        }
        return StubbedClient(transport) { configuration in
            configuration.clock = clock
            configuration = configuration.timeout(nil).retry(.steady(3))
        }
    }

    @Test
    func `a download in its back-off is listed, and ends when it is cancelled there`() async throws {
        let directory = try TemporaryDirectory()
        let clock = ManualClock()
        let client = busyClient(clock) { .text("content") }
        let target = directory.path("file").path
        let node = client.manager.request(Void.self).endpoint("/file").tags("files")
        let download = Task { try await node.download(to: target) }
        try await clock.waitForSleeper(for: .seconds(20))

        #expect(client.manager.calls.running(.tag("files")).count == 1)
        #expect(client.manager.calls.cancel(.tag("files")) == 1)

        await #expect(throws: CancellationError.self) { try await download.value }
        #expect(client.requests.count == 1)
        #expect(client.manager.calls.running().isEmpty)
    }

    @Test
    func `waiting for a download in its back-off waits for its end`() async throws {
        let directory = try TemporaryDirectory()
        let clock = ManualClock()
        let gate = Gate()
        let client = busyClient(clock) {
            try await gate.wait()
            return .text("content")
        }
        let target = directory.path("file").path
        let ended = Recorder<Void>()
        let asked = Recorder<Void>()
        let download = Task { try await client.manager.request(Void.self).endpoint("/file").download(to: target) }
        try await clock.waitForSleeper(for: .seconds(20))
        let waiting = Task {
            await client.manager.calls
                .finished(
                    .matching { _ in
                        asked.record(())
                        return true
                    }
                )
            ended.record(())
        }
        _ = try await asked.waitForCount(1)

        clock.advance(by: .seconds(20))
        try await gate.waitForWaiters(count: 1)
        #expect(client.manager.calls.running().count == 1)
        #expect(ended.count == 0)
        gate.open()

        await waiting.value
        #expect(try await download.value.length == 7)
    }

    @Test
    func `a download whose request is cancelled among the running calls is not repeated`() async throws {
        let directory = try TemporaryDirectory()
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return .text("content")
            }
        ) { configuration in
            var policy = RetryPolicy(attempts: 3)
            policy.backoff.first = .zero
            configuration = configuration.retry(policy)
        }
        let target = directory.path("file").path
        let download = Task { try await client.manager.request(Void.self).endpoint("/file").download(to: target) }
        try await gate.waitForWaiters(count: 1)

        #expect(client.manager.calls.cancel(.all) == 1)

        await #expect(throws: CancellationError.self) { try await download.value }
        #expect(client.requests.count == 1)
    }

    @Test
    func `a download that is cancelled after its last byte does not replace the file`() async throws {
        let directory = try TemporaryDirectory()
        let target = directory.path("file").path
        try Data("old".utf8).write(to: directory.path("file"))
        let managers = Recorder<RestClientManager>()
        let counts = Recorder<Int>()
        let client = StubbedClient(
            StubTransport { _ in
                let chunks = Recorder<Void>()
                var response = RawResponse(headers: [.contentLength: "7"])
                response.stream = ByteStream(
                    AsyncThrowingStream<Data, any Error>(unfolding: {
                        chunks.record(())
                        guard chunks.count > 1 else {
                            return Data("content".utf8)
                        }
                        counts.record(managers.elements.first?.calls.cancel(.all) ?? 0)
                        return nil
                    })
                )
                return response
            }
        )
        managers.record(client.manager)

        await #expect(throws: CancellationError.self) {
            try await client.manager.request(Void.self).endpoint("/file").download(to: target)
        }

        #expect(counts.elements == [1])
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "old")
        #expect(client.manager.calls.running().isEmpty)
    }

    @Test
    func `the parts of a download share its key, also if another call had it when the download began`() async throws {
        let directory = try TemporaryDirectory()
        let target = directory.path("file").path
        let gate = Gate()
        let rests = Recorder<AsyncThrowingStream<Data, any Error>.Continuation>()
        let client = StubbedClient(
            StubTransport { request in
                switch request.headers[.range] {
                case "bytes=0-2":
                    let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
                    continuation.yield(Data("con".utf8))
                    rests.record(continuation)
                    var response = RawResponse(
                        status: .partialContent,
                        headers: [.contentRange: "bytes 0-2/7", .eTag: "\"v1\""]
                    )
                    response.stream = ByteStream(stream)
                    return response
                case "bytes=3-":
                    // Until now the first part was under way.
                    rests.elements.first?.finish()
                    return .text("tent", .partialContent, headers: [.contentRange: "bytes 3-6/7", .eTag: "\"v1\""])
                default:
                    try await gate.wait()
                    return .text("7")
                }
            }
        )
        let works = Recorder<@Sendable () -> Void>()
        let other = client.manager.request(Int.self).endpoint("/other").refusingDuplicates(of: "key")
        let node = client.manager.request(Void.self).endpoint("/file").refusingDuplicates(of: "key")
            .onStart {}
            .callbacks { works.record($0) }
        var policy = DownloadPolicy()
        policy.connections = 2
        policy.minimumRange = 3
        let first = Task { try await other.send() }
        try await gate.waitForWaiters(count: 1)
        let download = Task { [policy] in try await node.download(to: target, policy) }
        let start = try await works.waitForCount(1)
        gate.open()
        #expect(try await first.value == 7)
        start[0]()

        #expect(try await download.value.length == 7)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "content")
        #expect(client.requests.count == 3)
        // The key is free again.
        #expect(try await other.send() == 7)
    }

    @Test(arguments: [false, true], [false, true])
    func `what the download itself finds wrong does not repeat a request with an unsafe method`(
        isShort: Bool,
        isUnsafe: Bool
    ) async throws {
        let directory = try TemporaryDirectory()
        let response =
            isShort ? RawResponse.text("cont", headers: [.contentLength: "7"]) : RawResponse.text("content", .created)
        let client = StubbedClient(StubTransport(answering: [response])) { configuration in
            var policy = RetryPolicy(attempts: 3)
            policy.backoff.first = .zero
            policy.isRetryable = { _ in true }
            configuration = configuration.retry(policy)
        }
        let node = client.manager.request(Void.self).method(isUnsafe ? .post : .get).endpoint("/file")

        let error = await #expect(throws: RestClientError.self) {
            try await node.download(to: directory.path("file").path)
        }

        let code: RestClientError.Code = isShort ? .connectionClosed : .unacceptableStatus
        #expect(error?.code == code)
        #expect(client.requests.count == (isUnsafe ? 1 : 3))
    }

    private struct Problem: Error, Decodable, Equatable { var message: String }

    @Test(arguments: [(404, 1), (503, 3)])
    func `a download is repeated by its original error, and throws the mapped one`(status: Int, count: Int) async throws
    {
        let directory = try TemporaryDirectory()
        let response = RawResponse.text(#"{"message": "no"}"#, .init(code: status))
        let client = StubbedClient(StubTransport(answering: [response])) { configuration in
            var policy = RetryPolicy(attempts: 3)
            policy.backoff.first = .zero
            configuration = configuration.retry(policy).mapError(to: Problem.self)
        }
        let target = directory.path("file").path

        let error = await #expect(throws: Problem.self) {
            try await client.manager.request(Void.self).endpoint("/file").download(to: target)
        }

        #expect(error == Problem(message: "no"))
        #expect(client.requests.count == count)
    }

    @Test
    func `an error of the download itself is mapped too`() async throws {
        struct Mine: Error, Equatable { let code: RestClientError.Code }
        let directory = try TemporaryDirectory()
        let client = StubbedClient(StubTransport(answering: [.text("content")])) { configuration in
            configuration = configuration.mapError { Mine(code: $0.code) }
        }
        let target = directory.path("file").path

        let error = await #expect(throws: Mine.self) {
            try await client.manager.request(Void.self).endpoint("/file").download(to: target, sha256: Data(count: 32))
        }

        #expect(error == Mine(code: .digestMismatch))
    }

    @Test
    func `a download waits for the date of a Retry-After by the calendar of its manager`() async throws {
        let directory = try TemporaryDirectory()
        let clock = ManualClock()
        let responses = [
            RawResponse.text("", .serviceUnavailable, headers: [.retryAfter: "Sun, 06 Nov 1994 08:49:57 GMT"]),
            RawResponse.text("content"),
        ]
        let client = StubbedClient(StubTransport(answering: responses)) { configuration in
            configuration.clock = clock
            // Twenty seconds before.
            configuration.now = { Date(timeIntervalSince1970: 784_111_777) }
            configuration = configuration.timeout(nil).retry(.steady(2))
        }
        let target = directory.path("file").path
        let download = Task { try await client.manager.request(Void.self).endpoint("/file").download(to: target) }
        try await clock.waitForSleeper(for: .seconds(20))
        #expect(client.requests.count == 1)
        clock.advance(by: .seconds(20))
        #expect(try await download.value.length == 7)
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "content")
    }
}
