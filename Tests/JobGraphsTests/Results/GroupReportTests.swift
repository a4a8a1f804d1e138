// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import Synchronization
import Testing

@testable import JobGraphs

/// Identifiers made ahead, results in the last event of a group, and reports of groups.
@Suite(.timeLimit(.minutes(5)))
struct GroupReportTests {
    private struct Failure: Error {}

    private final class Deaf: JobObserver {
        let count = Counter()
        var isObserved: Bool { false }

        func observe(_ event: JobEvent) {
            count.next()
        }
    }

    private func names(_ report: RunReport) -> [String] { report.nodes.map(\.name) }
    private func statuses(_ report: RunReport) -> [RunReport.Status] { report.nodes.map(\.status) }

    private func last(_ log: JobEventLog) throws -> GroupReport<any Sendable> {
        guard case .groupFinished(let report)? = log.events.last?.kind else {
            throw Failure()
        }
        return report
    }

    // MARK: - Identifiers

    @Test
    func `a group has the identifier that its caller made`() async throws {
        let log = JobEventLog()
        let runtime = JobRuntime(observer: log)
        let job = LocalJob("one") { 1 }
        let ids = (0..<6).map { _ in GroupID() }
        #expect(Set(ids).count == 6)

        _ = try await runtime.concurrently(job, job, id: ids[0])
        #expect(await runtime.concurrently([job], id: ids[1]).id == ids[1])
        #expect(await runtime.concurrently([job] as [any Job], id: ids[2]).id == ids[2])
        _ = try await runtime.serially(job, job, id: ids[3])
        #expect(await runtime.serially([job], id: ids[4]).id == ids[4])
        #expect(await runtime.serially([job] as [any Job], id: ids[5]).id == ids[5])

        var seen: [GroupID?] = []
        for event in log.events where seen.last != event.groupID {
            seen.append(event.groupID)
        }
        #expect(seen == ids)
    }

    @Test
    func `a run of a graph has the identifier of its options`() async throws {
        let log = JobEventLog()
        let runtime = JobRuntime(observer: log)
        let id = GroupID()
        var graph = JobGraph("g")
        graph.subgraph("inner") { (graph: inout JobGraph) in graph.local("a") { 1 } }

        let run = try await runtime.run(graph, options: [.id(id)])

        #expect(run.id == id)
        #expect(run.report.id == id.description)
        // A sub-graph is a run of its own.
        #expect(Set(log.events.map(\.groupID)).count == 2)
        #expect(try runtime.start(graph, options: [.id(id)]).id == id)
    }

    @Test
    func `a group is cancelled by its identifier, as a whole`() async throws {
        let runtime = JobRuntime()
        let (id, gate) = (GroupID(), Gate())
        let jobs = (0..<3)
            .map { index in
                LocalJob("job") {
                    try await gate.wait()
                    return index
                }
            }
        #expect(!runtime.cancelGroup(id))
        let group = Task { await runtime.serially(jobs, id: id) }
        try await gate.waitForWaiters(count: 1)

        #expect(runtime.cancelGroup(id))

        let report = await group.value.report
        #expect(statuses(report) == [.cancelled, .notRun, .notRun])
        #expect(report.outcome == .cancelled)
        #expect(!runtime.cancelGroup(id))
    }

    @Test
    func `a run of a graph is cancelled by its identifier`() async throws {
        let runtime = JobRuntime()
        let (id, gate) = (GroupID(), Gate())
        var graph = JobGraph("g")
        let first = graph.local("first") { try await gate.wait() }
        graph.local("second", after: first) { _ in 1 }
        let run = Task { [graph] in try await runtime.run(graph, options: [.id(id)]) }
        try await gate.waitForWaiters(count: 1)

        #expect(runtime.cancelGroup(id))

        #expect(try await run.value.status == .cancelled)
    }

    // MARK: - Results

