// SPDX-License-Identifier: MIT

import RestClient
import RestEssentials
import TestSupport
import Testing

/// Streamed responses are calls under way until their bodies have ended.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct StreamedCallTests {
    /// A server whose stream goes on behind its first chunk until the gate is open.
    private func withStream(
        _ body: (_ client: LoopbackClient, _ end: Gate) async throws -> Void
    ) async throws {
        try await LoopbackClient.with { client in
            let end = Gate()
            client.server.onAny { _ in .chunks(["one", .wait(end), "two"]) }
            try await body(client, end)
        }
    }

    @Test
    func `a stream is under way until its body has ended`() async throws {
        try await withStream { client, end in
            let response = try await client.request(.get, "/feed").tags("screen").stream()
            #expect(client.manager.calls.running(.tag("screen")).map(\.id) == [response.callID])
            end.open()

            var text = ""
            for try await chunk in response.bytes {
                text += String(decoding: chunk, as: UTF8.self)
            }

            #expect(text == "onetwo")
            #expect(client.manager.calls.running().isEmpty)
            await client.manager.calls.finished()
        }
    }

    @Test
    func `cancelling a stream ends its exchange, and its consumer's loop`() async throws {
        try await withStream { client, _ in
            let log = EventRecorder(client.manager)
            let response = try await client.request(.get, "/feed").stream()
            var chunks = response.bytes.makeAsyncIterator()
            _ = try await chunks.next()

            #expect(client.manager.calls.cancel(.all) == 1)

            await #expect(throws: CancellationError.self) {
                while try await chunks.next() != nil {}
            }
            try await client.server.waitForAbortedRequests()
            #expect(client.manager.calls.running().isEmpty)
            #expect(log.events.filter(\.isTerminal).map(\.kind.name) == [.callCancelled])
        }
    }

    @Test
    func `a stream that nobody reads is under way no more`() async throws {
        try await withStream { client, _ in
            _ = try await client.request(.get, "/feed").stream()
            #expect(client.manager.calls.running().isEmpty)
            try await client.server.waitForAbortedRequests()
        }
    }

    @Test
    func `a stream that fails before its body is under way no more`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .status(503) }
            await #expect(throws: RestClientError.self) { try await client.request(.get, "/feed").stream() }
            #expect(client.manager.calls.running().isEmpty)
        }
    }

    @Test
    func `a key is taken until the stream has ended`() async throws {
        try await withStream { client, end in
            let node = client.request(.get, "/feed").refusingDuplicates(of: "feed")
            let response = try await node.stream()
            for _ in 1...2 {
                let error = await #expect(throws: RestClientError.self) { try await node.stream() }
                #expect(error?.code == .duplicateCall)
            }
            end.open()
            for try await _ in response.bytes {}
            for try await _ in try await node.stream().bytes {}
        }
    }

    @Test
    func `the end of a scope ends the streams that were opened in it`() async throws {
        try await withStream { client, _ in
            let response = try await client.manager.withCalls { try await client.request(.get, "/feed").stream() }
            await #expect(throws: CancellationError.self) {
                for try await _ in response.bytes {}
            }
            try await client.server.waitForAbortedRequests()
        }
    }
}
