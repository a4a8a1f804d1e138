// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import SharedStore
import Testing

@testable import JobGraphs

/// Runs that any process on the same store can work, on each engine.
@Suite(.timeLimit(.minutes(5)))
struct SharedRunTests {
    enum Engine: CaseIterable {
        /// The memory of one runtime.
        case own
        /// Rows in memory that several runtimes share.
        case memory
        /// A file that several runtimes share.
        case file
    }

    private struct Refused: Error {}

    /// Runtimes on one store, as several processes would be.
    private final class Fleet: Sendable {
        private let engine: Engine
        private let rows = MemoryBacking()
        private let single = JobRuntime()
        let folder = FileManager.default.temporaryDirectory.appending(path: "runs-\(UUID().uuidString)")

        init(_ engine: Engine) {
            self.engine = engine
        }

        deinit {
            try? FileManager.default.removeItem(at: folder)
        }

        func process() -> JobRuntime {
            let runtime = JobRuntime()
            switch engine {
            case .own: return single
            case .memory: runtime.persist(on: rows, timing: .short)
            case .file: runtime.persist(in: folder, timing: .short)
            }
            return runtime
        }
    }

    private let ran = Recorder<String>()
    private let undone = Recorder<String>()
    private let gate = Gate()

    /// A step, one that waits at the gate, and one that refuses negative numbers.
    private func steps(_ name: String = "steps", waits: Bool = false) -> DurableGraph<Int> {
        DurableGraph(name) { [ran, undone, gate] number in
            var graph = JobGraph("inner name")
            let input = graph.input("number", number)
            let first = graph.local("first", after: input) { number in
                ran.record("first \(number)")
                return number + 1
            }
            graph.undo("undo first", of: first) { _ in undone.record("first \(number)") }
            let second = graph.local("second", after: first) { number in
                if waits {
                    try await gate.wait()
                }
                ran.record("second \(number)")
                return number
            }
            graph.local("last", after: second) { number in
                ran.record("last \(number)")
                if number <= 0 {
                    throw Refused()
                }
            }
            return graph
        }
    }