    @Test
    func `the last event of a group has the outcomes of its members`() async throws {
        let log = JobEventLog()
        let runtime = JobRuntime(observer: log)

        _ = await runtime.concurrently([LocalJob("a") { 1 }, LocalJob("b") { () -> Int in throw Failure() }])
        let concurrent = try last(log)
        #expect(try concurrent.value(at: 0, as: Int.self) == 1)
        #expect(concurrent[1].error is Failure)

        _ = await runtime.serially([LocalJob("a") { () -> Int in throw Failure() }, LocalJob("b") { 2 }] as [any Job])
        let serial = try last(log)
        #expect(serial.errors.count == 1)
        #expect(serial.stopped)

        let sum = try await runtime.concurrently(LocalJob("a") { 1 }, LocalJob("b") { "two" })
        #expect(sum == (1, "two"))
        #expect(try last(log).value(at: 1, as: String.self) == "two")
    }

    @Test
    func `without listeners no event is made`() async {
        let deaf = Deaf()
        let runtime = JobRuntime(observer: deaf)

        _ = await runtime.concurrently([LocalJob("a") { 1 }])

        #expect(deaf.count.value == 0)
    }

    // MARK: - Reports

    @Test
    func `a report has the times of concurrent members without their waits`() async throws {
        let clock = ManualClock()
        let runtime = JobRuntime(workerCount: 1, clock: clock)
        let gate = Gate()
        let jobs = [LocalJob("slow") { try await gate.wait() }, LocalJob("next") { () async throws in }]
        let group = Task { await runtime.concurrently(jobs) }
        try await gate.waitForWaiters(count: 1)
        try await runtime.workers.wait { $0.waiting == 1 }
        clock.advance(by: .seconds(3))
        gate.open()

        let report = await group.value.report

        #expect(report.name == "group")
        #expect(report.outcome == .success)
        #expect(report.duration == .seconds(3))
        #expect(names(report) == ["slow", "next"])
        #expect(report.nodes.map(\.kind) == [.local, .local])
        #expect(report.nodes.map(\.queued) == [.zero, .zero])
        #expect(report.nodes.map(\.started) == [.zero, .seconds(3)])
        #expect(report.nodes.map(\.ended) == [.seconds(3), .seconds(3)])
        #expect(report.nodes.allSatisfy { $0.dependencies.isEmpty })
        #expect(try RunReport(json: report.json()).nodes == report.nodes)
    }

    @Test
    func `in the report of a chain each step depends on the one before`() async throws {
        let runtime = JobRuntime()
        let steps: [any Job] = [
            LocalJob("a") { 1 }, LocalJob("b") { () -> Int in throw Failure() }, Request(), Request(),
        ]

        let report = await runtime.serially(steps).report

        #expect(report.name == "chain")
        #expect(report.outcome == .failure)
        #expect(names(report) == ["a", "b", "request[2]", "request[3]"])
        #expect(report.nodes.map(\.dependencies) == [[], ["a"], ["b"], ["request[2]"]])
        #expect(statuses(report) == [.success, .failure, .notRun, .notRun])
        #expect(report.nodes.map(\.attempts) == [1, 1, 0, 0])
        #expect(report.nodes[1].error == "Failure()")
        #expect(report.nodes[2].kind == .request)
        #expect(report.nodes[2].started == nil)
    }

    @Test
    func `a group of different types gives its report, whether or not it succeeds`() async throws {
        let runtime = JobRuntime()
        let reports = Recorder<RunReport>()
        let keep: @Sendable (GroupReport<any Sendable>) -> Void = { reports.record($0.report) }

        _ = try await runtime.concurrently(LocalJob("a") { 1 }, Request("b"), onEnd: keep)
        await #expect(throws: Failure.self) {
            try await runtime.serially(LocalJob("a") { () -> Int in throw Failure() }, Request("b"), onEnd: keep)
        }

        #expect(reports.elements.map(names) == [["a", "request"], ["a", "request"]])
        #expect(reports.elements.map(\.outcome) == [.success, .failure])
        #expect(reports.elements.last.map(statuses) == [.failure, .notRun])
    }
}
