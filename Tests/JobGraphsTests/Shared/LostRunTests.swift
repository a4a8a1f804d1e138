// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import SharedStore
import Testing

@testable import JobGraphs

/// Runs whose processes die or are suspended: others take them over, and what comes late is refused.
@Suite(.timeLimit(.minutes(5)))
struct LostRunTests {
    /// Work that must not be done twice.
    private struct Charge: Job {
        let done: Recorder<String>
        let process: String

        func run(in context: JobContext) async throws -> String {
            try await context.once { key in
                done.record("\(process) \(key)")
                return process
            }
        }
    }

    private let rows = MemoryBacking()
    private let ran = Recorder<String>()
    private let done = Recorder<String>()
    private let undone = Recorder<String>()
    private let gate = Gate()

    private func process(_ backing: any BasicBacking) -> JobRuntime {
        let runtime = JobRuntime()
        runtime.persist(on: backing, timing: .short)
        return runtime
    }

    /// The same graph in two processes; the first one waits at the gate.
    private func graph(_ process: String, unknownOutcome: UnknownOutcome = .fail) -> DurableGraph<Int> {
        DurableGraph("shared", unknownOutcome: unknownOutcome) { [ran, done, undone, gate] number in
            var graph = JobGraph("shared")
            let first = graph.local("first") {
                ran.record("\(process) first")
                return number
            }
            graph.undo("undo", of: first) { _ in undone.record(process) }
            let second = graph.local("second", after: first) { number in
                if process == "a" {
                    try await gate.wait()
                }
                ran.record("\(process) second")
                return process
            }
            let charge = graph.job("charge", after: second) { _ in Charge(done: done, process: process) }
            graph.local("last", after: charge) { charged in ran.record("\(process) last, \(charged) charged") }
            return graph
        }
    }

    private func work(_ runtime: JobRuntime, _ graph: DurableGraph<Int>) -> Task<Void, any Error> {
        Task { try await runtime.worker(limit: 2).offering(graph).run() }
    }

    private func stop(_ workers: Task<Void, any Error>...) async throws {
        for worker in workers {
            worker.cancel()
        }
        for worker in workers {
            try await worker.value
        }
    }

    // MARK: - Deaths

    @Test
    func `the run of a dead worker is continued by another`() async throws {
        let dying = FaultyBacking(rows)
        let (a, b) = (process(dying), process(rows))
        try await b.enqueue(graph("b"), 1, as: "run")
        let first = work(a, graph("a"))
        try await gate.waitForWaiters(count: 1)
        dying.die()
        let second = work(b, graph("b"))

        #expect(try await b.journals.ended("run").status == .succeeded)
        #expect(ran.elements == ["a first", "b second", "b last, b charged"])
        #expect(done.count == 1)
        gate.open()
        try await stop(first, second)
        #expect(undone.elements.isEmpty)
    }

    @Test
    func `a run whose workers die three times is not tried again until somebody says so`() async throws {
        let client = process(rows)
        let deadly = DurableGraph<Int>("shared") { [gate] number in
            var graph = JobGraph("shared")
            graph.local("deadly") { try await gate.wait() }
            return graph
        }
        try await client.enqueue(deadly, 1, as: "run")
        var workers: [Task<Void, any Error>] = []
        for count in 1...3 {
            let backing = FaultyBacking(rows)
            workers.append(work(process(backing), deadly))
            try await gate.waitForWaiters(count: count)
            backing.die()
        }
        workers.append(work(client, deadly))
        let run = try await client.journals.ended("run")
        #expect(run.status == .failed && run.reason?.contains("died 3 times") == true)

        #expect(try await client.journals.retry("run"))
        gate.open()
        #expect(try await client.journals.ended("run").status == .succeeded)
        for worker in workers {
            try await stop(worker)
        }
    }

    // MARK: - Suspended processes

    @Test
    func `what a suspended worker writes late is refused, and it works on`() async throws {
        let suspended = FaultyBacking(rows)
        let (a, b) = (process(suspended), process(rows))
        try await b.enqueue(graph("b"), 1, as: "run")
        let first = work(a, graph("a"))
        try await gate.waitForWaiters(count: 1)
        suspended.suspend()
        let second = work(b, graph("b"))
        #expect(try await b.journals.ended("run").status == .succeeded)
        let before = try await rows.summaries(in: .journal, RowPage(prefix: JournalRows.nodes("run")))
        try await stop(second)

        gate.open()
        suspended.resume()
        try await b.enqueue(graph("b"), 2, as: "next")
        #expect(try await b.journals.ended("next").status == .succeeded)
        try await stop(first)

        #expect(ran.elements.filter { $0.hasSuffix("b charged") } == ["b last, b charged"])
        #expect(done.elements.map { $0.prefix(1) } == ["b", "a"])
        #expect(try await rows.summaries(in: .journal, RowPage(prefix: JournalRows.nodes("run"))) == before)
        #expect(try await b.journals.list().map(\.status) == [.succeeded, .succeeded])
        #expect(undone.elements.isEmpty)
    }

