// SPDX-License-Identifier: MIT

import JobGraphs
import RestClientTesting
import RestEssentials
import TestSupport
import Testing

@testable import RestClient

/// Calls of local jobs, which keep a worker slot while they wait for a shared request.
@Suite(.timeLimit(.minutes(5)))
struct SlotSharingTests {
    /// Sends a call before the first request of another one.
    private struct Nested: Interceptor {
        let count = Counter()
        let send: @Sendable () async throws -> Void

        func intercept(_ request: OutgoingRequest, next: Next) async throws -> RawResponse {
            if count.next() == 1 {
                try await send()
            }
            return try await next(request)
        }
    }

    private let gate = Gate()

    /// A client whose server responds when the gate is open.
    private func client(workers: Int) -> StubbedClient {
        StubbedClient(
            StubTransport { [gate] _ in
                try await gate.wait()
                return .text("7")
            }
        ) { $0.workerCount = workers }
    }

    private func node(_ client: StubbedClient, key: String = "sync") -> RequestNode<Int> {
        client.manager.request(Int.self).post().endpoint("/sync").sharingFlight(as: key)
    }

    @Test
    func `calls of one job share the request that uses its slot, even in a pool of one`() async throws {
        let client = client(workers: 1)
        let node = node(client)
        let job = LocalJob("job") { [gate] in
            async let first = node.send()
            try await client.transport.waitForRequests(count: 1)
            async let second = node.send()
            await client.manager.waitForSharedCalls(2, isCached: false)
            gate.open()
            return try await first + second
        }

        #expect(try await client.manager.run(job) == 14)
        #expect(client.requests.count == 1)
    }

    @Test
    func `a job's call is sent by itself while the shared request may wait for the job's slot`() async throws {
        let client = client(workers: 1)
        let node = node(client)
        let inside = Gate()
        let log = EventRecorder(client.manager)
        let job = LocalJob("job") {
            inside.open()
            try await log.wait(for: .callQueued)
            return try await node.send()
        }
        gate.open()

        let work = Task { try await client.manager.run(job) }
        try await inside.wait()
        let outside = Task { try await node.send() }

        #expect(try await work.value == 7)
        #expect(try await outside.value == 7)
        #expect(client.requests.count == 2)
    }

    @Test(arguments: ["nobody", "the leader", "the follower"])
    func `a job's call joins a request on the wire, whoever leaves`(leaver: String) async throws {
        let client = client(workers: 2)
        let node = node(client)

        let leader = Task { try await node.send() }
        try await client.transport.waitForRequests(count: 1)
        let follower = Task { try await client.manager.run(LocalJob("job") { try await node.send() }) }
        await client.manager.waitForSharedCalls(2, isCached: false)
        for (name, task) in [("the leader", leader), ("the follower", follower)] where name == leaver {
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        gate.open()

        if leaver != "the leader" {
            #expect(try await leader.value == 7)
        }
        if leaver != "the follower" {
            #expect(try await follower.value == 7)
        }
        #expect(client.requests.count == 1)
        #expect(client.manager.core.flights.counts == (0, 0))
    }

    @Test
    func `the request of a job's call goes on for others when the job has ended`() async throws {
        let client = client(workers: 1)
        let node = node(client)

        let leader = Task { try await client.manager.run(LocalJob("job") { try await node.send() }) }
        try await client.transport.waitForRequests(count: 1)
        let follower = Task { try await node.send() }
        await client.manager.waitForSharedCalls(2, isCached: false)
        leader.cancel()
        await #expect(throws: CancellationError.self) { try await leader.value }
        #expect(client.manager.workers.runningCount == 1)
        gate.open()

        #expect(try await follower.value == 7)
        #expect(client.requests.count == 1)
        try await client.manager.workers.wait { $0.running == 0 }
    }

    @Test(arguments: [1, 2])
    func `a request that the code of a shared one sends does not wait for it`(workers: Int) async throws {
        let client = client(workers: workers)
        let node = node(client)
        gate.open()
        client.manager.options = client.manager.options.interceptors(
            Nested { _ = try await node.send() },
            perAttempt: true
        )

        #expect(try await node.send() == 7)
        #expect(client.requests.count == 2)
    }

    @Test(arguments: [1, 2])
    func `nor does a job that such code runs`(workers: Int) async throws {
        let client = client(workers: workers)
        let node = node(client)
        gate.open()
        let manager = client.manager
        manager.options = manager.options.interceptors(
            Nested { _ = try await manager.run(LocalJob("job") { try await node.send() }) },
            perAttempt: true
        )

        #expect(try await node.send() == 7)
        #expect(client.requests.count == 2)
    }

    @Test(arguments: 1...3)
    func `no pool is so small that jobs and calls wait for one another`(workers: Int) async throws {
        let client = client(workers: workers)
        gate.open()

        await withTaskGroup(of: Void.self) { group in
            for index in 0..<300 {
                let (one, two) = (node(client, key: "\(index % 3)"), node(client, key: "\(index % 2)"))
                group.addTask {
                    let task = Task {
                        guard index.isMultiple(of: 2) else {
                            return try await one.send()
                        }
                        let job = LocalJob("job") {
                            async let first = one.send()
                            async let second = two.send()
                            return try await first + second
                        }
                        return try await client.manager.run(job)
                    }
                    if index.isMultiple(of: 7) {
                        task.cancel()
                    }
                    _ = await task.result
                }
            }
        }

        #expect(client.manager.core.flights.counts == (0, 0))
        try await client.manager.workers.wait { $0.running == 0 && $0.waiting == 0 }
    }
}
