// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension JobRunner {
    /// Runs a graph that goes on after a crash where it was: see ``RunJournal``.
    ///
    /// - Parameters:
    ///   - graph: What to run. The results of all nodes must be `Codable` or `Void`.
    ///   - journal: The name under which results are kept, and how.
    ///   - options: Time limit, and what happens on failure.
    /// - Returns: How each node ended; those whose result was stored are ``RunReport/Status-swift.enum/resumed``. When
    ///   an earlier run was being taken back as its process ended, how taking it back went on. When the journal can no
    ///   longer be written in the end, the run is a failure, and ``GraphRun/check()`` throws the `StoreError`; the
    ///   results are there.
    /// - Throws: ``JobGraphError`` before anything is sent: when the structure of the graph is wrong; with the code
    ///   ``JobGraphError/Code-swift.struct/resultNotCodable``, ``JobGraphError/Code-swift.struct/journalInUse`` or
    ///   ``JobGraphError/Code-swift.struct/journalUnreadable``. `StoreError` when the file cannot be read or written.
    @concurrent
    public func run(_ graph: JobGraph, journal: RunJournal, options: RunOptions = []) async throws -> GraphRun {
        let runner = try await JournalledRunner.open(journal, for: graph, host: jobHost, options: options)
        return await runner.run()
    }

    /// Starts a graph that goes on after a crash where it was, and returns as soon as the journal is open: see
    /// ``RunJournal``.
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
    /// - Returns: The run under way; it goes on when nobody holds it.
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

    /// Lists what the journals hold, by name.
    ///
    /// - Returns: The runs, those that succeeded included, until they are dropped.
    /// - Throws: `StoreError` when the file cannot be read, ``JobGraphError`` with the code
    ///   ``JobGraphError/Code-swift.struct/journalUnreadable`` when a record cannot be.
    @concurrent
    public func journalledRuns() async throws -> [JournalledRun] {
        let rows = try jobHost.runtime.journals.rows()
        var runs: [JournalledRun] = []
        for summary in try await rows.summaries(JournalRows.headPrefix) {
            let name = String(summary.key.dropFirst(JournalRows.headPrefix.count))
            // Its records are read one after the other, and somebody may drop it meanwhile.
            if let head = try await rows.head(of: name) {
                let undos = try await rows.undos(of: name)
                runs.append(JournalledRun(name, head, Array(try await rows.records(of: name).values), undos))
            }
        }
        return runs
    }

    /// Forgets everything that a journal holds, also what cannot be read.
    ///
    /// - Parameter name: The name of the journal.
    /// - Throws: ``JobGraphError`` with the code ``JobGraphError/Code-swift.struct/journalInUse`` while a run uses it,
    ///   `StoreError` when the file cannot be written.
    @concurrent
    public func dropJournal(_ name: String) async throws {
        try await jobHost.runtime.journals.using(name) { rows in try await rows.remove(name) }
    }

    /// Copies a journal, but for a node and everything that waits for it: running the graph with the copy does those
    /// again.
    ///
    /// - Parameters:
    ///   - journal: The journal to copy, with the codec that its results were stored with.
    ///   - copy: The new journal. What it held is forgotten.
    ///   - graph: The graph of the run.
    ///   - node: The first node to do again. What else has an unknown outcome keeps it.
    /// - Throws: ``JobGraphError`` when the node is of another graph, when a journal is in use or cannot be read;
    ///   `StoreError` when the file cannot be read or written.
    @concurrent
    public func forkJournal<Output>(
        _ journal: RunJournal,
        as copy: RunJournal,
        of graph: JobGraph,
        from node: JobHandle<Output>
    ) async throws {
        guard graph.holds(node) else {
            throw JobGraph.foreignHandle(node.name, namedBy: "the fork of '\(journal.name)'", in: graph.name)
        }
        let branch = JobTopology(count: graph.count, edges: graph.edges).branch(from: node.index)
        let left = branch.map { JournalPath.root.node(graph.nodes[$0].name) }
        try await jobHost.runtime.journals.using(journal.name) { rows in
            try await jobHost.runtime.journals.using(copy.name) { _ in
                try await rows.fork(journal, as: copy, of: graph.name, without: left, at: jobHost.runtime.now())
            }
        }
    }
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
