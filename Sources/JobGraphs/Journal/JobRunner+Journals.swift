// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension JobRunner {
    /// Runs a graph, and resumes it after a crash: see ``RunJournal``.
    ///
    /// - Parameters:
    ///   - graph: What to run. The results of all nodes must be `Codable` or `Void`.
    ///   - journal: The name under which results are kept, and how.
    ///   - options: Time limit, and what happens on failure.
    /// - Returns: How each node ended; those with a stored result are ``RunReport/Status-swift.enum/resumed``. If the
    ///   process of an earlier run died while that run was being compensated, how the compensation continued. If the
    ///   end of the run cannot be written to the journal, the run is a failure, and ``GraphRun/check()`` throws the
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
    /// let execution = try await manager.start(graph, journal: "nightly")
    /// for await progress in execution.progress { bar.show(progress.fraction) }
    /// let run = await execution.finished()
    /// ```
    ///
    /// The journal is in use until ``GraphExecution/finished()`` returns.
    ///
    /// - Parameters:
    ///   - graph: What to run. The results of all nodes must be `Codable` or `Void`.
    ///   - journal: The name under which results are kept, and how.
    ///   - options: Time limit, and what happens on failure.
    /// - Returns: The run under way; it continues when the value is released.
    /// - Throws: What ``run(_:journal:options:)`` throws; nothing has been sent then.
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

    /// The journals of runs that can be resumed: what they hold, and what waits for a decision.
    public var journals: Journals { Journals(jobHost.runtime) }
}

extension JobGraph {
    /// Refuses results that cannot be stored.
    func checkResults(for journal: RunJournal) throws(JobGraphError) {
        let unfit = nodes.filter { !ResultCoding.canStore($0.output) }
        guard unfit.isEmpty else {
            let list = unfit.prefix(5).map { "'\($0.name)' gives a \($0.output)" }.joined(separator: ", ")
            throw JobGraphError(
                .resultNotCodable,
                "the journal '\(journal.name)' cannot keep the results of the graph '\(name)': \(list); make them Codable"
            )
        }
        for graph in subgraphs.values {
            try graph.checkResults(for: journal)
        }
    }
}
