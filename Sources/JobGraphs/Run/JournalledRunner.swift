// SPDX-License-Identifier: MIT

/// Runs a graph with a journal once: it holds the journal from its opening to the end of the run.
struct JournalledRunner: Sendable {
    let runner: GraphRunner
    private let rest: GraphRunner.Rest?
    private let ledger: JournalLedger
    private let store: JournalStore

    /// Opens the journal without starting anything.
    ///
    /// - Throws: ``JobGraphError`` or `StoreError` when the graph cannot be run with it; the journal is released in
    ///   that case.
    static func open(
        _ journal: RunJournal,
        for graph: JobGraph,
        host: JobHost,
        options: RunOptions
    ) async throws -> JournalledRunner {
        try graph.check()
        try graph.checkResults(for: journal)
        let store = host.runtime.journals
        try store.enter(journal.name)
        do {
            let rows = try store.rows()
            let ledger = try await JournalLedger(
                journal,
                graph: graph.name,
                origin: host.runtime.origin(),
                rows,
                now: host.runtime.now,
                words: host.runtime.words
            )
            let session = JournalSession(ledger)
            try session.check(graph)
            let runner = try GraphRunner(graph, host: host, options: options, session: session)
            let rest = try await runner.rest()
            try await ledger.begin()
            return JournalledRunner(runner: runner, rest: rest, ledger: ledger, store: store)
        } catch {
            store.leave(journal.name)
            throw error
        }
    }

    /// Runs the graph, or resumes the compensation of an earlier run; then releases the journal.
    func run() async -> GraphRun {
        let run = await runner.run(rest) { [ledger, engine = runner.engine] run in
            if run.isSuccess {
                engine.settings.session?.noteFailures(of: engine)
            }
            do {
                // It has a task of its own, because the run's task may be cancelled.
                try await Task { try await ledger.close(isSuccess: run.isSuccess) }.value
                return run.stored(ledger.isStored)
            } catch {
                return run.unfinished(because: error)
            }
        }
        if run.isSuccess, ledger.journal.afterSuccess == .restart, ledger.hasUnsafeWork {
            // The next run with this journal starts over, so it would do the work again.
            UnsafeEffects.begin()
        }
        store.leave(ledger.journal.name)
        return run
    }
}
