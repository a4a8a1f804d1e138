// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Work started from inside a slot, where servers have limits: no limit of 1 or more may block itself.
@Suite(.timeLimit(.minutes(5)))
struct NestedLimitTests {
    private let client = StubbedClient { configuration in
        configuration.workerCount = 1
        configuration.workerLimits = ["store": 1, "other": 1]
    }
    private var manager: RestClientManager { client.manager }

    init() {
        manager.servers["other"] = "https://other.example.com"
    }

    @Test
    func `a local job may send calls to a server with a limit, of any priority`() async throws {
        let manager = manager
        let outcomes = try await manager.run(
            LocalJob("outer") {
                let nodes = (0..<6)
                    .map { number in
                        RequestNode<Void>(Void.self).endpoint(PathTemplate("/\(number)"))
                            .priority(JobPriority.allCases[number % 3])
                    }
                return await manager.concurrently(nodes).outcomes.count { $0.isSuccess }
            }
            .priority(.low)
        )
        #expect(outcomes == 6)
        #expect(client.requests.count == 6)
    }

    @Test
    func `a dummy may call the server that it stands in for`() async throws {
        let manager = manager
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/inner") { _ in .text("inner") }
        manager.dummies.register(.get, "/outer") { _ in
            .text("outer of " + (try await manager.request(String.self).endpoint("/inner").send()))
        }
        #expect(try await manager.request(String.self).endpoint("/outer").send() == "outer of inner")
    }

    @Test(arguments: [1, 2, 0])
    func `two calls that each need the other one's server do not wait for each other`(size: Int) async throws {
        let manager = manager
        manager.workers.size = size
        let (bothHold, arrived) = (Gate(), Recorder<Int>())
        manager.dummies.mode = .strict
        for (server, other) in [("store", "other"), ("other", "store")] as [(ServerAlias, ServerAlias)] {
            manager.dummies.register(.get, "/inner", server: server) { _ in .text("inner") }
            manager.dummies.register(.get, "/outer", server: server) { _ in
                arrived.record(1)
                try await bothHold.wait()
                return .text(try await manager.request(String.self).server(other).endpoint("/inner").send())
            }
        }
        let tasks = (["store", "other"] as [ServerAlias])
            .map { server in
                Task { try await manager.request(String.self).server(server).endpoint("/outer").send() }
            }
        try await arrived.waitForCount(size == 1 ? 1 : 2)
        bothHold.open()
        for task in tasks {
            #expect(try await task.value == "inner")
        }
        #expect(manager.workers.runningCount == 0)
        #expect(manager.workers.waitingCount == 0)
    }

    @Test
    func `the calls of several local jobs keep to the limit of their server`() async throws {
        let gate = Gate()
        let transport = StubTransport { _ in
            try await gate.wait()
            return RawResponse()
        }
        let manager = StubbedClient(transport) { $0.workerLimits = ["store": 2] }.manager
        let jobs = Task {
            await manager.concurrently(
                (0..<5)
                    .map { _ in
                        LocalJob("job") { try await manager.request(Void.self).endpoint("/a").send() }
                    }
            )
        }
        try await manager.workers.wait { $0.waiting == 3 }
        try await gate.waitForWaiters(count: 2)
        #expect(transport.requests.count == 2)
        // The five jobs, and the two calls: there are slots enough.
        #expect(manager.workers.runningCount == 7)
        gate.open()
        #expect(await jobs.value.isSuccess)
        #expect(transport.requests.count == 5)
    }

    @Test
    func `a job that returns a task which waits for its slot can be awaited by the outer job`() async throws {
        let manager = manager
        try await manager.run(
            LocalJob("outer") {
                let left = try await manager.run(
                    LocalJob("inner") {
                        Task {
                            await manager.concurrently(
                                (0..<3).map { _ in RequestNode<Void>(Void.self).endpoint("/late") }
                            )
                        }
                    }
                )
                #expect(await left.value.isSuccess)
            }
        )
        #expect(client.requests.count == 3)
    }
}
