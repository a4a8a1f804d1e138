// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct WorkerPoolSnapshotTests {
    private let gate = Gate()
    private let clock = ManualClock()

    private func client() -> StubbedClient {
        let gate = gate
        let transport = StubTransport { _ in
            try await gate.wait()
            return RawResponse()
        }
        let clock = clock
        return StubbedClient(transport) { configuration in
            configuration.workerCount = 2
            configuration.workerLimits = ["store": 1]
            configuration.clock = clock
            configuration = configuration.timeout(nil)
        }
    }

    @Test
    func `it names who works and who waits, for which server, how early, and since when`() async throws {
        let manager = client().manager
        let gate = gate
        let call = Task {
            try await manager.request(Void.self).endpoint("/a").query(["token": "secret"]).priority(.high).send()
        }
        try await gate.waitForWaiters(count: 1)
        clock.advance(by: .seconds(2))
        let job = Task { try await manager.run(LocalJob("work") { try await gate.wait() }.priority(.low)) }
        try await gate.waitForWaiters(count: 2)
        clock.advance(by: .seconds(3))
        let waiting = Task { try await manager.request(Void.self).endpoint("/b").send() }
        try await manager.workers.wait { $0.waiting == 1 }
        clock.advance(by: .seconds(4))

        let snapshot = manager.workers.snapshot()
        #expect(snapshot.size == 2)
        #expect(snapshot.runningCount == 2)
        #expect(snapshot.limits == ["store": 1])
        #expect(snapshot.running.map(\.duration) == [.seconds(9), .seconds(7)])
        #expect(snapshot.running.map(\.priority) == [.high, .low])
        #expect(snapshot.running.map(\.request?.server) == ["store", nil])
        #expect(snapshot.running.last?.name == "local job 'work'")
        #expect(snapshot.running.map(\.limitKey) == ["store", nil])
        #expect(snapshot.running.first?.callID != nil)
        #expect(snapshot.running.first?.request?.method == .get)
        #expect(snapshot.waiting.map(\.duration) == [.seconds(4)])
        #expect(snapshot.waiting.map(\.priority) == [.normal])
        let lines = snapshot.description.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first == "2 of 2 slots taken, 1 waits")
        #expect(lines.dropFirst().first?.hasPrefix("works 9.0 seconds: call-") == true)
        #expect(lines.dropFirst().first?.hasSuffix(", limited as store, priority high") == true)
        #expect(lines.dropFirst(2).first == "works 7.0 seconds: local job 'work', priority low")
        #expect(!snapshot.description.contains("secret"))

        gate.open()
        try await call.value
        try await job.value
        try await waiting.value
    }

    @Test
    func `who had to wait works since it was given its slot`() async throws {
        let manager = client().manager
        let first = Task { try await manager.request(Void.self).endpoint("/a").send() }
        try await gate.waitForWaiters(count: 1)
        let second = Task { try await manager.request(Void.self).endpoint("/b").send() }
        try await manager.workers.wait { $0.waiting == 1 }
        clock.advance(by: .seconds(5))
        gate.pass()
        try await first.value
        try await gate.waitForWaiters(count: 1)
        clock.advance(by: .seconds(1))
        #expect(manager.workers.snapshot().running.map(\.duration) == [.seconds(1)])
        gate.open()
        try await second.value
    }

    @Test
    func `work that uses the slot of its job is marked as nested`() async throws {
        let manager = client().manager
        manager.workers.size = 1
        let job = Task {
            try await manager.run(
                LocalJob("outer") {
                    await manager.concurrently((0..<2).map { _ in RequestNode<Void>(Void.self).endpoint("/a") })
                }
            )
        }
        try await gate.waitForWaiters(count: 1)
        try await manager.workers.wait { $0.waiting == 1 }
        let snapshot = manager.workers.snapshot()
        #expect(snapshot.runningCount == 1)
        #expect(snapshot.running.map(\.isNested) == [false, true])
        #expect(snapshot.waiting.map(\.isNested) == [true])
        #expect(snapshot.running.last?.groupID != nil)
        gate.open()
        #expect(try await job.value.isSuccess)
    }
}