    @Test(arguments: [UnknownOutcome.fail, .repeatWithSameKey])
    func `unsafe work does not begin in a process that others may take for dead`(policy: UnknownOutcome) async throws {
        gate.open()
        let suspended = FaultyBacking(rows)
        let (a, b) = (process(suspended), process(rows))
        try await b.enqueue(graph("b"), 1, as: "run")
        // The record of the charge is stored, and the process is suspended before the charge.
        suspended.suspend { step in step.key == JournalRows.nodes("run") + "charge" }
        let first = work(a, graph("a", unknownOutcome: policy))
        try await suspended.waitForSuspension()
        let second = work(b, graph("b", unknownOutcome: policy))
        let run = try await b.journals.ended("run")
        suspended.resume()
        try await stop(first, second)

        switch policy {
        case .repeatWithSameKey:
            #expect(run.status == .succeeded)
            #expect(done.elements.map { $0.prefix(1) } == ["b"])
        default:
            #expect(run.status == .failed && run.unknownNodes == ["charge"])
            #expect(done.elements.isEmpty)
        }
    }

    @Test
    func `a beat that comes in time spoils a takeover`() async throws {
        let life = String(repeating: "0", count: 16)
        let beat = try JournalRows.put(
            JournalRows.life(life),
            LifeRecord(name: "slow", graphs: [], beat: 1),
            at: .now
        )
        let claim = try JournalRows.put(JournalRows.claim("run"), ClaimRecord(life: life, worker: "slow"), at: .now)
        _ = try await rows.commit([beat, claim], in: .journal)
        let observing = FaultyBacking(rows)
        let isSpoilt = Gate()
        observing.before { [rows] steps in
            if steps.first?.key == JournalRows.life(life), !isSpoilt.isOpen {
                _ = try await rows.commit([beat], in: .journal)
                isSpoilt.open()
            }
        }
        let observer = process(observing)
        let worker = work(observer, graph("b"))
        try await isSpoilt.wait()
        let store = try observer.journals.rows()
        func others() async throws -> [UInt64] { try await store.lives().filter { $0.id != life }.map(\.version) }
        // The observer beats again once it has tried.
        let before = try await others()
        while try await others() == before {
            try await RealTime.pass(.milliseconds(5))
        }
        #expect(try await store.claims().map(\.run) == ["run"])
        try await stop(worker)
    }

    // MARK: - Runs of their callers

    @Test
    func `a journal in use is refused, and one of a dead process is taken over`() async throws {
        let suspended = FaultyBacking(rows)
        let (a, b) = (process(suspended), process(rows))
        let running = Task { [graph = try graph("a").build(1)] in try await a.run(graph, journal: "run") }
        try await gate.waitForWaiters(count: 1)
        for runtime in [a, b] {
            let error = await #expect(throws: JobGraphError.self) {
                _ = try await runtime.run(graph("b").build(1), journal: "run")
            }
            #expect(error?.code == .journalInUse)
            let dropped = await #expect(throws: JobGraphError.self) { try await runtime.journals.drop("run") }
            #expect(dropped?.code == .journalInUse)
        }

        suspended.suspend()
        #expect(try await b.run(graph("b").build(1), journal: "run").isSuccess)
        gate.open()
        suspended.resume()
        let late = try await running.value
        let error = #expect(throws: JobGraphError.self) { try late.check() }
        #expect(error?.code == .journalInUse)
        #expect(done.elements.map { $0.prefix(1) } == ["b"] && undone.elements.isEmpty)
        #expect(try await b.journals.list().map(\.status) == [.succeeded])
    }

    @Test
    func `a claim that could not be given back is not in the way`() async throws {
        let runtime = process(rows)
        _ = try await runtime.run(graph("b").build(1), journal: "run")
        let life = try #require(try await runtime.journals.rows().lives().first?.id)
        let record = ClaimRecord(life: life, worker: "this one")
        let left = try JournalRows.put(JournalRows.claim("run"), record, at: .now)
        _ = try await rows.commit([left], in: .journal)
        #expect(try await runtime.run(graph("b").build(1), journal: "run").isStored)
        #expect(try await runtime.journals.rows().claims().isEmpty)
    }

    @Test(arguments: ["", "{}", "nothing", #"{"version":2}"#])
    func `a damaged claim is nobody's`(metadata: String) async throws {
        let runtime = process(rows)
        let attributes = RowAttributes(metadata: Data(metadata.utf8), storedAt: .now)
        let row = RowStep.put(key: JournalRows.claim("run"), value: Data(), attributes: attributes, condition: .any)
        _ = try await rows.commit([row], in: .journal)
        #expect(try await runtime.run(graph("b").build(1), journal: "run").isSuccess)
    }

    // MARK: - One machine

    @Test
    func `a life on a directory ends with its process`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "runs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let runtime = JobRuntime(directory: folder)
        // What a process leaves that was killed: its life, whose lock is free, and its claims.
        let backing = try #require(try runtime.journals.rows().backing as? SQLiteBacking)
        let life = String(repeating: "0", count: 16)
        var claim = ClaimRecord(life: life, worker: "dead")
        let direct = try JournalRows.put(JournalRows.claim("direct"), claim, at: .now)
        claim.place = QueuePlace("shared", due: .now)
        let queued = try JournalRows.put(JournalRows.claim("queued"), claim, at: .now)
        let record = LifeRecord(name: "dead", graphs: [], beat: 1)
        let left = try JournalRows.put(JournalRows.life(life), record, at: .now)
        _ = try await backing.commit([direct, queued, left], in: .journal)

        #expect(try await runtime.run(graph("b").build(1), journal: "direct").isSuccess)
        let rows = try runtime.journals.rows()
        #expect(try await rows.claims().isEmpty)
        #expect(try await rows.queued().map(\.run) == ["queued"])
        #expect(try await rows.queued().map(\.deaths) == [1])
        #expect(try await rows.lives().map(\.id).contains(life) == false)
    }
}
