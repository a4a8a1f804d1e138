// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RestClient
@testable import RestClientTesting

@Suite(.timeLimit(.minutes(5)))
struct EventRecorderTests {
    private let client = StubbedClient(answering: .text("network"))
    private let recorder: EventRecorder
    private var manager: RestClientManager { client.manager }

    init() {
        recorder = EventRecorder(client.manager)
    }

    @Test
    func `a call is compared as a whole sequence`() async throws {
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/a") { _ in .status(.ok) }
        try await manager.request(Void.self).endpoint("/a").send()
        _ = try? await manager.request(Void.self).endpoint("/b").send()
        recorder.expect([
            "callStarted", "attemptStarted 1", "dummyMatched", "attemptFinished 1 200", "modelLoaded",
            "callSucceeded 200 dummy",
            "callStarted", "attemptStarted 1", "dummyUnmatched", "attemptFailed 1 dummyNotFound",
            "callFailed dummyNotFound",
        ])
        recorder.clear()
        recorder.expect([])
    }

    @Test
    func `concurrent calls are compared one by one`() async throws {
        let gate = Gate()
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/slow") { _ in
            try await gate.wait()
            return .status(.ok)
        }
        manager.dummies.register(.get, "/fast") { _ in .status(.notFound) }
        let slow = Task { try await manager.request(Void.self).endpoint("/slow").send() }
        try await gate.waitForWaiters(count: 1)
        _ = try? await manager.request(Void.self).endpoint("/fast").send()
        gate.open()
        try await slow.value
        try await recorder.waitForCalls(count: 2)
        recorder.expectCalls([
            [
                "callStarted", "attemptStarted 1", "dummyMatched", "attemptFinished 1 200", "modelLoaded",
                "callSucceeded 200 dummy",
            ],
            [
                "callStarted", "attemptStarted 1", "dummyMatched", "attemptFinished 1 404",
                "callFailed unacceptableStatus",
            ],
        ])
    }

    @Test
    func `a recorder waits for an event, past or future`() async throws {
        async let event = recorder.wait(for: .custom)
        manager.emit("hello", payload: ["a": 1])
        #expect(try await event.first?.line == "custom hello")
        #expect(try await recorder.wait(for: .custom).first?.line == "custom hello")
        #expect(recorder.events.count == 1)
    }

    @Test
    func `a recorder waits for so many events of a kind, and counts them`() async throws {
        manager.emit("one")
        async let seen = recorder.wait(for: .custom, count: 2)
        manager.emit("two")
        _ = try await seen
        #expect(recorder.count(of: .custom) == 2)
        #expect(recorder.count(of: .callStarted) == 0)
        #expect(recorder.names == [.custom, .custom])
    }

    @Test(
        arguments: [
            (["a", "b"], ["a", "b"], nil),
            (["a", "b"], ["a", "c"], "event 2 is 'b' instead of 'c'"),
            (["a"], ["a", "c"], "event 2 is the end instead of 'c'"),
            (["a", "b"], ["a"], "event 2 is 'b' instead of the end"),
            ([], ["a"], "event 1 is the end instead of 'a'"),
        ] as [([String], [String], String?)]
    )
    func `two sequences part where they differ first`(found: [String], expected: [String], text: String?) {
        let difference = EventRecorder.difference(of: found, from: expected)
        #expect(difference?.split(separator: "\n").first.map(String.init) == text)
    }

    @Test
    func `a sequence that is not the expected one is an issue`() {
        withKnownIssue { recorder.expect(["callStarted"]) }
        withKnownIssue { recorder.expectCalls([["callStarted"]]) }
    }

    @Test
    func `groups and local jobs have lines of their own`() async {
        _ = await manager.serially([LocalJob("one") { 1 }, LocalJob("two") { _ -> Int in throw CancellationError() }])
        #expect(recorder.lines.first == "groupStarted 2")
        #expect(recorder.lines.contains("localJobSucceeded one"))
        #expect(recorder.linesByCall.isEmpty)
    }
}
