// SPDX-License-Identifier: MIT

import JobGraphsTestSupport
import RestEssentials
import SharedStore
import Testing

@testable import JobGraphs

/// Runs that ended long ago are dropped by workers, unless something of them awaits somebody.
@Suite(.timeLimit(.minutes(5)))
struct RunExpiryTests {
    private struct Refused: Error {}

    private let rows = MemoryBacking()
    private let graph = DurableGraph<Int>("graph") { number in
        var graph = JobGraph("graph")
        graph.local("node") {
            if number < 0 {
                throw Refused()
            }
        }
        return graph
    }

    private func process(keep: Duration) -> JobRuntime {
        let runtime = JobRuntime()
        var timing = RunTiming.short
        timing.keep = keep
        runtime.persist(on: rows, timing: timing)
        return runtime
    }

    @Test
    func `what ended long ago is dropped, and what awaits somebody is not`() async throws {
        let runtime = process(keep: .seconds(3_600))
        let inputs = ["bad": -1, "compensating": -1, "good": 1, "unknown": -1]
        for (name, input) in inputs {
            try await runtime.enqueue(graph, input, as: name)
        }
        try await runtime.enqueue(graph, 1, as: "waits", at: Date(timeIntervalSince1970: 4_000_000_000))
        let worker = Task { try await runtime.worker(limit: 4).offering(graph).run() }
        for name in inputs.keys {
            _ = try await runtime.journals.ended(name)
        }
        worker.cancel()
        try await worker.value
        _ = try await runtime.run(graph.build(1), journal: "direct")
        let record = JournalRecord(name: "charge", state: .started, inputs: "")
        let undo = JournalUndo(status: "failed", reason: "", nodes: ["node"])
        _ = try await rows.commit(
            [
                try JournalRows.put(JournalRows.nodes("unknown") + "charge", record, at: .now),
                try JournalRows.put(JournalRows.undos("compensating"), undo, at: .now),
            ],
            in: .journal
        )
        let all = ["bad", "compensating", "direct", "good", "unknown", "waits"]

        try await runtime.journals.life().sweep()
        #expect(try await runtime.journals.list().map(\.name) == all)

        let later = process(keep: .zero)
        try await later.journals.life().sweep()
        #expect(try await later.journals.list().map(\.name) == ["compensating", "direct", "unknown", "waits"])
        #expect(try await later.journals.rows().claims().isEmpty)
        let left = try await rows.summaries(in: .journal, RowPage(prefix: JournalRows.nodes("good")))
        #expect(left.isEmpty)
        // The name is free again.
        #expect(try await later.enqueue(graph, 1, as: "good"))
    }

    @Test
    func `a run that is worked again is not dropped`() async throws {
        let runtime = process(keep: .zero)
        let claimed = try await runtime.journals.enter("run")
        var head = JournalHead(graph: "graph", status: .failed, startedAt: .now)
        head.place = QueuePlace("graph", due: .now)
        _ = try await rows.commit([try JournalRows.put(JournalRows.head("run"), head, at: .now)], in: .journal)
        try await process(keep: .zero).journals.life().sweep()
        #expect(try await runtime.journals.list().map(\.name) == ["run"])
        await claimed.leave()
        try await process(keep: .zero).journals.life().sweep()
        #expect(try await runtime.journals.list().isEmpty)
    }
}
