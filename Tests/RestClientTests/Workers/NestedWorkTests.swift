// SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Work started from inside a job that holds a slot: no size of 1 or more may block itself.
@Suite(.timeLimit(.minutes(5)))
struct NestedWorkTests {
    private let client = StubbedClient { $0.workerCount = 1 }
    private var manager: RestClientManager { client.manager }

    @Test
    func `a local job may send a call`() async throws {
        let manager = manager
        try await manager.run(
            LocalJob("outer") {
                try await manager.request(Void.self).endpoint("/a").send()
            }
        )
        #expect(client.requests.count == 1)
        #expect(manager.workers.runningCount == 0)
    }

    @Test
    func `a local job may run local jobs that send calls, however deep`() async throws {
        let manager = manager
        let depth = try await manager.run(
            LocalJob("1") {
                try await manager.run(
                    LocalJob("2") {
                        try await manager.run(
                            LocalJob("3") {
                                try await manager.request(Void.self).endpoint("/a").send()
                                return 3
                            }
                        )
                    }
                )
            }
        )
        #expect(depth == 3)
    }

    @Test
    func `a local job may run a whole group; its members take turns`() async throws {
        let manager = manager
        let outcomes = try await manager.run(
            LocalJob("outer") {
                let nodes = (0..<5).map { RequestNode<Void>(Void.self).endpoint(PathTemplate("/\($0)")) }
                return await manager.concurrently(nodes).outcomes.count { $0.isSuccess }
            }
        )
        #expect(outcomes == 5)
        #expect(client.requests.count == 5)
        #expect(manager.workers.runningCount == 0)
    }

    @Test
    func `a chain may hold a chain`() async {
        let manager = manager
        let inner = LocalJob("inner") {
            await manager.serially([RequestNode<Void>(Void.self).endpoint("/a"), LocalJob("last") {}]).isSuccess
        }
        let report = await manager.serially([inner])
        #expect(report.values == [true])
    }

    @Test
    func `a dummy may send calls of its own`() async throws {
        let manager = manager
        manager.dummies.mode = .strict
        manager.dummies.register(.get, "/inner") { _ in .text("inner") }
        manager.dummies.register(.get, "/outer") { _ in
            .text("outer of " + (try await manager.request(String.self).endpoint("/inner").send()))
        }
        #expect(try await manager.request(String.self).endpoint("/outer").send() == "outer of inner")
    }

    @Test
    func `the way may lead through another manager and back`() async throws {
        let first = manager
        let second = StubbedClient { $0.workerCount = 1 }.manager
        try await first.run(
            LocalJob("first") {
                try await second.run(
                    LocalJob("second") {
                        try await first.request(Void.self).endpoint("/a").send()
                    }
                )
            }
        )
        #expect(client.requests.count == 1)
    }

    @Test
    func `a remaining task of a job has to request a slot of its own`() async throws {
        let manager = manager
        let (leave, hold) = (Gate(), Gate())
        let left = try await manager.run(
            LocalJob("leaves a task behind") {
                Task {
                    try await leave.wait()
                    try await manager.request(Void.self).endpoint("/late").send()
                }
            }
        )
        let busy = Task { try await manager.run(LocalJob("busy") { try await hold.wait() }) }
        try await hold.waitForWaiters(count: 1)
        leave.open()
        try await manager.workers.wait { $0.waiting == 1 }
        #expect(client.requests.isEmpty)
        hold.open()
        try await busy.value
        try await left.value
        #expect(client.requests.count == 1)
    }

    @Test
    func `nested work uses free slots before it takes turns`() async throws {
        let gate = Gate()
        let client = StubbedClient(
            StubTransport { _ in
                try await gate.wait()
                return RawResponse()
            }
        ) { configuration in
            configuration.workerCount = 3
        }
        let manager = client.manager
        let job = Task {
            try await manager.run(
                LocalJob("outer") {
                    let nodes = (0..<6).map { RequestNode<Void>(Void.self).endpoint(PathTemplate("/\($0)")) }
                    return await manager.concurrently(nodes).isSuccess
                }
            )
        }
        // Two free slots, and the job's own.
        try await gate.waitForWaiters(count: 3)
        #expect(manager.workers.runningCount == 3)
        #expect(client.requests.count == 3)
        gate.open()
        #expect(try await job.value)
    }
}
