// SPDX-License-Identifier: MIT

import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import JobGraphs
@testable import RestClient

@Suite(.timeLimit(.minutes(5)))
struct ConcurrentGroupTests {
    private let gate = Gate()

    private func client(workers: Int = 64) -> StubbedClient {
        .echo(slowAt: gate, refusal: .internalServerError) { $0.workerCount = workers }
    }

    private func node(_ path: String) -> RequestNode<String> { .echo(path) }

    // MARK: - Lists

    @Test
    func `outcomes are in the order of submission, regardless of the order of their ends`() async throws {
        let client = client()
        let group = Task { await client.manager.concurrently([node("slow"), node("b"), node("c")]) }
        try await gate.waitForWaiters(count: 1)
        gate.open()
        let report = await group.value
        #expect(report.values == ["slow", "b", "c"])
        #expect(report.isSuccess)
        #expect(!report.stopped)
    }

    @Test
    func `an empty group ends at once`() async {
        let client = client()
        let log = EventRecorder(client.manager)
        let report = await client.manager.concurrently([RequestNode<String>]())
        #expect(report.outcomes.isEmpty)
        #expect(report.isSuccess)
        #expect(log.lines == ["groupStarted 0", "groupFinished"])
        #expect(await client.manager.concurrently([any Job]()).outcomes.isEmpty)
    }

    @Test
    func `no more members run at once than the limit says`() async throws {
        let running = Mutex((now: 0, most: 0, began: [Int]()))
        let full = Gate()
        let jobs = (0..<20)
            .map { index in
                LocalJob("job \(index)") { _ in
                    let isFull = running.withLock { running in
                        running.now += 1
                        running.most = max(running.most, running.now)
                        running.began.append(index)
                        return running.now == 3
                    }
                    if isFull {
                        full.open()
                    }
                    try await full.wait()
                    running.withLock { $0.now -= 1 }
                    return index
                }
            }
        let client = client()
        let report = await client.manager.concurrently(jobs, limit: 3)
        #expect(report.values == Array(0..<20))
        #expect(running.withLock { $0.most } == 3)
        #expect(running.withLock { $0.began }.sorted() == Array(0..<20))
        let nodes = (0..<9).map { node("n\($0)") }
        #expect(await client.manager.concurrently(nodes, limit: 0).values.count == 9)
        #expect(await client.manager.concurrently(nodes as [any Job], limit: 2).isSuccess)
    }

    @Test
    func `a failure ends the group if it is asked to`() async throws {
        let client = client()
        let nodes = [node("slow"), node("bad"), node("c"), node("d")]
        let report = await client.manager.concurrently(nodes, limit: 2, onFailure: .cancel)
        #expect((report[1].error as? RestClientError)?.status == .internalServerError)
        guard case .cancelled = report[0], case .notRun = report[2], case .notRun = report[3] else {
            Issue.record("\(report.outcomes)")
            return
        }
        #expect(report.stopped)
        #expect(Set(client.requests.map(\.url).map { $0.suffix(4) }).isSubset(of: ["slow", "/bad"]))
    }

    @Test
    func `a member that throws CancellationError ends such a group as a failure does`() async {
        struct Own: Error {}
        let quits = LocalJob<Int>("quits") { _ in throw CancellationError() }
        let fails = LocalJob<Int>("fails") { _ in throw Own() }
        let manager = client().manager
        for list in [[quits, fails], [fails, quits]] {
            let report = await manager.concurrently(list, limit: 1, onFailure: .cancel)
            guard case .notRun = report[1] else {
                Issue.record("\(report.outcomes)")
                return
            }
            #expect((report[0].error == nil) == (list[0].name == "quits"))
        }
    }

    @Test
    func `the same node may be there twice`() async {
        let client = client()
        let twice = node("a")
        let report = await client.manager.concurrently([twice, twice])
        #expect(report.values == ["a", "a"])
        #expect(client.requests.count == 2)
    }

    @Test
    func `a failed node keeps its error, and the others continue`() async {
        let report = await client().manager.concurrently([node("a"), node("bad"), node("c")])
        #expect(report.values == ["a", "c"])
        #expect(report.errors.count == 1)
        #expect((report[1].error as? RestClientError)?.status == .internalServerError)
        #expect(!report.isSuccess)
    }

