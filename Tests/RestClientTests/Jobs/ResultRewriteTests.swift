// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

@Suite
struct ResultRewriteTests {
    private struct Mine: Error, Equatable {
        var text: String
    }

    private let client = StubbedClient(
        StubTransport { request in
            request.url.hasSuffix("/bad") ? .text("why", .conflict) : .text("answer")
        }
    )

    private func node(_ path: PathTemplate) -> RequestNode<String> {
        client.manager.request(String.self).endpoint(path)
    }

    @Test
    func `a handler replaces a model for everyone: caller, next step, group and events`() async throws {
        let rewritten = node("/a").mapResult { try $0.get().uppercased() }
        let next = LocalJob("next") { previous in try previous.value(as: String.self) }
        #expect(try await rewritten.send() == "ANSWER")
        #expect(await client.manager.concurrently([rewritten]).values == ["ANSWER"])
        #expect(
            await client.manager.serially([rewritten, next]).values.compactMap { $0 as? String } == [
                "ANSWER", "ANSWER",
            ]
        )
    }

    @Test
    func `a handler that turns success into failure fails the call, the group and the event`() async throws {
        let log = EventRecorder(client.manager)
        let failing = node("/a").mapResult { _ in throw Mine(text: "no") }
        let report = await client.manager.serially([failing, LocalJob("next") {}])
        #expect(report[0].error as? Mine == Mine(text: "no"))
        #expect(report.stopped)
        #expect(log.lines.contains(#"callFailed Mine(text: "no")"#))
        #expect(!log.lines.contains { $0.hasPrefix("callSucceeded") })
        #expect(log.events.count { $0.isTerminal } == 1)
    }

    @Test
    func `a handler that turns failure into success saves the call, the group and the event`() async throws {
        let log = EventRecorder(client.manager)
        let saved = node("/bad").mapResult { result in (try? result.get()) ?? "fallback" }
        let response = try await saved.response()
        #expect(response.model == "fallback")
        #expect(response.status == .conflict)
        #expect(response.attempts == 1)
        #expect(log.lines.last == "callSucceeded 409 network")
        #expect(await client.manager.concurrently([saved]).isSuccess)
    }

    @Test
    func `a call that never had a response says that its model is the handler's`() async throws {
        let log = EventRecorder(client.manager)
        let response = try await node("/a").server("unknown").mapResult { _ in "fallback" }.response()
        #expect(response.source == .resultHandler)
        #expect(response.attempts == 0)
        #expect(log.lines == ["callStarted", "modelLoaded", "callSucceeded 200 resultHandler"])
    }

    @Test
    func `several handlers run in the order they were added`() async throws {
        let model = try await node("/a").mapResult { try $0.get() + "1" }.mapResult { try $0.get() + "2" }.send()
        #expect(model == "answer12")
    }

    @Test
    func `a later handler sees what an earlier one threw`() async throws {
        let node = node("/a").mapResult { _ in throw Mine(text: "first") }
            .mapResult { result in
                do {
                    return try result.get()
                } catch let error as Mine {
                    return error.text
                }
            }
        #expect(try await node.send() == "first")
    }

    @Test
    func `a mapped error reaches caller, group and event; the original stays in the handler's hands`() async throws {
        let log = EventRecorder(client.manager)
        let mapped = node("/bad")
            .mapError { error in
                Mine(text: error.response.map { String(decoding: $0.body, as: UTF8.self) } ?? "")
            }
        let error = await #expect(throws: Mine.self) { try await mapped.send() }
        #expect(error == Mine(text: "why"))
        #expect(log.lines.last == #"callFailed Mine(text: "why")"#)
        #expect(await client.manager.concurrently([mapped])[0].error as? Mine == Mine(text: "why"))
    }

    @Test
    func `the cache stores the response, not the result of a handler`() async throws {
        let rewritten = node("/a").cache(.elseNetwork()).mapResult { try $0.get() + "!" }
        #expect(try await rewritten.send() == "answer!")
        #expect(try await rewritten.send() == "answer!")
        #expect(try await node("/a").cache(.cacheOnly()).send() == "answer")
    }

    @Test
    func `a RestClientError of a handler carries the request`() async throws {
        let node = node("/a").mapResult { _ in throw RestClientError(.decodingFailed, "mine") }
        let error = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(error?.request?.url == "https://api.example.com/v1/a")
        #expect(error?.attempts == 1)
    }
}
