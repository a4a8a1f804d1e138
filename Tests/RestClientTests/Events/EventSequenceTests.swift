// SPDX-License-Identifier: MIT

import HTTPTypes
import Testing

@testable import RestClient

/// What every kind of call tells, event by event.
@Suite
struct EventSequenceTests {
    private func lines(
        _ client: StubbedClient,
        _ describe: (RequestNode<Int>) -> RequestNode<Int>
    ) async -> [String] {
        let log = EventLog(client.manager)
        _ = try? await describe(client.manager.request(Int.self).endpoint("/a")).send()
        let calls = Set(log.events.map(\.callID))
        #expect(calls.count == 1, "every event of a call carries its identifier")
        #expect(log.events.count { $0.isTerminal } == 1)
        #expect(log.events.last?.isTerminal == true)
        #expect(log.events.first?.kind.name == "callStarted")
        return log.lines
    }

    @Test
    func `a success`() async {
        let lines = await lines(StubbedClient(answering: .text("1"))) { $0 }
        #expect(lines == ["callStarted", "attemptStarted 1", "attemptFinished 1 200", "callSucceeded 200 network"])
    }

    @Test
    func `a refused status`() async {
        let lines = await lines(StubbedClient(answering: .status(.notFound))) { $0 }
        #expect(
            lines == ["callStarted", "attemptStarted 1", "attemptFinished 1 404", "callFailed unacceptableStatus"]
        )
    }

    @Test
    func `a body that does not decode`() async {
        let lines = await lines(StubbedClient(answering: .text("x"))) { $0.cache(.reload) }
        #expect(
            lines == [
                "callStarted", "cacheMiss bypassed", "attemptStarted 1", "attemptFinished 1 200",
                "callFailed decodingFailed",
            ]
        )
    }

    @Test
    func `a failure on the wire`() async {
        let client = StubbedClient(StubTransport { _ in throw RestClientError(.connectionFailed, "no route") })
        #expect(await lines(client) { $0 } == ["callStarted", "attemptStarted 1", "callFailed connectionFailed"])
    }

    @Test
    func `a target that does not resolve`() async {
        let lines = await lines(StubbedClient()) { $0.serverKey("unknown") }
        #expect(lines == ["callStarted", "callFailed unknownServerKey"])
    }

    @Test
    func `a hand-over that throws`() async {
        let lines = await lines(StubbedClient()) { node in
            node.handover { _, _ in throw RestClientError(.missingPreviousResult, "none") }
        }
        #expect(lines == ["callStarted", "callFailed missingPreviousResult"])
    }

    @Test
    func `a redirect`() async {
        let client = StubbedClient(answering: .redirect(302, to: "/b?token=s3cret"), .text("1"))
        #expect(
            await lines(client) { $0 } == [
                "callStarted", "attemptStarted 1", "redirected https://api.example.com/b?token=<redacted>",
                "attemptFinished 1 200", "callSucceeded 200 network",
            ]
        )
    }

    @Test
    func `a miss that is stored, and then a hit`() async {
        let client = StubbedClient(answering: .text("1"))
        #expect(
            await lines(client) { $0.cache(.elseNetwork()) } == [
                "callStarted", "cacheMiss absent", "attemptStarted 1", "attemptFinished 1 200", "cacheStored",
                "callSucceeded 200 network",
            ]
        )
        #expect(
            await lines(client) { $0.cache(.elseNetwork(maxAge: .hours(1))) } == [
                "callStarted", "cacheHit 0", "callSucceeded 200 cache",
            ]
        )
    }

    @Test
    func `a miss when only the cache may answer`() async {
        let lines = await lines(StubbedClient()) { $0.cache(.cacheOnly()) }
        #expect(lines == ["callStarted", "cacheMiss absent", "callFailed notCached"])
    }

    @Test
    func `an answer that must not be stored`() async {
        let client = StubbedClient(answering: .text("1", headers: [.cacheControl: "no-store"]))
        #expect(
            await lines(client) { $0.cache(.elseNetwork()) } == [
                "callStarted", "cacheMiss absent", "attemptStarted 1", "attemptFinished 1 200",
                "callSucceeded 200 network",
            ]
        )
    }

    @Test
    func `a call cancelled from the start`() async {
        let client = StubbedClient()
        let log = EventLog(client.manager)
        let task = Task {
            cancelCurrentTask()
            return try await client.manager.request(Void.self).endpoint("/a").send()
        }
        _ = await task.result
        #expect(log.lines == ["callStarted", "callCancelled"])
    }

    /// Cancels the current task.
    private func cancelCurrentTask() {
        unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
    }

    @Test
    func `two calls at once do not mix up their identifiers`() async throws {
        let client = StubbedClient(answering: .text("1"))
        let log = EventLog(client.manager)
        async let first = client.manager.request(Int.self).endpoint("/a").callIdentifier("first").response()
        async let second = client.manager.request(Int.self).endpoint("/b").callIdentifier("second").response()
        for response in try await [first, second] {
            let events = log.events.filter { $0.callID == response.callID }
            #expect(
                events.map(\.line) == [
                    "callStarted", "attemptStarted 1", "attemptFinished 1 200", "callSucceeded 200 network",
                ]
            )
            #expect(Set(events.compactMap { $0.request?.callIdentifier }).count == 1)
        }
    }

    @Test
    func `events name the API, the server and the template of their call`() async throws {
        let client = StubbedClient(answering: .text("1"))
        let key: APIKey<Int> = "numbers"
        client.manager.apis[key] = API(.put, "/n/{id}")
        let log = EventLog(client.manager)
        _ = try await client.manager.request(key).parameter("id", 7).send()
        for event in log.events {
            #expect(event.request?.api == "numbers")
            #expect(event.request?.server == "store")
            #expect(event.request?.template == "/n/{id}")
            #expect(event.request?.method == .put)
            #expect(event.request?.url == "https://api.example.com/v1/n/7")
        }
    }
}
