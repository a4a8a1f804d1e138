// SPDX-License-Identifier: MIT

import RestClient
import TestSupport
import Testing

/// Chains and groups of calls to a real server.
@Suite(.timeLimit(.minutes(5)))
struct GroupTests {
    private struct Token: Codable, Sendable, Equatable {
        var value: String
    }

    private struct Order: Codable, Sendable, Equatable {
        var id: Int
    }

    /// A server with a login, and with orders for those who are logged in.
    private static func serve(_ server: LoopbackServer) {
        server.on(.post, "/login") { request in
            request.text.contains("kim") ? .json(#"{"value": "t0ken"}"#) : .json("{}", status: 401)
        }
        server.on(.get, "/orders") { request in
            request.headers["Authorization"] == "Bearer t0ken" ? .json(#"[{"id": 1}, {"id": 2}]"#) : .status(401)
        }
        server.on(.get, "/orders/{id}") { request in .json(#"{"id": \#(request.parameters["id"] ?? "0")}"#) }
        server.on(.get, "/broken") { _ in .status(500) }
    }

    private static func steps(_ client: LoopbackClient, user: String) -> [any Job] {
        [
            client.request(Token.self, .post, "/login").values(["user": user]),
            client.request([Order].self, .get, "/orders")
                .handover { node, previous in node.bearer(try previous.value(as: Token.self).value) },
            LocalJob("pick") { previous in try previous.value(as: [Order].self)[1].id },
            client.request(Order.self, .get, "/orders/{id}")
                .handover { node, previous in node.parameter("id", try previous.value(as: Int.self)) },
        ]
    }

    @Test
    func `each step of a chain sees the result of the one before`() async throws {
        try await LoopbackClient.with { client in
            Self.serve(client.server)
            let log = EventRecorder(client.manager)
            let report = await client.manager.serially(Self.steps(client, user: "kim"))
            #expect(report.isSuccess)
            #expect(!report.stopped)
            #expect(report[0].value as? Token == Token(value: "t0ken"))
            #expect(report[1].value as? [Order] == [Order(id: 1), Order(id: 2)])
            #expect(report[2].value as? Int == 2)
            #expect(report[3].value as? Order == Order(id: 2))
            #expect(client.server.requests.map(\.target) == ["/login", "/orders", "/orders/2"])
            #expect(log.names.first == .groupStarted)
            #expect(log.names.last == .groupFinished)
            #expect(Set(log.events.map(\.groupID)) == [report.id])
        }
    }

    @Test
    func `a chain stops at the step that fails`() async throws {
        try await LoopbackClient.with { client in
            Self.serve(client.server)
            let report = await client.manager.serially(Self.steps(client, user: "lee"))
            #expect(report.stopped)
            #expect((report[0].error as? RestClientError)?.failureClass == .unauthorized)
            #expect(report.outcomes.count == 4)
            #expect(report.errors.count == 1)
            #expect(client.server.requests.map(\.path) == ["/login"])
        }
    }

    @Test
    func `a chain can go on after a failure`() async throws {
        try await LoopbackClient.with { client in
            Self.serve(client.server)
            let steps: [any Job] = [
                client.request(.get, "/broken"),
                client.request(Order.self, .get, "/orders/{id}")
                    .handover { node, previous in node.parameter("id", previous.outcome?.error == nil ? 1 : 9) },
            ]
            let report = await client.manager.serially(steps, onFailure: .continue)
            #expect((report[0].error as? RestClientError)?.status == .internalServerError)
            #expect(report[1].value as? Order == Order(id: 9))
        }
    }

    @Test
    func `a group gives each result its own type`() async throws {
        try await LoopbackClient.with { client in
            Self.serve(client.server)
            let (token, order, sum) = try await client.manager.concurrently(
                client.request(Token.self, .post, "/login").values(["user": "kim"]),
                client.request(Order.self, .get, "/orders/{id}").parameter("id", 5),
                LocalJob("sum") { 2 + 3 }
            )
            #expect(token == Token(value: "t0ken"))
            #expect(order == Order(id: 5))
            #expect(sum == 5)
        }
    }

    @Test
    func `the first failure of a group reaches the wire of the others`() async throws {
        try await LoopbackClient.with { client in
            let gate = Gate()
            client.server.on(.get, "/slow") { _ in .never }
            client.server.on(.get, "/broken") { _ in LoopbackResponse.status(500).after(gate) }
            let group = Task {
                try await client.manager.concurrently(client.request(.get, "/slow"), client.request(.get, "/broken"))
            }
            try await client.server.waitForRequests(count: 2)
            gate.open()
            let error = await #expect(throws: RestClientError.self) { try await group.value }
            #expect(error?.status == .internalServerError)
            try await client.server.waitForAbortedRequests()
        }
    }

    @Test
    func `a group reports each outcome in its place`() async throws {
        try await LoopbackClient.with { client in
            Self.serve(client.server)
            let paths: [PathTemplate] = ["/orders/1", "/broken", "/missing", "/orders/4"]
            let report = await client.manager.concurrently(paths.map { client.request(Order.self, .get, $0) })
            #expect(report.values == [Order(id: 1), Order(id: 4)])
            #expect(report.errors.compactMap { ($0 as? RestClientError)?.status?.code } == [500, 404])
            #expect(report[1].error != nil)
            #expect(report[3].value == Order(id: 4))
        }
    }

    @Test
    func `a local job can send calls from inside the only worker slot`() async throws {
        try await LoopbackClient.with { configuration, _ in
            configuration.workerCount = 1
        } _: { client in
            Self.serve(client.server)
            let job = LocalJob("sum of ids") {
                async let first = client.request(Order.self, .get, "/orders/1").send()
                async let second = client.request(Order.self, .get, "/orders/2").send()
                return try await first.id + second.id
            }
            let sum = try await client.manager.run(job)
            #expect(sum == 3)
            #expect(client.manager.workers.runningCount == 0)
        }
    }
}
