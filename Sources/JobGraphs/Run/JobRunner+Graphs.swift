// SPDX-License-Identifier: MIT

extension JobRunner {
    /// Runs a graph and waits for its end.
    ///
    /// A failed node does not make this method throw, because the other results are still useful. Read the results that
    /// you need from the run, or call ``GraphRun/check()``.
    ///
    /// - Parameters:
    ///   - graph: The graph to run.
    ///   - options: The time limit, and the reaction to a failure.
    /// - Returns: The ended run. When the task is cancelled, the run is cancelled too, and the method returns when the
    ///   running jobs have ended.
    /// - Throws: ``JobGraphError`` when the structure of the graph is wrong, see ``JobGraph/check()``; nothing has been
    ///   sent in that case.
    @concurrent
    public func run(_ graph: JobGraph, options: RunOptions = []) async throws -> GraphRun {
        await (try GraphRunner(graph, host: jobHost, options: options)).run()
    }

    /// Starts a graph and returns at once; in every other respect it is like ``run(_:options:)``.
    ///
    /// - Returns: The run under way; it continues when the value is released.
    @discardableResult
    public func start(_ graph: JobGraph, options: RunOptions = []) throws -> GraphExecution {
        let runner = try GraphRunner(graph, host: jobHost, options: options)
        return GraphExecution(runner) { await runner.run() }
    }

    /// Runs a graph, and resumes it after a crash: see ``RunJournal``.
    ///
    /// - Parameters:
    ///   - graph: The graph to run. The results of all nodes must be `Codable` or `Void`.
    ///   - journal: The name under which results are stored, and the way they are stored.
    ///   - options: The time limit, and the reaction to a failure.
    /// - Returns: The outcome of each node; nodes with a stored result are ``RunReport/Status-swift.enum/resumed``. If
    ///   the process of an earlier run died during that run's compensation, the outcome of the resumed compensation. If
    ///   the end of the run cannot be written to the journal, the run is a failure, and ``GraphRun/check()`` throws the
    ///   `StoreError`; the results are stored.
    /// - Throws: ``JobGraphError`` before anything is sent: when the structure of the graph is wrong; with the code
    ///   ``JobGraphError/Code-swift.struct/resultNotCodable``, ``JobGraphError/Code-swift.struct/journalInUse`` or
    ///   ``JobGraphError/Code-swift.struct/journalUnreadable``. `StoreError` when the file cannot be read or written.
    @concurrent
    public func run(_ graph: JobGraph, journal: RunJournal, options: RunOptions = []) async throws -> GraphRun {
        let runner = try await JournalledRunner.open(journal, for: graph, host: jobHost, options: options)
        return await runner.run()
    }

    /// Starts a graph, or resumes it after a crash, and returns as soon as the journal is open: see ``RunJournal``.
    ///
    /// ```swift
    /// let execution = try await runtime.start(graph, journal: "nightly")
    /// for await progress in execution.progress { bar.show(progress.fraction) }
    /// let run = await execution.finished()
    /// ```
    ///
    /// The journal is in use until ``GraphExecution/finished()`` returns. In every other respect it is like
    /// ``run(_:journal:options:)``.
    ///
    /// - Returns: The run under way; it continues when the value is released.
    @concurrent
    @discardableResult
    public func start(
        _ graph: JobGraph,
        journal: RunJournal,
        options: RunOptions = []
    ) async throws -> GraphExecution {
        let runner = try await JournalledRunner.open(journal, for: graph, host: jobHost, options: options)
        return GraphExecution(runner.runner) { await runner.run() }
    }

    /// The journals of runs that can be resumed: their contents, and the work that awaits a decision.
    public var journals: Journals { Journals(runtime: jobHost.runtime) }
}

/// Runs a graph with a journal once: it holds the journal from its opening to the end of the run.
struct JournalledRunner: Sendable {
    let runner: GraphRunner
    private let rest: GraphRunner.Rest?
    private let ledger: JournalLedger
    private let rows: JournalRows

    /// Opens the journal without starting anything; releases it when the graph cannot be run with it.
    static func open(
        _ journal: RunJournal,
        for graph: JobGraph,
        host: JobHost,
        options: RunOptions
    ) async throws -> JournalledRunner {
        try graph.check()
        try graph.checkResults(for: journal)
        let rows = try await host.runtime.journals.enter(journal.name)
        do {
            return try await JournalledRunner(rows, journal, graph, named: graph.name, host: host, options: options)
        } catch {
            await rows.leave()
            throw error
        }
    }

    /// Opens the journal with the rows of a claim, which the caller releases if this fails.
    init(
        _ rows: JournalRows,
        _ journal: RunJournal,
        _ graph: JobGraph,
        named name: String,
        host: JobHost,
        options: RunOptions = []
    ) async throws {
        self.rows = rows
        ledger = try await JournalLedger(
            journal,
            graph: name,
            origin: host.runtime.origin(),
            rows,
            now: host.runtime.now,
            words: host.runtime.words
        )
        let session = JournalSession(ledger)
        try session.check(graph)
        runner = try GraphRunner(graph, host: host, options: options, session: session)
        rest = try await runner.rest()
        try await ledger.begin()
        rows.claim?
            .listen { [halt = ledger.halt, engine = runner.engine] signal in
                switch signal {
                case .cancel:
                    engine.cancel()
                case .stop:
                    halt.halt()
                case .abandon:
                    halt.halt()
                    engine.cancel()
                }
            }
    }

    func run() async -> GraphRun {
        let run = await runner.run(rest) { [ledger, rows, engine = runner.engine] run in
            if engine.isHalted, !run.isSuccess {
                return run.interrupted(because: rows.claim.flatMap { $0.isLost ? $0.lost : nil })
            }
            if run.isSuccess {
                engine.settings.session?.noteFailures(of: engine)
            }
            do {
                // It has a task of its own, because the run's task may be cancelled.
                let reason = run.failure.map(engine.runtime.words)
                try await Task { try await ledger.close(isSuccess: run.isSuccess, because: reason) }.value
                return run.stored(ledger.isStored)
            } catch {
                return run.unfinished(because: error)
            }
        }
        if run.isSuccess, ledger.journal.afterSuccess == .restart, ledger.hasUnsafeWork {
            // The next run with this journal starts over, so it would do the work again.
            UnsafeEffects.begin()
        }
        await rows.leave()
        return run
    }
}

extension JournalSession {
    /// Rejects a graph that has no node for work whose outcome is unknown: the work of a node that was renamed would be
    /// done again, and that of one that was removed would be forgotten.
    func check(_ graph: JobGraph) throws(JobGraphError) {
        // To treat work as done, nothing has to be known of it.
        guard ledger.journal.unknownOutcome != .treatAsDone else {
            return
        }
        for (key, record) in ledger.undecided {
            try check(graph, at: path, key, record)
        }
    }

    private func check(
        _ graph: JobGraph,
        at path: JournalPath,
        _ key: String,
        _ record: JournalRecord
    ) throws(JobGraphError) {
        guard let owner = path.owner(of: key) else {
            return
        }
        guard let node = graph.nodes.firstIndex(where: { path.node($0.name).key == owner.key }),
            !owner.isElement || graph.nodes[node].kind == .forEach
        else {
            throw unknown(
                record,
                "and the graph '\(graph.name)' has no such node; nothing was done. Run a graph that has it, or find out "
                    + "its outcome and call journals.markDone or journals.markNotDone, which count for a node of this "
                    + "name: one of another name would do the work again"
            )
        }
        if let inner = graph.subgraphs[node] {
            try check(inner, at: path.node(graph.nodes[node].name), key, record)
        }
    }
}
