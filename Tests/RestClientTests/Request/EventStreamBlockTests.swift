// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// A feed and its responses: the blocks that it keeps for the next one, and its events.
@Suite(.timeLimit(.minutes(5)))
struct EventStreamBlockTests {
    /// The body of the first response, the wait that follows, and the identifier with which the next request is sent.
    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String { body.debugDescription }
        let body: String
        var wait = Duration.seconds(3)
        let identifier: String?

        init(_ body: String, wait: Duration = .seconds(3), _ identifier: String?) {
            self.body = body
            self.wait = wait
            self.identifier = identifier
        }
    }

    static let examples = [
        Example("data: one\nid: 1\n\nid: 2\n\n", "2"), Example("id: 2\n\n", "2"),
        Example("data: one\nid: 1\n\nid\n\n", nil), Example("id: 1\n\nid:\n\n: note\n\n", nil),
        Example("id: 1\n\nid: a\u{0}b\n\n", "1"), Example("id: 1\n\nid: 2\n", "1"), Example("id: 2", nil),
        Example("\u{FEFF}id: 2\r\rdata: one\r\n\r\n", "2"), Example("id: 1\nevent: x\n\nevent: y\n\n", "1"),
        Example("retry: 700\n\n", wait: .milliseconds(700), nil),
        Example("retry: 700\n", wait: .milliseconds(700), nil),
        Example("data: one\n\nretry: 700\nid: 3\n\n", wait: .milliseconds(700), "3"),
        Example("retry: 700ms\n\nretry: -1\n\nretry:\n\n: note\n\n", nil),
        Example("retry: 0\n\n", wait: .milliseconds(100), nil),
        Example("data: one\n\nretry: 0\n\n", wait: .milliseconds(100), nil), Example("retry: 700", nil),
    ]

    @Test(arguments: examples, [true, false])
    func `blocks without data set the identifier and the wait of the next request`(
        example: Example,
        isWhole: Bool
    ) async throws {
        let clock = ManualClock()
        let identifiers = Recorder<String?>()
        let client = StubbedClient(
            StubTransport { request in
                identifiers.record(HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] })
                guard identifiers.count == 1 else {
                    return .status(.noContent)
                }
                var response = RawResponse(headers: [.contentType: "text/event-stream"])
                let bytes = Data(example.body.utf8)
                let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
                for chunk in isWhole ? [bytes] : bytes.map({ Data([$0]) }) {
                    continuation.yield(chunk)
                }
                continuation.finish()
                response.stream = ByteStream(stream)
                return response
            }
        ) { configuration in
            configuration.clock = clock
            configuration = configuration.timeout(nil)
        }
        let events = EventRecorder(client.manager)
        let feed = Task {
            for try await _ in client.manager.request(Void.self).endpoint("/a").serverSentEvents() {}
        }

        try await clock.waitForSleeper(for: example.wait)
        clock.advance(by: example.wait)
        try await feed.value

        #expect(identifiers.elements == [nil, example.identifier])
        events.expect([
            "callStarted", "attemptStarted 1", "attemptFinished 1 200", "retryDecided 2 connectionClosed",
            "attemptStarted 2", "attemptFinished 2 204", "callSucceeded 204 network",
        ])
        #expect(Set(events.events.map(\.callID)).count == 1)
    }

    @Test
    func `a feed that is left ends once, with a cancellation`() async throws {
        let client = StubbedClient()
        client.manager.dummies.mode = .strict
        let cut = DummyResponse.serverSentEvents([ServerSentEvent(data: "one"), ServerSentEvent(data: "two")])
        client.manager.dummies.register(
            Dummy(.get, "/a").responds(cut.truncated(after: 12)).then(.serverSentEvents([ServerSentEvent(data: "two")]))
        )
        let events = EventRecorder(client.manager)

        var policy = EventStreamPolicy()
        policy.backoff.first = .milliseconds(100)

        _ = try await client.manager.request(Void.self).endpoint("/a").serverSentEvents(policy)
            .first { $0.data == "two" }

        let ends = events.events.filter(\.isTerminal)
        #expect(ends.map(\.kind.name) == [.callCancelled])
        #expect(Set(events.events.map(\.callID)).count == 1)
        #expect(events.names.count { $0 == .retryDecided } == 1)
    }
}
