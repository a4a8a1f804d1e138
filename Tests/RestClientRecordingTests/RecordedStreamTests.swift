// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClientRecording

/// Streamed responses pass a recorder as they come, and are recorded when they have ended.
@Suite(.timeLimit(.minutes(5)))
struct RecordedStreamTests {
    private static var rules: RecordingRules {
        var rules = RecordingRules()
        rules.allowsOtherBodies = true
        return rules
    }

    /// A manager whose calls have as long as they need.
    private static func manager() -> RestClientManager {
        RestClientManager(configuration: RestClientManager.Configuration().timeout(.seconds(3_600)))
    }

    @Test
    func `the first chunk is there before the server sends the last one`() async throws {
        try await LoopbackServer.with { server in
            let gate = Gate()
            server.onAny { _ in .chunks(["first", .wait(gate), "last"]) }
            let recorder = HARRecorder(rules: Self.rules)
            try await recorder.record {
                let response = try await Self.manager().request().url(server.url + "/").stream()
                var chunks = response.bytes.makeAsyncIterator()
                let first = try await chunks.next()
                #expect(first == Data("first".utf8))
                #expect(recorder.archive.entries.isEmpty)
                gate.open()
                let last = try await chunks.next()
                #expect(last == Data("last".utf8))
                let end = try await chunks.next()
                #expect(end == nil)
            }
            let entry = try #require(recorder.archive.entries.first)
            #expect(recorder.archive.entries.count == 1)
            #expect(entry.response.status == 200)
            #expect(entry.response.body.text == "firstlast")
            #expect(entry.response.error == nil)
        }
    }

    @Test
    func `the server is not read faster than the consumer reads`() async throws {
        try await LoopbackServer.with { server in
            let written = Mutex(0)
            let piece = [UInt8](repeating: 1, count: 64 << 10)
            let count = 1_024
            server.onAny { _ in
                .stream { writer in
                    for _ in 0..<count {
                        try await writer.write(piece)
                        written.withLock { $0 += 1 }
                    }
                }
            }
            let recorder = HARRecorder(rules: Self.rules)
            try await recorder.record {
                let manager = Self.manager()
                let response = try await manager.request().url(server.url + "/").stream()
                var chunks = response.bytes.makeAsyncIterator()
                var total = try await chunks.next()?.count ?? 0
                // Other exchanges on the same event loops pass meanwhile; what is not read stays with the server.
                for _ in 0..<20 {
                    _ = try await manager.request().url(server.url + "/").method(.head).send()
                }
                #expect(written.withLock { $0 } < count)
                while let chunk = try await chunks.next() {
                    total += chunk.count
                }
                #expect(total == count * piece.count)
            }
            #expect(recorder.archive.entries.first?.response.body.bytes.count == count * piece.count)
        }
    }

    @Test
    func `a consumer that stops ends the exchange, and what came is recorded and replayed`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .chunks(["one\n", "two\n", .wait(Gate())]) }
            let recorder = HARRecorder(rules: Self.rules)
            let node = Self.manager().request().url(server.url + "/")
            func read(_ count: Int) async throws -> [String] {
                var lines: [String] = []
                for try await line in try await node.stream().lines() {
                    lines.append(line)
                    if lines.count == count {
                        break
                    }
                }
                return lines
            }

            let first = try await recorder.record { try await read(2) }
            #expect(first == ["one", "two"])
            try await server.waitForEvent(.aborted(request: 1))

            let response = try #require(recorder.archive.entries.first?.response)
            #expect(response.body.text == "one\ntwo\n")
            #expect(response.error?.contains("was not read to its end") == true)
            let archive = try HAR(data: try recorder.archive.data())
            let again = try await HARReplay(archive, rules: Self.rules).replay { try await read(2) }
            #expect(again == first)
            // A reader that goes on gets an error: a body that is not whole never looks like one.
            for isStreamed in [true, false] {
                let error = await #expect(throws: RestClientError.self) {
                    try await HARReplay(archive, rules: Self.rules)
                        .replay {
                            if isStreamed {
                                _ = try await read(3)
                            } else {
                                _ = try await node.send()
                            }
                        }
                }
                #expect(error?.message.contains("the recorded response ends here") == true)
            }
        }
    }

    @Test
    func `cancelling the task that waits for a chunk ends the exchange`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .chunks(["first", .wait(Gate())]) }
            let recorder = HARRecorder(rules: Self.rules)
            let begun = Gate()
            let reading = Task {
                try await recorder.record {
                    for try await _ in try await Self.manager().request().url(server.url + "/").stream().bytes {
                        begun.open()
                    }
                }
            }
            try await begun.wait()
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
            try await server.waitForEvent(.aborted(request: 1))
            #expect(recorder.archive.entries.map(\.response.body.text) == ["first"])
        }
    }

    @Test
    func `a body beyond the limit is passed on, and left out of the recording`() async throws {
        try await LoopbackServer.with { server in
            let piece = [UInt8](repeating: 1, count: 1 << 20)
            server.onAny { _ in
                .stream { writer in
                    for _ in 0..<80 {
                        try await writer.write(piece)
                    }
                }
            }
            let recorder = HARRecorder(rules: Self.rules)
            let count = try await recorder.record {
                var count = 0
                for try await chunk in try await Self.manager().request().url(server.url + "/").stream().bytes {
                    count += chunk.count
                }
                return count
            }
            #expect(count == 80 << 20)
            let response = try #require(recorder.archive.entries.first?.response)
            #expect(response.status == 200)
            #expect(response.body.bytes.isEmpty)
            #expect(response.error?.contains("was left out") == true)
        }
    }

    @Test
    func `a body that is cut fails for the consumer, and is recorded with the reason`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .chunks(["first"]).ending(.close) }
            let recorder = HARRecorder(rules: Self.rules)
            await #expect(throws: RestClientError.self) {
                try await recorder.record {
                    for try await _ in try await Self.manager().request().url(server.url + "/").stream().bytes {}
                }
            }
            let response = try #require(recorder.archive.entries.first?.response)
            #expect(response.body.text == "first")
            #expect(response.error?.contains("is not whole") == true)
        }
    }

    @Test
    func `a failure is recorded whole`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("why", status: 503) }
            let recorder = HARRecorder(rules: Self.rules)
            let error = await #expect(throws: RestClientError.self) {
                try await recorder.record { try await Self.manager().request().url(server.url + "/").stream() }
            }
            #expect(error?.response?.body == Data("why".utf8))
            let response = try #require(recorder.archive.entries.first?.response)
            #expect(response.status == 503)
            #expect(response.body.text == "why")
        }
    }
}
