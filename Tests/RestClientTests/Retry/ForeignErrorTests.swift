// SPDX-License-Identifier: MIT

import RestEssentials
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// User code within a call sends another call, and throws its error: that says nothing about what the outer call did.
@Suite(.timeLimit(.minutes(5)))
struct ForeignErrorTests {
    /// The place of the user code.
    enum Place: CaseIterable {
        case provider, callInterceptor, attemptInterceptor
    }

    /// Sends the other call before the request, or after it.
    private struct Detour: Interceptor {
        let other: RequestNode<Void>
        var isAfter = false

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            guard isAfter else {
                try await other.send()
                return try await next(request)
            }
            let response = try await next(request)
            try await other.send()
            return response
        }
    }

    /// A client whose first responses are lost; later ones are empty.
    private static func losing(_ count: Int) -> StubbedClient {
        let sent = Counter()
        return StubbedClient(
            StubTransport { _ in
                guard sent.next() > count else {
                    throw RestClientError(.timeout, "the response is lost")
                }
                return RawResponse()
            }
        )
    }

    /// A call that may have had an effect if its response is lost.
    private static func login(_ client: StubbedClient) -> RequestNode<Void> {
        client.manager.request(Void.self).post().endpoint("/login")
    }

    /// Lets all calls of a client send another one first.
    private static func configure(_ client: StubbedClient, _ place: Place, _ other: RequestNode<Void>) {
        let options = client.manager.options
        client.manager.options =
            switch place {
            case .callInterceptor: options.interceptors(Detour(other: other))
            case .attemptInterceptor: options.interceptors(Detour(other: other), perAttempt: true)
            case .provider:
                options.header(.userAgent) {
                    try await other.send()
                    return "test"
                }
            }
    }

    private static let quick: RetryPolicy = {
        var policy = RetryPolicy(attempts: 3)
        policy.backoff.first = .zero
        return policy
    }()

    private static let eager: EventStreamPolicy = {
        var policy = EventStreamPolicy()
        policy.backoff.first = .zero
        return policy
    }()

    private static func feed() -> StubbedClient {
        StubbedClient(
            answering: .text("data: one\n\n", headers: [.contentType: "text/event-stream"]),
            .status(.noContent)
        )
    }

    @Test(arguments: Place.allCases)
    func `a feed that may be requested again is, although the other call may not be repeated`(place: Place) async throws
    {
        let (client, other) = (Self.feed(), Self.losing(1))
        Self.configure(client, place, Self.login(other))
        var received: [String] = []

        for try await event in client.manager.request(Void.self).endpoint("/a").serverSentEvents(Self.eager) {
            received.append(event.data)
        }

        #expect(received == ["one"])
        #expect(client.requests.count == 2)
        #expect(other.requests.count == 3)
    }

    @Test(arguments: [false, true])
    func `a feed that may not be requested again is not, although the other call may be repeated`(
        isOfAttempts: Bool
    ) async throws {
        let (client, other) = (Self.feed(), Self.losing(1))
        let detour = Detour(other: other.manager.request(Void.self).endpoint("/audit"), isAfter: true)
        let options = client.manager.options
        client.manager.options =
            isOfAttempts ? options.interceptors(detour, perAttempt: true) : options.interceptors(detour)

        let error = await #expect(throws: RestClientError.self) {
            for try await _ in client.manager.request(Void.self).post().endpoint("/a").serverSentEvents(Self.eager) {}
        }

        #expect(error?.code == .timeout)
        #expect(error?.request?.url?.hasSuffix("/audit") == true)
        #expect(client.requests.count == 1)
    }

    @Test(arguments: Place.allCases)
    func `a download is repeated`(place: Place) async throws {
        let directory = try TemporaryDirectory()
        let client = StubbedClient(answering: .text("content")) { $0 = $0.retry(Self.quick) }
        let other = Self.losing(1)
        Self.configure(client, place, Self.login(other))
        let target = directory.path("file").path

        let file = try await client.manager.request(Void.self).endpoint("/file").download(to: target)

        #expect(file.length == 7)
        #expect(client.requests.count == 1)
        #expect(other.requests.count == 2)
    }

    @Test(arguments: Place.allCases)
    func `a node of a graph is retried, whether it is the request or sends it`(place: Place) async throws {
        let client = StubbedClient(answering: .text("content"))
        let other = Self.losing(.max)
        Self.configure(client, place, Self.login(other))
        let node = client.manager.request(Void.self).endpoint("/a")
        var graph = JobGraph("read")
        graph.request("request", options: [.retry(Self.quick)]) { node }
        graph.local("local", options: [.retry(Self.quick)]) { try await node.send() }

        let run = try await client.manager.run(graph)

        #expect(!run.isSuccess)
        #expect(client.requests.isEmpty)
        #expect(other.requests.count == 6)
    }
}