    /// Does something while workers of these runtimes work.
    private func working<Value: Sendable>(
        _ runtimes: [JobRuntime],
        _ graphs: DurableGraph<Int>...,
        limit: Int = 4,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let tasks = runtimes.map { runtime in
            let worker = graphs.reduce(runtime.worker(limit: limit)) { $0.offering($1) }
            return Task { try await worker.run() }
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        for task in tasks {
            task.cancel()
        }
        for task in tasks {
            try await task.value
        }
        return try result.get()
    }

    // MARK: - Enqueuing

    @Test(arguments: Engine.allCases)
    func `a run that one process enqueues is worked by another, once`(engine: Engine) async throws {
        let fleet = Fleet(engine)
        let (client, worker) = (fleet.process(), fleet.process())
        #expect(try await client.enqueue(steps(), 1, as: "run"))
        #expect(try await client.enqueue(steps(), 2, as: "run") == false)
        #expect(try await worker.enqueue(steps(), 1, as: "run") == false)
        #expect(try await client.journals.list().map(\.status) == [.waiting])

        let run = try await working([worker], steps()) { try await client.journals.ended("run") }

        #expect(run.status == .succeeded && run.graph == "steps" && run.reason == nil)
        #expect(ran.elements == ["first 1", "second 2", "last 2"])
        #expect(try await client.enqueue(steps(), 1, as: "run") == false)
        #expect(try await client.journals.list().map(\.status) == [.succeeded])
    }

    @Test(arguments: Engine.allCases)
    func `many runs are shared by workers, and each is done once`(engine: Engine) async throws {
        let fleet = Fleet(engine)
        let client = fleet.process()
        for number in 1...60 {
            try await client.enqueue(steps(), number, as: "run \(number)")
        }
        let workers = engine == .own ? [client] : (0..<3).map { _ in fleet.process() }
        try await working(workers, steps(), limit: 8) {
            for number in 1...60 {
                let run = try await client.journals.ended("run \(number)")
                #expect(run.status == .succeeded)
            }
        }
        #expect(ran.count == 180 && Set(ran.elements).count == 180)
        // What workers leave behind is what they were for.
        let rows = try client.journals.rows()
        #expect(try await rows.claims().isEmpty)
        #expect(try await rows.queued().isEmpty)
        #expect(try await rows.lives().isEmpty)
    }

    @Test(arguments: Engine.allCases)
    func `a name belongs to one graph`(engine: Engine) async throws {
        let client = Fleet(engine).process()
        try await client.enqueue(steps(), 1, as: "run")
        let error = await #expect(throws: JobGraphError.self) {
            try await client.enqueue(steps("others"), 1, as: "run")
        }
        #expect(error?.code == .otherGraph)
        let unknown = await #expect(throws: JobGraphError.self) {
            _ = try await client.journals.ended("other")
        }
        #expect(unknown?.code == .unknownJournal)
    }

    @Test(arguments: Engine.allCases)
    func `a run that is due later waits, and a graph that nobody offers is named`(engine: Engine) async throws {
        let fleet = Fleet(engine)
        let client = fleet.process()
        let due = Date(timeIntervalSince1970: 4_000_000_000)
        try await client.enqueue(steps(), 1, as: "later", at: due)
        try await client.enqueue(steps("others"), 1, as: "others")
        try await client.enqueue(steps(), 2, as: "now", at: .distantPast)
        try await working([fleet.process()], steps()) {
            _ = try await client.journals.ended("now")
            let list = try await client.journals.list()
            #expect(list.map(\.name) == ["later", "now", "others"])
            #expect(list.map(\.status) == [.waiting, .succeeded, .waiting])
            #expect(list[0].dueAt == due && list[0].reason == nil)
            #expect(list[2].reason == "no worker offers the graph 'others'")
        }
        #expect(ran.elements.allSatisfy { $0.hasSuffix("2") || $0.hasSuffix("3") })
    }

    @Test(arguments: [-1e300, .nan, 1e300, .infinity, 0, 1e10])
    func `any due time has a place in the queue`(seconds: Double) {
        let place = QueuePlace("graph", due: Date(timeIntervalSince1970: seconds))
        #expect(place.key(of: "run").utf8.count == "q5:graph/".utf8.count + 16 + "/run".utf8.count)
    }

    // MARK: - Ends

    @Test(arguments: Engine.allCases)
    func `a failed run says why, and a retry goes on with the stored results`(engine: Engine) async throws {
        let fleet = Fleet(engine)
        let client = fleet.process()
        let failing = DurableGraph<Int>("steps") { [ran] number in
            var graph = JobGraph("steps")
            let first = graph.local("first") { ran.record("first") }
            graph.local("last", after: first) { _ in
                ran.record("last")
                if ran.count < 3 {
                    throw Refused()
                }
            }
            return graph
        }
        try await client.enqueue(failing, 1, as: "run")
        try await working([fleet.process()], failing) {
            let failed = try await client.journals.ended("run")
            #expect(failed.status == .failed)
            #expect(failed.reason?.contains("Refused") == true)
            #expect(failed.finishedNodes == ["first"])

            #expect(try await client.journals.retry("run"))
            #expect(try await client.journals.ended("run").status == .succeeded)
            #expect(try await client.journals.retry("run") == false)
        }
        #expect(ran.elements == ["first", "last", "last"])
    }

    @Test(arguments: Engine.allCases)
    func `a run that waits is cancelled at once`(engine: Engine) async throws {
        let fleet = Fleet(engine)
        let client = fleet.process()
        try await client.enqueue(steps(), 1, as: "run")
        #expect(try await client.journals.cancel("run"))
        #expect(try await client.journals.cancel("run") == false)
        let run = try await client.journals.ended("run")
        #expect(run.status == .failed && run.reason?.contains("cancelled") == true)
        try await client.enqueue(steps(), 5, as: "next")
        _ = try await working([fleet.process()], steps()) { try await client.journals.ended("next") }
        #expect(ran.elements == ["first 5", "second 6", "last 6"])
    }

    @Test(arguments: Engine.allCases)
    func `a run that another process works is cancelled and compensated`(engine: Engine) async throws {
        let fleet = Fleet(engine)
        let client = fleet.process()
        try await client.enqueue(steps(waits: true), 1, as: "run")
        let run = try await working([fleet.process()], steps(waits: true)) {
            try await gate.waitForWaiters(count: 1)
            let listed = try await client.journals.list()[0]
            #expect(listed.status == .unfinished && listed.worker?.isEmpty == false && listed.workedSince != nil)
            #expect(try await client.journals.cancel("run"))
            return try await client.journals.ended("run")
        }
        #expect(run.status == .failed && run.unknownNodes.isEmpty)
        #expect(ran.elements == ["first 1"] && undone.elements == ["first 1"])
        #expect(try await client.journals.list()[0].worker == nil)
    }

    @Test(arguments: Engine.allCases)
    func `what cannot begin ends with the reason`(engine: Engine) async throws {
        let fleet = Fleet(engine)
        let client = fleet.process()
        let broken = DurableGraph<Int>("steps") { number in
            var graph = JobGraph("steps")
            graph.local("same") { number }
            if number == 1 {
                graph.local("same") { number }
            }
            guard number < 3 else {
                throw Refused()
            }
            return graph
        }
        for number in 1...3 {
            try await client.enqueue(broken, number, as: "\(number)")
        }
        try await working([fleet.process()], broken) {
            let runs = try await [client.journals.ended("1"), client.journals.ended("2"), client.journals.ended("3")]
            #expect(runs.map(\.status) == [.failed, .succeeded, .failed])
            #expect(runs[0].reason?.contains("duplicateJobName") == true)
            #expect(runs[2].reason?.contains("Refused") == true)
        }
        #expect(try await client.journals.list().allSatisfy { $0.worker == nil })
    }

    // MARK: - Stopping

    @Test(arguments: Engine.allCases)
    func `what a stopped worker leaves is continued by another, without compensation`(engine: Engine) async throws {
        let fleet = Fleet(engine)
        let client = fleet.process()
        try await client.enqueue(steps(waits: true), 1, as: "run")
        let worker = Task { try await fleet.process().worker(limit: 1).offering(steps(waits: true)).run() }
        try await gate.waitForWaiters(count: 1)
        worker.cancel()
        // The node that runs may end, and nothing else begins.
        gate.pass()
        try await worker.value
        #expect(ran.elements == ["first 1", "second 2"])
        #expect(try await client.journals.list().map(\.status) == [.waiting])

        let run = try await working([fleet.process()], steps()) { try await client.journals.ended("run") }
        #expect(run.status == .succeeded)
        #expect(ran.elements == ["first 1", "second 2", "last 2"])
        #expect(undone.elements.isEmpty)
    }

    @Test
    func `what does not end in time is cancelled when a worker stops`() async throws {
        let rows = MemoryBacking()
        let runtime = JobRuntime()
        var timing = RunTiming.short
        timing.grace = .milliseconds(20)
        runtime.persist(on: rows, timing: timing)
        try await runtime.enqueue(steps(waits: true), 1, as: "run")
        let worker = Task { try await runtime.worker(limit: 1).offering(steps(waits: true)).run() }
        try await gate.waitForWaiters(count: 1)
        worker.cancel()
        try await worker.value
        #expect(ran.elements == ["first 1"] && undone.elements.isEmpty)
        #expect(try await runtime.journals.list().map(\.status) == [.waiting])
    }

    // MARK: - Input

    @Test
    func `a worker needs graphs, of different names, whose inputs can be stored`() async throws {
        struct Opaque: Sendable {}
        let runtime = JobRuntime()
        let opaque = DurableGraph<Opaque>("opaque") { _ in JobGraph("opaque") }
        let errors = [
            await #expect(throws: JobGraphError.self) { try await runtime.worker(limit: 1).run() },
            await #expect(throws: JobGraphError.self) {
                try await runtime.worker(limit: 1).offering(steps()).offering(steps()).run()
            },
            await #expect(throws: JobGraphError.self) { try await runtime.worker(limit: 1).offering(opaque).run() },
            await #expect(throws: JobGraphError.self) { try await runtime.enqueue(opaque, Opaque(), as: "run") },
        ]
        #expect(errors.map(\.?.code) == [.duplicateJobName, .duplicateJobName, .resultNotCodable, .resultNotCodable])
        #expect(try await runtime.journals.list().isEmpty)
    }

    @Test
    func `an input is sealed with the codec of the graph, and opened with no other`() async throws {
        let rows = MemoryBacking()
        let runtime = JobRuntime()
        runtime.persist(on: rows, timing: .short)
        let key = SealingKey.generate()
        func graph(_ codec: StorageCodec) -> DurableGraph<String> {
            DurableGraph("sealed", codec: codec) { [ran] text in
                var graph = JobGraph("sealed")
                graph.local("say") { ran.record(text) }
                return graph
            }
        }
        try await runtime.enqueue(graph(.sealed(key)), "quiet words", as: "run")
        let row = try await rows.row(JournalRows.head("run"), in: .journal)
        #expect(row.map { !$0.value.isEmpty && !String(decoding: $0.value, as: UTF8.self).contains("quiet") } == true)

        for codec in [StorageCodec.identity, .sealed(.generate())] {
            let worker = Task { try await runtime.worker(limit: 1).offering(graph(codec)).run() }
            let run = try await runtime.journals.ended("run")
            #expect(run.status == .failed && run.reason?.contains("input") == true)
            worker.cancel()
            try await worker.value
            try await runtime.journals.retry("run")
        }
        let worker = Task { try await runtime.worker(limit: 1).offering(graph(.sealed(key))).run() }
        #expect(try await runtime.journals.ended("run").status == .succeeded)
        worker.cancel()
        try await worker.value
        #expect(ran.elements == ["quiet words"])
    }
}
