// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// RFC 5861, section 3: what is delivered stale is refreshed afterwards.
@Suite(.timeLimit(.minutes(5)))
struct BackgroundRevalidationTests {
    private let wall = WallClock()
    private let gate = Gate()
    private let counter = Counter()

    /// A client whose server gives numbers, each good for ten seconds and for ten more while it is refreshed; every
    /// response but the first waits for the gate.
    private func client(_ body: @escaping @Sendable (Int) -> RawResponse) -> StubbedClient {
        let (wall, gate, counter) = (wall, gate, counter)
        let transport = StubTransport { _ in
            let number = counter.next()
            if number > 1 {
                try await gate.wait()
            }
            return body(number)
        }
        return StubbedClient(transport) { $0.now = { wall.now } }
    }

    private static let headers: HTTPFields = [
        .cacheControl: "max-age=10, stale-while-revalidate=10", .eTag: #""1""#,
    ]

    private func counting() -> StubbedClient {
        client { .text("\($0)", headers: Self.headers) }
    }

    private func call(_ client: StubbedClient) -> RequestNode<Int> {
        client.manager.request(Int.self).endpoint("/a").cache()
    }

    @Test
    func `a stale response is delivered at once, and refreshed by a call of its own`() async throws {
        let client = counting()
        _ = try await call(client).send()
        wall.advance(by: 15)
        let log = EventRecorder(client.manager)

        let stale = try await call(client).response()

        #expect(stale.model == 1)
        #expect(stale.cache.outcome == .stale(.whileRevalidating))
        #expect(stale.headers[.age] == "15")
        gate.open()
        await client.manager.cache.revalidationsFinished()
        #expect(client.requests.last?.headers[.ifNoneMatch] == #""1""#)
        #expect(try await call(client).response().model == 2)
        let calls = Dictionary(grouping: log.events, by: \.callID)
        #expect(calls.count == 3)
        let background = try #require(calls.values.first { $0.contains { $0.kind.name == .attemptStarted } })
        #expect(
            background.map(\.line) == [
                "callStarted", "attemptStarted 1", "attemptFinished 1 200", "cacheStored", "callSucceeded 200 network",
            ]
        )
    }

    @Test
    func `a 304 in the background is kept`() async throws {
        let client = client { number in
            number == 1
                ? .text("1", headers: Self.headers) : .status(.notModified, headers: [.cacheControl: "max-age=100"])
        }
        _ = try await call(client).send()
        wall.advance(by: 15)
        gate.open()
        _ = try await call(client).send()
        await client.manager.cache.revalidationsFinished()
        wall.advance(by: 99)
        #expect(try await call(client).response().cache.outcome == .fresh)
        #expect(client.requests.count == 2)
    }

    @Test
    func `the error of a failed refresh is decoded as the call's would be`() async throws {
        struct Problem: Decodable, Equatable {
            let errorText: String
        }
        let client = client { number in
            number == 1
                ? .text("1", headers: Self.headers) : .text(#"{"error_text": "broken"}"#, .badRequest, headers: [:])
        }
        let node = call(client).coding(keys: .snakeCase)
        _ = try await node.send()
        wall.advance(by: 15)
        let log = EventRecorder(client.manager)
        gate.open()
        _ = try await node.send()
        await client.manager.cache.revalidationsFinished()

        let errors = log.events.compactMap { event -> RestClientError? in
            if case .callFailed(let error) = event.kind { error as? RestClientError } else { nil }
        }
        #expect(errors.map { $0.decodedBody(as: Problem.self) } == [Problem(errorText: "broken")])
    }

    @Test
    func `many calls for one response begin one refresh`() async throws {
        let client = counting()
        _ = try await call(client).send()
        wall.advance(by: 15)
        for _ in 0..<20 {
            #expect(try await call(client).send() == 1)
        }
        gate.open()
        await client.manager.cache.revalidationsFinished()
        #expect(client.requests.count == 2)
    }

    @Test
    func `what does not decode in the background is not stored`() async throws {
        let client = client { .text($0 == 1 ? "1" : "no number", headers: Self.headers) }
        _ = try await call(client).send()
        wall.advance(by: 15)
        gate.open()
        let log = EventRecorder(client.manager)
        #expect(try await call(client).send() == 1)
        await client.manager.cache.revalidationsFinished()
        #expect(log.lines.contains("callFailed decodingFailed"))
        #expect(try await call(client).cache(.cacheOnly()).send() == 1)
    }

    @Test
    func `a refresh ends with its manager`() async throws {
        let ended = Gate()
        let gate = gate
        let transport = StubTransport { request in
            guard request.headers.contains(.ifNoneMatch) else {
                return .text("1", headers: Self.headers)
            }
            do {
                try await gate.wait()
            } catch {
                ended.open()
                throw error
            }
            return .text("2", headers: Self.headers)
        }
        let wall = wall
        var client: StubbedClient? = StubbedClient(transport) { $0.now = { wall.now } }
        if let client {
            _ = try await call(client).send()
            wall.advance(by: 15)
            _ = try await call(client).send()
            try await gate.waitForWaiters(count: 1)
        }
        client = nil
        try await ended.wait()
    }

    @Test
    func `no more than so many run at once`() async throws {
        let background = BackgroundRevalidation(limit: 2)
        let gate = gate
        #expect(background.start("a") { try? await gate.wait() })
        #expect(!background.start("a") {})
        #expect(background.start("b") { try? await gate.wait() })
        #expect(!background.start("c") {})
        gate.open()
        await background.finished()
        #expect(background.start("c") {})
        await background.finished()
        background.close()
        #expect(!background.start("d") {})
    }
}