    @Test
    func `a node that cannot be resolved fails alone, and the group still ends`() async {
        let client = client()
        let log = EventRecorder(client.manager)
        let report = await client.manager.concurrently([
            node("a").server("unknown"),
            RequestNode(APIAlias<String>("unknown")),
            node("c").dogma("unknown"),
            node("d"),
        ])
        #expect(
            report.outcomes.map { ($0.error as? RestClientError)?.code } == [
                .unknownServer, .unknownAPI, .unknownDogma, nil,
            ]
        )
        #expect(report.values == ["d"])
        #expect(log.lines.last == "groupFinished")
        #expect(log.events.count { $0.isTerminal } == 4)
    }

    @Test
    func `nodes find servers by key and by default`() async {
        let client = client()
        client.manager.servers["other"] = "other.example"
        _ = await client.manager.concurrently([node("a"), node("b").server("other")])
        #expect(client.requests.map(\.url).sorted() == ["https://api.example.com/v1/a", "https://other.example/b"])
    }

    @Test
    func `a group ends after the last event of all its members, and all carry its identifier`() async {
        let client = client()
        let log = EventRecorder(client.manager)
        let report = await client.manager.concurrently([node("a"), node("bad"), node("c")])
        #expect(log.lines.first == "groupStarted 3")
        #expect(log.lines.last == "groupFinished")
        #expect(log.events.count { $0.isTerminal } == 3)
        #expect(log.events.allSatisfy { $0.groupID == report.id })
        #expect(Set(log.events.compactMap(\.callID)).count == 3)
    }

    @Test
    func `jobs of different kinds may be together`() async {
        let client = client()
        let jobs: [any Job] = [node("a"), LocalJob("b") { 2 }, RequestNode<Void>(Void.self).endpoint("/c")]
        let report = await client.manager.concurrently(jobs)
        #expect(report[0].value as? String == "a")
        #expect(report[1].value as? Int == 2)
        #expect(report[2].isSuccess)
    }

    @Test
    func `when the task is cancelled, every member that runs is cancelled`() async throws {
        let client = client(workers: 1)
        let group = Task { await client.manager.concurrently([node("slow1"), node("slow2")]) }
        try await gate.waitForWaiters(count: 1)
        // A member that has not begun would not run at all.
        try await client.manager.workers.wait { $0.waiting == 1 }
        group.cancel()
        let report = await group.value
        for outcome in report.outcomes {
            guard case .cancelled = outcome else {
                Issue.record("\(outcome) is not cancelled")
                continue
            }
        }
        #expect(report.errors.isEmpty)
        #expect(client.manager.workers.runningCount == 0)
    }

    @Test
    func `a large group passes through a small pool`() async {
        let client = client(workers: 2)
        let report = await client.manager.concurrently((0..<100).map { node("\($0)") })
        #expect(report.values == (0..<100).map(String.init))
        #expect(client.manager.workers.runningCount == 0)
    }

    // MARK: - Tuples

    @Test
    func `a tuple gives each result in its own type`() async throws {
        let client = client()
        let (text, number, _) = try await client.manager.concurrently(
            node("a"),
            LocalJob("b") { 2 },
            RequestNode<Void>(Void.self).endpoint("/c")
        )
        #expect(text == "a")
        #expect(number == 2)
    }

    @Test
    func `the first failure of a tuple cancels the others`() async throws {
        let client = client()
        let log = EventRecorder(client.manager)
        let error = await #expect(throws: RestClientError.self) {
            _ = try await client.manager.concurrently(node("slow"), node("bad"))
        }
        #expect(error?.status == .internalServerError)
        #expect(gate.waiterCount == 0)
        #expect(log.lines.contains("callFailed unacceptableStatus"))
        #expect(log.events.count { $0.isTerminal } == 2)
        #expect(log.lines.last == "groupFinished")
    }

    @Test
    func `a cancelled tuple throws a CancellationError`() async throws {
        let client = client()
        let group = Task { try await client.manager.concurrently(node("slow1"), node("slow2")) }
        try await gate.waitForWaiters(count: 2)
        group.cancel()
        await #expect(throws: CancellationError.self) { _ = try await group.value }
    }

    @Test
    func `the same node may be in a tuple twice`() async throws {
        let client = client()
        let twice = node("a")
        #expect(try await client.manager.concurrently(twice, twice) == ("a", "a"))
    }
}
