// SPDX-License-Identifier: MIT

import RestClient
import TestSupport
import Testing

/// Calls whose server is not there, or leaves in the middle.
@Suite(.timeLimit(.minutes(5)))
struct UnreachableServerTests {
    @Test
    func `a server that is down is an error that names it`() async throws {
        let port = try LoopbackPort(.refusing)
        let manager = try RestClientManager.connected()
        let log = EventRecorder(manager)
        let error = try #require(
            await #expect(throws: RestClientError.self) {
                try await manager.request().serverAddress(port.url).endpoint("/orders").send()
            }
        )
        #expect(error.code == .connectionFailed)
        #expect(error.failureClass == .network)
        #expect(error.message.contains("127.0.0.1:\(port.number)"))
        #expect(error.request?.url == port.url + "/orders")
        #expect(error.underlying != nil)
        #expect(error.attempts == 1)
        #expect(log.names == [.callStarted, .attemptStarted, .attemptFailed, .callFailed])
    }

    @Test(arguments: ["http", "https"])
    func `a name that does not resolve is an error that names it`(scheme: String) async throws {
        let manager = try RestClientManager.connected()
        let error = try #require(
            await #expect(throws: RestClientError.self) {
                try await manager.request().url("\(scheme)://does-not-exist.invalid/a?token=s3cret").send()
            }
        )
        #expect(error.code == .hostNotFound)
        #expect(error.failureClass == .network)
        #expect(error.message.contains("does-not-exist.invalid"))
        #expect(!error.description.contains("s3cret"))
    }

    @Test
    func `many calls to a server that is down all fail, and soon`() async throws {
        let port = try LoopbackPort(.refusing)
        let manager = try RestClientManager.connected()
        let nodes = (0..<100).map { _ in manager.request().url(port.url + "/") }
        let report = await manager.concurrently(nodes)
        let codes = report.errors.compactMap { ($0 as? RestClientError)?.code }
        #expect(codes == Array(repeating: .connectionFailed, count: 100))
    }

    @Test
    func `a server that comes back is found again`() async throws {
        let manager = try RestClientManager.connected()
        let port = try await LoopbackServer.with { server in
            server.onAny { _ in .text("here") }
            _ = try await manager.request().url(server.url + "/").send()
            return server.port
        }
        let error = await #expect(throws: RestClientError.self) {
            try await manager.request().url("http://127.0.0.1:\(port)/").send()
        }
        #expect(error?.failureClass == .network)
        try await LoopbackServer.with { server in
            server.onAny { _ in .text("back") }
            let answer = try await manager.request(String.self).url(server.url + "/").send()
            #expect(answer == "back")
        }
    }

    @Test(.eachTransport, arguments: [false, true])
    func `a cut response fails the call and stores nothing`(isReset: Bool) async throws {
        try await LoopbackClient.with { client in
            client.server.on(.get, "/cut") { _ in
                .json(#"{"half": "#).claimingLength(100).ending(isReset ? .reset : .close)
            }
            let log = EventRecorder(client.manager)
            let node = client.request([String: String].self, .get, "/cut").cache(.elseNetwork())
            let error = await #expect(throws: RestClientError.self) { try await node.send() }
            #expect(error?.code == .connectionClosed)
            #expect(log.count(of: .cacheStored) == 0)
            #expect(log.names.last == .callFailed)
            let missing = await #expect(throws: RestClientError.self) { try await node.cache(.cacheOnly()).send() }
            #expect(missing?.code == .notCached)
        }
    }

    @Test
    func `dummies respond for a server that is dead`() async throws {
        let port = try LoopbackPort(.refusing)
        let manager = try RestClientManager.connected()
        manager.servers[.loopback] = Server(port.url)
        manager.defaultServer = .loopback
        manager.dummies.mode = .matched
        let dummy = manager.dummies.register(.get, "/users/{id}", server: .loopback) { request in
            .json(["id": request.parameters["id"] ?? ""])
        }
        let node = manager.request([String: String].self).endpoint("/users/{id}").parameter("id", 7)
        let response = try await node.response()
        #expect(response.model == ["id": "7"])
        #expect(response.source == .dummy)
        #expect(dummy.callCount == 1)

        // A request without a dummy is sent and finds no server.
        let unmatched = await #expect(throws: RestClientError.self) {
            try await manager.request().endpoint("/orders").send()
        }
        #expect(unmatched?.code == .connectionFailed)

        manager.dummies.mode = .strict
        let refused = await #expect(throws: RestClientError.self) {
            try await manager.request().endpoint("/orders").send()
        }
        #expect(refused?.code == .dummyNotFound)

        manager.dummies.mode = .off
        let dead = await #expect(throws: RestClientError.self) { try await node.send() }
        #expect(dead?.code == .connectionFailed)
        #expect(dummy.callCount == 1)
    }

    @Test(.eachTransport)
    func `a dummy can stand in front of a living server`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { _ in .text("server") }
            client.manager.dummies.mode = .matched
            let dummy = client.manager.dummies.register(.get, "/mixed") { _ in
                .json(1, status: .serviceUnavailable)
            }
            let error = await #expect(throws: RestClientError.self) { try await client.request(.get, "/mixed").send() }
            #expect(error?.failureClass == .serverUnavailable)
            let other = try await client.request(String.self, .get, "/other").send()
            dummy.remove()
            let mixed = try await client.request(String.self, .get, "/mixed").send()
            #expect([other, mixed] == ["server", "server"])
            #expect(client.server.requests.map(\.path) == ["/other", "/mixed"])
        }
    }
}
