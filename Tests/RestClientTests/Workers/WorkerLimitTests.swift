// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

/// Priorities and the limits of servers, seen from calls and jobs.
@Suite(.timeLimit(.minutes(5)))
struct WorkerLimitTests {
    private let gate = Gate()

    /// A client whose responses wait at the gate, with a second server.
    private func client(
        _ configure: (inout RestClientManager.Configuration) -> Void = { _ in }
    ) -> StubbedClient {
        let gate = gate
        let transport = StubTransport { _ in
            try await gate.wait()
            return RawResponse()
        }
        let client = StubbedClient(transport, configure: configure)
        client.manager.servers["other"] = "https://other.example.com"
        return client
    }

    /// Sends calls so that they ask for slots in their order.
    private func send(
        _ nodes: [RequestNode<Void>],
        with client: StubbedClient
    ) async throws -> [Task<Void, any Error>] {
        let workers = client.manager.workers
        var tasks: [Task<Void, any Error>] = []
        for node in nodes {
            let count = workers.runningCount + workers.waitingCount + 1
            tasks.append(Task { try await client.manager.run(node) })
            try await workers.wait { $0.running + $0.waiting == count }
        }
        return tasks
    }

    private func node(_ path: PathTemplate, _ server: ServerAlias = "store") -> RequestNode<Void> {
        RequestNode(Void.self).server(server).endpoint(path)
    }

    @Test
    func `no more calls than its limit are on the wire to a server, and it holds back no other`() async throws {
        let client = client { $0.workerLimits = ["store": 2] }
        let stored = try await send((0..<5).map { _ in node("/a") }, with: client)
        let others = try await send((0..<3).map { _ in node("/b", "other") }, with: client)
        try await gate.waitForWaiters(count: 5)
        #expect(client.requests.count { $0.url.contains("/a") } == 2)
        #expect(client.manager.workers.waitingCount == 3)
        gate.open()
        for task in stored + others {
            try await task.value
        }
        #expect(client.requests.count == 8)
        #expect(client.manager.workers.runningCount == 0)
    }

    @Test
    func `a limit may be set, raised and removed while calls run`() async throws {
        let client = client()
        let workers = client.manager.workers
        #expect(workers.limits["store"] == nil)
        workers.limits["store"] = 1
        let tasks = try await send((0..<6).map { _ in node("/a") }, with: client)
        try await gate.waitForWaiters(count: 1)
        workers.limits["store"] = 3
        #expect(workers.limits["store"] == 3)
        #expect(workers.limits.all == ["store": 3])
        try await gate.waitForWaiters(count: 3)
        #expect(workers.waitingCount == 3)
        workers.limits["store"] = nil
        try await gate.waitForWaiters(count: 6)
        #expect(workers.limits["store"] == nil)
        gate.open()
        for task in tasks {
            try await task.value
        }
    }

    @Test
    func `calls that wait go out by their priority`() async throws {
        let client = client { $0.workerCount = 1 }
        let nodes = [
            node("/0"), node("/low").priority(.low), node("/normal"), node("/high").priority(.high),
        ]
        let tasks = try await send(nodes, with: client)
        gate.open()
        for task in tasks {
            try await task.value
        }
        let paths = client.requests.map { $0.url.split(separator: "/").last.map(String.init) }
        #expect(paths == ["0", "high", "normal", "low"])
    }

    @Test
    func `a waiter that is cancelled lets the next of its server go`() async throws {
        let client = client { $0.workerLimits = ["store": 1] }
        let tasks = try await send([node("/0"), node("/1"), node("/2")], with: client)
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        gate.open()
        try await tasks[0].value
        try await tasks[2].value
        #expect(client.requests.count == 2)
    }

    @Test
    func `a limit for a server that is not registered is an unknown alias`() async {
        let manager = client().manager
        manager.workers.limits["stroe"] = 2
        manager.workers.limits["other"] = 2
        #expect(await manager.lint().map(\.kind) == [.unknownAlias])
        #expect(await manager.lint().first?.message.contains("'stroe'; did you mean 'store'") == true)
    }

    @Test
    func `however priorities, limits, grants and cancellations cross, no slot is lost`() async throws {
        let client = StubbedClient { configuration in
            configuration.workerCount = 3
            configuration.workerLimits = ["store": 2]
        }
        client.manager.servers["other"] = "https://other.example.com"
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                let node = node("/a", number.isMultiple(of: 2) ? "store" : "other")
                    .priority(JobPriority.allCases[number % 3])
                group.addTask {
                    let task = Task { try await client.manager.run(node) }
                    if number.isMultiple(of: 5) {
                        await Task.yield()
                        task.cancel()
                    }
                    if number.isMultiple(of: 7) {
                        client.manager.workers.limits["store"] = number % 4
                    }
                    _ = await task.result
                }
            }
        }
        let snapshot = client.manager.workers.snapshot()
        #expect(snapshot.running.isEmpty)
        #expect(snapshot.waiting.isEmpty)
        #expect(snapshot.runningCount == 0)
    }
}
