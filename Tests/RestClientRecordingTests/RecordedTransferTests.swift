// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClient
import RestEssentials
import TestSupport
import Testing

@testable import RestClientRecording

/// Forms, streams and events are recorded and replayed like plain calls.
@Suite(.timeLimit(.minutes(5)))
struct RecordedTransferTests {
    private static let events = "id: 1\ndata: one\n\nevent: late\ndata: two\n\n"

    private static var rules: RecordingRules {
        var rules = RecordingRules()
        rules.allowsOtherBodies = true
        return rules
    }

    /// Runs the same calls twice: against a server, recorded, and against the recording, read from its text.
    private func twice<Result: Equatable & Sendable>(
        _ response: RawResponse,
        _ act: (RestClientManager) async throws -> Result
    ) async throws -> HAR {
        let recorder = HARRecorder(rules: Self.rules)
        let client = StubbedClient(answering: response)
        let first = try await recorder.record { try await act(client.manager) }
        let archive = try HAR(data: try recorder.archive.data())
        let offline = StubbedClient()
        let replay = HARReplay(archive, rules: Self.rules, order: .strict)

        let second = try await replay.replay { try await act(offline.manager) }

        #expect(first == second)
        #expect(replay.unused.isEmpty)
        #expect(offline.requests.isEmpty)
        return archive
    }

    @Test
    func `a form of several parts is described, and its upload replayed whatever its boundary is`() async throws {
        let archive = try await twice(.text("stored")) { manager in
            let form = MultipartForm().field("name", "value").field("other", "second")
            let node = manager.request(String.self).endpoint("/up").post().dogma(.raw)
            return try await node.body(.multipart(form)).send()
        }

        let request = try #require(archive.entries.first?.request)
        #expect(request.method == "POST")
        #expect(request.body?.text?.contains("value") == false)
    }

    @Test
    func `a streamed response is recorded whole, and streams again`() async throws {
        let archive = try await twice(.text("one\ntwo\nthree")) { manager in
            var lines: [String] = []
            for try await line in try await manager.request(Void.self).endpoint("/a").stream().lines() {
                lines.append(line)
            }
            #expect(lines == ["one", "two", "three"])
            return lines
        }

        #expect(archive.entries.first?.response.body.text == "one\ntwo\nthree")
    }

    @Test
    func `events are replayed as they were`() async throws {
        let response = RawResponse(
            headers: [.contentType: "text/event-stream"],
            body: Data(Self.events.utf8)
        )
        _ = try await twice(response) { manager in
            var texts: [String] = []
            for try await event in manager.request(Void.self).endpoint("/e").serverSentEvents(.once) {
                texts.append("\(event.type) \(event.data) \(event.lastEventID)")
            }
            #expect(texts == ["message one 1", "late two 1"])
            return texts
        }
    }
}
