// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// The progress of calls over real connections.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct ProgressTests {
    private static let content = [UInt8]((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
    private var content: [UInt8] { Self.content }

    private func reports(
        _ recorder: Recorder<CallProgress>,
        _ direction: CallProgress.Direction
    ) -> [TransferProgress] {
        recorder.elements.filter { $0.direction == direction }.map(\.transfer)
    }

    /// True if a transfer is complete; its rate is known only if it took long enough.
    private func isWhole(_ transfer: TransferProgress?, _ count: Int64) -> Bool {
        transfer?.completed == count && transfer?.total == count
    }

    @Test(arguments: [true, false])
    func `an upload reports what was sent, up to its last byte`(isFile: Bool) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("photo.raw").path
        try Data(content).write(to: URL(filePath: path))
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("thanks") }
            let recorder = Recorder<CallProgress>()
            let body = isFile ? RequestBody.file(path) : .bytes(Data(content))

            let response = try await client.request(.put, "/photo").body(body).onProgress { recorder.record($0) }.send()

            #expect(response == Data("thanks".utf8))
            #expect(client.server.requests.first?.body == content)
            #expect(client.server.requests.first?.headers["Content-Length"] == String(content.count))
            let sent = reports(recorder, .sent)
            #expect(sent.last?.completed == Int64(content.count))
            #expect(sent.last?.fraction == 1)
            #expect(sent.map(\.completed) == sent.map(\.completed).sorted())
            #expect(sent.count > 1)
            #expect(isWhole(reports(recorder, .received).last, 6))
        }
    }

    @Test
    func `a handler of one direction sees the transfers of that one alone`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("thanks") }
            let (sent, received) = (Recorder<TransferProgress>(), Recorder<TransferProgress>())

            _ = try await client.request(.put, "/photo").body(.bytes(Data(content)))
                .onProgress(of: .sent) { sent.record($0.transfer) }
                .onProgress(of: .received) { received.record($0.transfer) }
                .send()

            #expect(isWhole(sent.elements.last, Int64(content.count)))
            #expect(sent.elements.allSatisfy { $0.total == Int64(content.count) })
            #expect(isWhole(received.elements.last, 6))
            #expect(received.elements.allSatisfy { $0.total == 6 })
        }
    }

    @Test
    func `a response reports what was received, and is the same`() async throws {
        let content = content
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .bytes(content) }
            let recorder = Recorder<CallProgress>()

            let response = try await client.request(.get, "/").onProgress { recorder.record($0) }.send()

            #expect([UInt8](response) == content)
            let received = reports(recorder, .received)
            #expect(received.first?.total == Int64(content.count))
            #expect(received.last?.completed == Int64(content.count))
            #expect(received.map(\.completed) == received.map(\.completed).sorted())
            #expect(reports(recorder, .sent).isEmpty)
        }
    }

    @Test
    func `a compressed response is decoded, and its total is not known before its end`() async throws {
        let content = content
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .bytes(content).encoded(.gzip) }
            let recorder = Recorder<CallProgress>()

            let response = try await client.request(.get, "/").onProgress { recorder.record($0) }.send()

            #expect([UInt8](response) == content)
            let received = reports(recorder, .received)
            #expect(received.first?.total == nil)
            #expect(received.last?.total == Int64(content.count))
        }
    }

    @Test
    func `a compressed upload reports the bytes on the wire`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(204) }
            let recorder = Recorder<CallProgress>()

            _ = try await client.manager.request(Void.self).method(.post).endpoint("/").body(.bytes(Data(content)))
                .compressingBody().onProgress { recorder.record($0) }.send()

            let request = try #require(client.server.requests.first)
            #expect(request.headers["Content-Encoding"] == "gzip")
            #expect(reports(recorder, .sent).last?.completed == Int64(request.body.count))
        }
    }

    @Test
    func `another attempt begins again from zero`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { $0.number == 1 ? .status(503) : .status(204) }
            var policy = RetryPolicy(attempts: 2)
            policy.backoff.first = .zero
            let recorder = Recorder<CallProgress>()

            try await client.manager.request(Void.self).method(.put).endpoint("/").body(.bytes(Data(content)))
                .retry(policy).onProgress { recorder.record($0) }.send()

            #expect(client.server.requests.map(\.body.count) == [content.count, content.count])
            let sent = reports(recorder, .sent)
            #expect(sent.count { $0.completed == Int64(content.count) } == 2)
        }
    }

    @Test
    func `a failure with a body is the same as without progress`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("no", status: 404) }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").onProgress { _ in }.send()
            }
            #expect(error?.response?.body == Data("no".utf8))
            client.server.onAny { _ in .bytes([1, 2, 3]) }
            let limited = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").limits(body: 2).onProgress { _ in }.send()
            }
            #expect(limited?.code == .responseTooLarge)
        }
    }

    @Test
    func `the response of a call with progress has to come in time`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["first", .wait(Gate())]) }
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/").timeout(.milliseconds(200)).onProgress { _ in }.send()
            }
            #expect(error?.code == .timeout)
        }
    }

    @Test
    func `the steps of a call end with its response`() async throws {
        let content = content
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .bytes(content) }
            var response: Response<Data>?
            for try await step in client.request(.get, "/").steps() {
                #expect(response == nil)
                if case .response(let last) = step {
                    response = last
                }
            }
            #expect(response?.model.count == content.count)
        }
    }

    @Test
    func `steps that nobody takes any more cancel their call`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["first", .wait(Gate())]) }
            for try await step in client.request(.get, "/").steps() {
                if case .progress = step {
                    break
                }
            }
            await client.manager.calls.finished()
            #expect(client.manager.calls.running().isEmpty)
        }
    }

    @Test
    func `a scope reports the sum of its calls`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in
                .bytes([UInt8](repeating: 1, count: request.path == "/a" ? 70_000 : 30_000))
            }
            let recorder = Recorder<TransferProgress>()

            let report = await client.manager.withProgress(of: .received, { recorder.record($0) }) {
                await client.manager.concurrently([client.request(.get, "/a"), client.request(.get, "/b")])
            }
            _ = try await client.request(.get, "/a").send()

            #expect(report.outcomes.allSatisfy { $0.isSuccess })
            #expect(recorder.elements.last?.completed == 100_000)
            #expect(recorder.elements.last?.total == 100_000)
        }
    }

    @Test
    func `a scope counts a graph, and a download once`() async throws {
        let directory = try TemporaryDirectory()
        let target = directory.path("file").path
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .bytes([UInt8](repeating: 1, count: 50_000)) }
            let recorder = Recorder<TransferProgress>()
            var graph = JobGraph("two")
            let first = graph.request("first") { client.request(.get, "/a") }
            graph.request("second", after: first) { _ in client.request(.get, "/b") }

            try await client.manager.withProgress({ recorder.record($0) }) {
                try await client.manager.run(graph).check()
                try await client.request(.get, "/c").download(to: target)
            }

            #expect(isWhole(recorder.elements.last, 150_000))
        }
    }

    @Test
    func `a download reports to the node's handlers, and as events, as one transfer`() async throws {
        let directory = try TemporaryDirectory()
        let target = directory.path("file").path
        let content = content
        try await LoopbackClient.with { client in
            client.server.onAny { request in
                let text = request.headers["Range"] ?? "bytes=0-"
                let bounds = text.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
                let end = min(bounds.count > 1 ? bounds[1] + 1 : content.count, content.count)
                return .bytes(
                    Array(content[bounds[0]..<end]),
                    status: 206,
                    headers: ["ETag": "\"v1\"", "Content-Range": "bytes \(bounds[0])-\(end - 1)/\(content.count)"]
                )
            }
            let (calls, events) = (Recorder<CallProgress>(), Recorder<CallProgress>())
            let observation = client.manager.observe { event in
                if case .progressed(let progress) = event.kind {
                    events.record(progress)
                }
            }
            var policy = DownloadPolicy()
            policy.connections = 3
            policy.minimumRange = 300_000

            try await client.request(.get, "/").progressEvents().onProgress { calls.record($0) }
                .download(to: target, policy)

            for recorder in [calls, events] {
                let received = reports(recorder, .received)
                #expect(received.last?.completed == Int64(content.count))
                #expect(received.map(\.completed) == received.map(\.completed).sorted())
            }
            withExtendedLifetime(observation) {}
        }
    }

    @Test
    func `a stream reports while it is read`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .bytes([UInt8](repeating: 1, count: 10_000)) }
            let (recorder, calls) = (Recorder<TransferProgress>(), Recorder<CallProgress>())
            var count = 0
            try await client.manager.withProgress({ recorder.record($0) }) {
                let node = client.request(.get, "/").onProgress { calls.record($0) }
                for try await chunk in try await node.stream().bytes {
                    count += chunk.count
                }
            }
            #expect(count == 10_000)
            #expect(isWhole(recorder.elements.last, 10_000))
            #expect(isWhole(reports(calls, .received).last, 10_000))
        }
    }

    @Test
    func `handlers run on their actor, and none after the end`() async throws {
        let content = content
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .bytes(content) }
            let recorder = Recorder<String>()
            let call = client.request(.get, "/")
                .onProgress { _ in MainActor.assumeIsolated { recorder.record("progress") } }
                .onSuccess { _ in MainActor.assumeIsolated { recorder.record("success") } }
                .callbacks(on: MainActor.shared)
                .resume()
            await call.finished()
            await MainActor.run {}
            #expect(recorder.elements.last == "success")
            #expect(recorder.elements.count { $0 == "success" } == 1)
        }
    }
}
