// SPDX-License-Identifier: MIT

import RestClient
import Synchronization
import TestSupport
import Testing

/// Many calls at once, and the pool that bounds them.
@Suite(.timeLimit(.minutes(5)), .eachTransport)
struct ConcurrencyTests {
    /// How many requests are open at a server, and how many were at most.
    private final class OpenRequests: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock { $0.most } }

        func begin() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func end() {
            counts.withLock { $0.now -= 1 }
        }
    }

    @Test(arguments: [1, 2, 16])
    func `no more requests than workers are open at the server`(size: Int) async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = size
        } _: { client in
            let open = OpenRequests()
            let gate = Gate()
            client.server.on(.get, "/{id}") { request in
                open.begin()
                defer { open.end() }
                try await gate.wait()
                return .text(request.parameters["id"] ?? "")
            }
            let nodes = (0..<(size * 4)).map { client.request(String.self, .get, "/{id}").parameter("id", $0) }
            async let report = client.manager.concurrently(nodes)
            try await gate.waitForWaiters(count: size)
            #expect(client.manager.workers.runningCount == size)
            gate.open()
            let values = await report.values
            #expect(values == (0..<(size * 4)).map(String.init))
            #expect(open.most == size)
            #expect(client.manager.workers.runningCount == 0)
            #expect(client.manager.workers.waitingCount == 0)
        }
    }

    @Test
    func `two hundred calls at sixteen a time all get their own response`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 16
        } _: { client in
            client.server.on(.post, "/{id}") { request in
                .json(#"{"\#(request.parameters["id"] ?? "")": \#(request.text)}"#)
            }
            let nodes = (0..<200)
                .map { id in
                    client.request([String: [Int]].self, .post, "/{id}").parameter("id", id).body([id, id * id])
                }
            let report = await client.manager.concurrently(nodes)
            #expect(report.isSuccess)
            #expect(report.values == (0..<200).map { ["\($0)": [$0, $0 * $0]] })
            #expect(client.server.connectionCount <= 16)
        }
    }

    @Test
    func `raising the pool's size lets waiting calls out at once`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 1
        } _: { client in
            let gate = Gate()
            client.server.onAny { _ in LoopbackResponse.text("ok").after(gate) }
            let nodes = (0..<6).map { _ in client.request(.get, "/") }
            async let report = client.manager.concurrently(nodes)
            try await gate.waitForWaiters(count: 1)

            client.manager.workers.size = 4
            try await gate.waitForWaiters(count: 4)
            #expect(client.server.requests.count == 4)

            client.manager.workers.size = 0
            try await gate.waitForWaiters(count: 6)
            gate.open()
            #expect(await report.isSuccess)
        }
    }

    @Test
    func `lowering the pool's size lets open requests finish and holds the next back`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 3
        } _: { client in
            let open = OpenRequests()
            let gate = Gate()
            client.server.onAny { _ in
                open.begin()
                defer { open.end() }
                try await gate.wait()
                return .text("ok")
            }
            let nodes = (0..<6).map { _ in client.request(.get, "/") }
            async let report = client.manager.concurrently(nodes)
            try await gate.waitForWaiters(count: 3)
            client.manager.workers.size = 1
            gate.pass(3)
            // The three that were open have ended when the fourth has come, alone.
            try await client.server.waitForRequests(count: 4)
            try await gate.waitForWaiters(count: 1)
            #expect(client.manager.workers.runningCount == 1)
            gate.open()
            #expect(await report.isSuccess)
            #expect(open.most == 3)
        }
    }

    @Test
    func `the time limit covers the wait for a worker`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 1
        } _: { client in
            let gate = Gate()
            client.server.on(.get, "/slow") { _ in LoopbackResponse.text("slow").after(gate) }
            let slow = Task { try await client.request(.get, "/slow").send() }
            try await client.server.waitForRequests()
            let error = await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/next").timeout(.milliseconds(150)).send()
            }
            #expect(error?.code == .timeout)
            #expect(error?.failureClass == .timeout)
            #expect(client.manager.workers.waitingCount == 0)
            gate.open()
            _ = try await slow.value
            #expect(client.server.requests.map(\.path) == ["/slow"])
        }
    }

    @Test
    func `a failed call gives its worker back`() async throws {
        let port = try LoopbackPort(.refusing)
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 1
        } _: { client in
            client.server.on(.get, "/500") { _ in .status(500) }
            client.server.on(.get, "/cut") { _ in .text("half").claimingLength(10) }
            client.server.on(.get, "/stall") { _ in .never }
            client.server.on(.get, "/last") { _ in .text("last") }
            for url in [
                "\(client.server.url)/500", "\(client.server.url)/cut", port.url, "http://does-not-exist.invalid/",
            ] {
                await #expect(throws: RestClientError.self) { try await client.manager.request().url(url).send() }
            }
            await #expect(throws: RestClientError.self) {
                try await client.request(.get, "/stall").timeout(.milliseconds(150)).send()
            }
            let last = try await client.request(String.self, .get, "/last").timeout(.seconds(50)).send()
            #expect(last == "last")
            #expect(client.manager.workers.runningCount == 0)
        }
    }

    @Test
    func `calls one after the other share a connection, whatever they do`() async throws {
        try await LoopbackClient.with { client in
            client.server.onAny { request in request.method == .delete ? .status(204) : .text(request.text, status: 201)
            }
            for number in 0..<5 {
                _ = try await client.request(.post, "/items").values(["n": number]).send()
                _ = try await client.request(.delete, "/items").send()
                _ = try await client.request(.head, "/items").send()
            }
            #expect(Set(client.server.requests.map(\.connection)) == [1])
            #expect(client.server.requests.count == 15)
        }
    }

    @Test(.once)
    func `managers share the default transport's connections, and nothing else`() async throws {
        try await LoopbackServer.with { server in
            server.onAny { request in .text(request.headers["X-Manager"] ?? "") }
            for name in ["one", "two"] {
                let manager = RestClientManager()
                manager.options = manager.options.header(HTTPField.Name("X-Manager")!, name)
                let answer = try await manager.request(String.self).url(server.url + "/").send()
                #expect(answer == name)
            }
            #expect(server.requests.map(\.connection) == [1, 1])
        }
    }
}
