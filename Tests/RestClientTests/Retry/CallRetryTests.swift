// SPDX-License-Identifier: MIT

import HTTPTypes
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

@Suite
struct CallRetryTests {
    private static func quick(_ attempts: Int) -> RetryPolicy {
        var policy = RetryPolicy(attempts: attempts)
        policy.backoff.first = .zero
        return policy
    }

    private static func isOfRetries(_ name: ClientEvent.Name) -> Bool {
        name == .retryDecided || name == .retrySuppressed
    }

    @Test
    func `a call is not repeated unless someone says so`() async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable))
        let error = await client.failure { $0.endpoint("/a") }
        #expect(error?.status == .serviceUnavailable)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a failed attempt is repeated until one succeeds, and the call ends once`() async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable), .status(.internalServerError), .text("7"))
        let log = EventRecorder(client.manager)
        client.manager.options = client.manager.options.retry(Self.quick(5))
        let response = try await client.manager.request(Int.self).endpoint("/a").response()
        #expect(response.model == 7)
        #expect(response.attempts == 3)
        #expect(client.requests.count == 3)
        #expect(log.events.filter { $0.kind.isTerminal }.count == 1)
        #expect(log.events.map(\.kind.name).filter(Self.isOfRetries) == [.retryDecided, .retryDecided])
    }

    @Test
    func `the last failure is the call's, and its suppression is emitted`() async throws {
        let client = StubbedClient(answering: .status(.internalServerError), .status(.badGateway))
        let log = EventRecorder(client.manager)
        let error = await client.failure { $0.endpoint("/a").retry(Self.quick(2)) }
        #expect(error?.status == .badGateway)
        #expect(error?.attempts == 2)
        #expect(log.events.map(\.kind.name).filter(Self.isOfRetries) == [.retryDecided, .retrySuppressed])
    }

    @Test(arguments: CallOptions.Level.allCases.dropFirst())
    func `the nearest level decides`(level: CallOptions.Level) async throws {
        let key = APIAlias<Void>("a")
        let client = StubbedClient(answering: .status(.internalServerError))
        client.manager.options = client.manager.options.retry(level == .manager ? .never : Self.quick(3))
        client.manager.servers["store"] = Server("https://api.example.com")
            .retry(level == .server ? .never : Self.quick(3))
        client.manager.apis[key] = API(.get, "/a").retry(level == .api ? .never : Self.quick(3))
        let node = client.manager.request(key).retry(level == .call ? .never : Self.quick(3))
        await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(client.requests.count == (level == .call ? 1 : 3))
    }

    @Test
    func `an unsafe request that may have had an effect is not retried, regardless of its error`()
        async throws
    {
        struct Foreign: Error {}
        let client = StubbedClient(answering: .status(.internalServerError))
        let node = client.manager.request(Void.self).post().endpoint("/a").retry(Self.quick(3))
        await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(client.requests.count == 1)
        await #expect(throws: Foreign.self) { try await node.mapError { _ in Foreign() }.send() }
        #expect(client.requests.count == 2)
        let throwing = node.interceptors(Throwing { Foreign() }, perAttempt: true)
        await #expect(throws: Foreign.self) { try await throwing.send() }
        #expect(client.requests.count == 3)
    }

    @Test
    func `an unsafe request that the server did not handle is repeated`() async throws {
        let client = StubbedClient(answering: .status(.tooManyRequests), .text(""))
        try await client.manager.request(Void.self).post().endpoint("/a").retry(Self.quick(3)).send()
        #expect(client.requests.count == 2)
    }

    @Test
    func `each attempt asks header providers again`() async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable), .text(""))
        let asked = Recorder<Int>()
        try await client.manager.request(Void.self).endpoint("/a").retry(Self.quick(2))
            .header(.userAgent) {
                asked.record(1)
                return "\(asked.elements.count)"
            }
            .send()
        #expect(client.requests.map { $0.headers[.userAgent] } == ["1", "2"])
    }

    @Test
    func `a cancelled call is not repeated`() async throws {
        let client = StubbedClient()
        let node = client.manager.request(Void.self).endpoint("/a").retry(Self.quick(3))
            .interceptors(Throwing { CancellationError() }, perAttempt: true)
        await #expect(throws: (any Error).self) { try await node.send() }
        #expect(client.requests.count == 1)
    }

    @Test
    func `no wait outlasts the deadline`() async throws {
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.jitter = 0
        policy.backoff.first = .seconds(20)
        let client = StubbedClient(answering: .status(.serviceUnavailable))
        let log = EventRecorder(client.manager)
        let error = await client.failure { [policy] in $0.endpoint("/a").retry(policy).timeout(.seconds(10)) }
        #expect(error?.status == .serviceUnavailable)
        #expect(client.requests.count == 1)
        #expect(
            log.events.contains { if case .retrySuppressed(.deadlineTooClose, _) = $0.kind { true } else { false } }
        )
    }

    @Test
    func `a wait holds no worker slot`() async throws {
        let client = StubbedClient(answering: .status(.serviceUnavailable), .text("")) { $0.workerCount = 1 }
        let node = client.manager.request(Void.self).endpoint("/a").retry(Self.quick(2))
        let other = client.manager.request(Void.self).endpoint("/b")
        let running = Recorder<Int>()
        let observation = client.manager.observe { event in
            if case .retryDecided = event.kind { running.record(client.manager.workers.runningCount) }
        }
        try await node.send()
        try await other.send()
        observation.cancel()
        #expect(running.elements == [0])
    }

    // MARK: - Rules of one's own

    @Test(arguments: [("yes", "busy", 3), ("no", "busy", 1), ("yes", "over", 1)])
    func `a rule of one's own sees the status, the fields and the body`(
        field: String,
        word: String,
        attempts: Int
    ) async throws {
        let name = try #require(HTTPField.Name("X-Retry"))
        let busy = RawResponse.text(#"{"error": "\#(word)"}"#, .conflict, headers: [name: field])
        let client = StubbedClient(answering: busy, busy, .text("7"))
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero
        policy.isRetryable = { error in
            guard let response = (error as? RestClientError)?.response, response.status == .conflict else {
                return false
            }
            return response.headers[name] == "yes" && String(decoding: response.body, as: UTF8.self).contains("busy")
        }

        let number = try? await client.manager.request(Int.self).endpoint("/a").retry(policy).send()

        #expect(number == (attempts == 3 ? 7 : nil))
        #expect(client.requests.count == attempts)
    }

    /// An API that reports its failures with status 200.
    private struct Busy: Error {}

    private struct BusyInterceptor: Interceptor {
        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            let response = try await next(request)
            guard !String(decoding: response.body, as: UTF8.self).contains("busy") else {
                throw Busy()
            }
            return response
        }
    }

    @Test
    func `an attempt interceptor makes a failure of a response with a good status, which is repeated`() async throws {
        let client = StubbedClient(answering: .text(#"{"error": "busy"}"#), .text("7"))
        var policy = RetryPolicy(attempts: 2)
        policy.backoff.first = .zero
        policy.isRetryable = { $0 is Busy }

        let number = try await client.manager.request(Int.self).endpoint("/a")
            .interceptors(BusyInterceptor(), perAttempt: true)
            .retry(policy).send()

        #expect(number == 7)
        #expect(client.requests.count == 2)
    }
}

/// Sends the request, and throws an error in place of its response.
private struct Throwing: Interceptor {
    let error: @Sendable () -> any Error

    func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
        _ = try await next(request)
        throw error()
    }
}
