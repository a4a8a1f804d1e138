// SPDX-License-Identifier: MIT

import HTTPTypes
import RestClientTesting
import RestEssentials
import Synchronization
import TestSupport
import Testing

@testable import RestClient

/// The handlers that each end of a call calls: the special one before the general one, each at most once.
@Suite(.timeLimit(.minutes(5)))
struct CallbackOrderTests {
    enum Situation: Sendable, CaseIterable {
        case success, stored, storedThenNetwork, notModified, unauthorized, timeout, offline, cancelled, notFound
        /// A failure that a mapper made another error of.
        case mapped
    }

    struct Foreign: Error {}

    private func client(_ situation: Situation) -> StubbedClient {
        StubbedClient(
            StubTransport { request in
                switch situation {
                case .success, .stored, .storedThenNetwork: return .text("x")
                case .notModified:
                    return request.headers.contains(.ifNoneMatch)
                        ? .status(.notModified)
                        : .text("x", headers: [.eTag: "\"1\"", .cacheControl: "no-cache"])
                case .unauthorized, .mapped: return .status(.unauthorized)
                case .timeout: throw RestClientError(.timeout, "it took too long")
                case .offline: throw RestClientError(.hostNotFound, "there is no such host")
                case .cancelled: throw CancellationError()
                case .notFound: return .status(.notFound)
                }
            }
        )
    }

    private func policy(_ situation: Situation) -> CachePolicy {
        switch situation {
        case .stored: .elseNetwork()
        case .storedThenNetwork: .thenNetwork
        case .notModified: .http
        default: .networkOnly
        }
    }

    private func calls(_ situation: Situation, special: Bool) async -> [String] {
        let client = client(situation)
        var node = client.manager.request(String.self).endpoint("/a").cache(policy(situation))
        if situation == .mapped {
            node = node.mapError { _ in Foreign() }
        }
        // The first call of those that find a stored response.
        if policy(situation) != .networkOnly {
            _ = try? await node.send()
        }
        let calls = Recorder<String>()
        node = node.onStart { calls.record("start") }
            .onSuccess { _ in calls.record("success") }
            .onError { _ in calls.record("error") }
        if special {
            node = node.onCacheSuccess { _ in calls.record("cache") }
                .onNotModified { _ in calls.record("not modified") }
                .onError(of: .unauthorized) { error in calls.record("unauthorized \(type(of: error))") }
                .onError(of: .timeout) { _ in calls.record("timeout") }
                .onError(of: .network) { _ in calls.record("offline") }
                .onError(of: .cancelled) { _ in calls.record("cancel") }
        }
        _ = try? await node.send()
        return calls.elements
    }

    @Test(arguments: [
        (Situation.success, ["start", "success"]), (.stored, ["start", "cache"]),
        (.storedThenNetwork, ["start", "cache", "success"]), (.notModified, ["start", "not modified"]),
        (.unauthorized, ["start", "unauthorized RestClientError"]), (.timeout, ["start", "timeout"]),
        (.offline, ["start", "offline"]), (.cancelled, ["start", "cancel"]), (.notFound, ["start", "error"]),
        (.mapped, ["start", "unauthorized Foreign"]),
    ])
    func `the special handler is called in place of the general one`(
        situation: Situation,
        expected: [String]
    ) async {
        #expect(await calls(situation, special: true) == expected)
    }

    @Test(arguments: [
        (Situation.success, "success"), (.stored, "success"), (.storedThenNetwork, "success"),
        (.notModified, "success"), (.unauthorized, "error"), (.timeout, "error"), (.offline, "error"),
        (.cancelled, "error"), (.notFound, "error"), (.mapped, "error"),
    ])
    func `without special handlers the general one is called once`(situation: Situation, expected: String) async {
        #expect(await calls(situation, special: false) == ["start", expected])
    }

    @Test
    func `handlers of refused credentials are called from the manager inwards, and the node's own comes last`() async {
        let client = StubbedClient(answering: .status(.unauthorized), .status(.forbidden))
        let calls = Recorder<String>()
        client.manager.options = client.manager.options.onRefusedCredentials {
            calls.record("manager \($0.status?.code ?? 0)")
        }
        client.manager.servers["store"] = Server("https://api.example.com/v1")
            .onRefusedCredentials { _ in
                calls.record("server")
            }
        let node = client.manager.request(Void.self).endpoint("/a")
            .onError(of: .unauthorized) { _ in calls.record("node") }
            .onError { _ in calls.record("error") }

        _ = try? await node.send()
        #expect(calls.elements == ["manager 401", "server", "node"])
        // A 403 is not about who it is.
        _ = try? await node.send()
        #expect(calls.elements.dropFirst(3) == ["error"])
    }

    @Test
    func `handlers run on the actor of the user's choice, in order, before the call ends`() async throws {
        let client = StubbedClient(answering: .text("x"))
        let screen = Screen()

        try await client.manager.request(Void.self).endpoint("/a")
            .onStart { MainActor.assumeIsolated { screen.lines.append("start") } }
            .onSuccess { _ in MainActor.assumeIsolated { screen.lines.append("success") } }
            .callbacks(on: MainActor.shared)
            .send()

        #expect(await screen.lines == ["start", "success"])
    }

    @Test
    func `handlers run where the user's closure runs them`() async throws {
        let client = StubbedClient(answering: .text("x"))
        let works = Recorder<@Sendable () -> Void>()
        let calls = Recorder<String>()
        let call = client.manager.request(Void.self).endpoint("/a")
            .onSuccess { _ in calls.record("success") }
            .callbacks { works.record($0) }
            .resume()

        let work = try await works.waitForCount(1)
        #expect(calls.elements.isEmpty)
        work[0]()
        await call.finished()
        #expect(calls.elements == ["success"])
    }

    @MainActor
    private final class Screen {
        var lines: [String] = []
    }
}
