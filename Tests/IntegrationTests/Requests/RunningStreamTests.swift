// SPDX-License-Identifier: MIT

import RestClient
import TestSupport
import Testing

/// Streams in the table of running calls.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct RunningStreamTests {
    @Test
    func `a stream is running until the end of its body`() async throws {
        try await LoopbackClient.with { client in
            let gate = Gate()
            client.server.onAny { _ in .chunks(["first", .wait(gate), "second"]) }
            let response = try await client.request(.get, "/feed").tags("feed").stream()
            #expect(client.manager.calls.running(.tag("feed")).map(\.id) == [response.callID])
            var count = 0
            for try await chunk in response.bytes {
                #expect(client.manager.calls.running().count == 1)
                gate.open()
                count += chunk.count
            }
            #expect(count == 11)
            #expect(client.manager.calls.running().isEmpty)
        }
    }

    @Test
    func `a stream that is cancelled in the table ends for its consumer`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["first", .wait(Gate())]) }
            let ends = Recorder<String>()
            let observation = client.manager.observe { event in
                if event.isTerminal {
                    ends.record("\(event.kind.name)")
                }
            }
            let response = try await client.request(.get, "/feed").stream()
            await #expect(throws: CancellationError.self) {
                for try await _ in response.bytes {
                    #expect(client.manager.calls.cancel(.all) == 1)
                }
            }
            #expect(client.manager.calls.running().isEmpty)
            #expect(ends.elements == ["callCancelled"])
            withExtendedLifetime(observation) {}
        }
    }

    @Test
    func `a stream that nobody reads leaves the table`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["first", .wait(Gate())]) }
            _ = try await client.request(.get, "/feed").stream()
            #expect(client.manager.calls.running().isEmpty)
        }
    }

    @Test
    func `a scope ends the streams that were opened in it`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .chunks(["first", .wait(Gate())]) }
            let response = try await client.manager.withCalls { try await client.request(.get, "/feed").stream() }
            await #expect(throws: CancellationError.self) { for try await _ in response.bytes {} }
        }
    }

    @Test
    func `a stream that fails before its body leaves the table, and its key is free`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("no", status: 404) }
            let node = client.request(.get, "/feed").refusingDuplicates(of: "feed")
            for _ in 1...2 {
                let error = await #expect(throws: RestClientError.self) { try await node.stream() }
                #expect(error?.status?.code == 404)
            }
            #expect(client.manager.calls.running().isEmpty)
        }
    }
}
