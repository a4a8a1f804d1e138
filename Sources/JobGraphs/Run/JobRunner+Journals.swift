// SPDX-License-Identifier: MIT

extension JobRunner {
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
    /// The journal is in use until ``GraphExecution/finished()`` returns.
    ///
    /// - Parameters:
    ///   - graph: The graph to run. The results of all nodes must be `Codable` or `Void`.
    ///   - journal: The name under which results are stored, and the way they are stored.
    ///   - options: The time limit, and the reaction to a failure.
    /// - Returns: The run under way; it continues when the value is released.
    /// - Throws: The errors of ``run(_:journal:options:)``; nothing has been sent in that case.
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
    public var journals: Journals { Journals(jobHost.runtime) }
}
