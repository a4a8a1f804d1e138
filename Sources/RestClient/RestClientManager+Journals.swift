// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RestClientManager {
    /// Runs a graph that goes on after a crash where it was: see ``RunJournal``.
    ///
    /// - Parameters:
    ///   - graph: What to run. The results of all nodes must be `Codable` or `Void`.
    ///   - journal: The name under which results are kept, and how.
    ///   - options: Time limit, and what happens on failure.
    /// - Returns: How each node ended; those whose result was stored are ``RunReport/Status-swift.enum/resumed``.
    /// - Throws: ``RestClientError`` before anything is sent: when the structure of the graph is wrong; with the code
    ///   ``RestClientError/Code-swift.struct/resultNotCodable``, ``RestClientError/Code-swift.struct/journalInUse`` or
    ///   ``RestClientError/Code-swift.struct/journalUnreadable``. `StoreError` when the file cannot be read or written.
    @concurrent
    public func run(_ graph: JobGraph, journal: RunJournal, options: RunOptions = []) async throws -> GraphRun {
        try graph.check()
        try graph.checkResults(for: journal)
        let store = core.journals
        try store.enter(journal.name)
        defer { store.leave(journal.name) }
        let session = try await JournalSession.open(journal, graph: graph.name, in: store, now: core.now)
        let runner = try GraphRunner(graph, manager: self, options: options, session: session)
        let run = await runner.run()
        // In a task of its own, because the run's may be cancelled.
        try await Task {
            for result in run.compensations where result.outcome.isSuccess {
                try await session.forget(result.node)
            }
            try await session.close(graph: graph.name, startedAt: run.startedAt, isSuccess: run.isSuccess)
        }
        .value
        return run
    }

    /// Lists what the journals hold, by name.
    ///
    /// - Returns: The runs, those that succeeded included, until they are dropped.
    /// - Throws: `StoreError` when the file cannot be read, ``RestClientError`` with the code
    ///   ``RestClientError/Code-swift.struct/journalUnreadable`` when a record cannot be.
    @concurrent
    public func journalledRuns() async throws -> [JournalledRun] {
        var runs: [JournalledRun] = []
        for summary in try await core.journals.summaries("r") {
            let name = String(summary.key.dropFirst())
            let head = try JournalCoding.decode(
                JournalHead.self,
                from: summary.attributes.metadata,
                "the run '\(name)'"
            )
            let records = try await JournalSession.records(of: name, in: core.journals)
            runs.append(
                JournalledRun(
                    name: name,
                    graph: head.graph,
                    status: head.status.listed,
                    startedAt: head.startedAt,
                    finishedNodes: records.filter { $0.value.state == .finished }.keys.sorted(),
                    unknownNodes: records.filter { $0.value.state == .started }.keys.sorted()
                )
            )
        }
        return runs
    }

    /// Forgets everything that a journal holds, also what cannot be read.
    ///
    /// - Parameter name: The name of the journal.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/journalInUse`` while a run uses it,
    ///   `StoreError` when the file cannot be written.
    @concurrent
    public func dropJournal(_ name: String) async throws {
        try core.journals.enter(name)
        defer { core.journals.leave(name) }
        try await core.journals.removeRun(name, keepsHead: false)
    }

    /// Copies a journal, but for a node and everything that waits for it: running the graph with the copy does those again.
    ///
    /// - Parameters:
    ///   - journal: The journal to copy, with the codec that its results were stored with.
    ///   - copy: The new journal. What it held is forgotten.
    ///   - graph: The graph of the run.
    ///   - node: The first node to do again; `nil` to copy all.
    /// - Throws: ``RestClientError`` when the node is of another graph, when a journal is in use or cannot be read;
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
        let store = core.journals
        try store.enter(journal.name)
        defer { store.leave(journal.name) }
        try store.enter(copy.name)
        defer { store.leave(copy.name) }
        let left = Set(
            JobTopology(count: graph.count, edges: graph.edges).branch(from: node.index).map { graph.nodes[$0].name }
        )
        // Everything is read before anything is changed.
        var kept: [(name: String, record: JournalRecord, bytes: Data)] = []
        for (name, record) in try await JournalSession.records(of: journal.name, in: store)
        where record.state == .finished && !left.contains(where: { name == $0 || name.hasPrefix("\($0)/") }) {
            let key = JournalStore.nodeKey(journal.name, name)
            kept.append((name, record, try await JournalSession.storedBytes(record, key, journal, in: store)))
        }
        try await store.removeRun(copy.name, keepsHead: false)
        let head = JournalHead(graph: graph.name, status: .failed, startedAt: core.now())
        try await store.put(
            JournalStore.headKey(copy.name),
            value: Data(),
            metadata: try JournalCoding.encode(head),
            at: core.now()
        )
        for (name, record, bytes) in kept {
            try await store.write(bytes, record, to: copy, name, at: core.now())
        }
    }
}

extension JournalStore {
    /// Stores the result of another run's node.
    fileprivate func write(
        _ bytes: Data,
        _ record: JournalRecord,
        to journal: RunJournal,
        _ name: String,
        at date: Date
    ) async throws {
        var record = record
        record.codec = journal.codec.identifier
        let key = Self.nodeKey(journal.name, name)
        let value = try journal.codec.encode(bytes, context: .init(name: key, header: Data(record.inputs.utf8)))
        try await put(key, value: value, metadata: try JournalCoding.encode(record), at: date)
    }
}

extension JobGraph {
    /// Refuses results that cannot be stored.
    func checkResults(for journal: RunJournal) throws(RestClientError) {
        let unfit = nodes.filter { !ResultCoding.canStore($0.output) }
        guard unfit.isEmpty else {
            let list = unfit.prefix(5).map { "'\($0.name)' gives a \($0.output)" }.joined(separator: ", ")
            throw RestClientError(
                .resultNotCodable,
                "the journal '\(journal.name)' cannot keep the results of the graph '\(name)': \(list); make them Codable"
            )
        }
        for graph in subgraphs.values {
            try graph.checkResults(for: journal)
        }
    }
}

extension JournalHead.Status {
    fileprivate var listed: JournalledRun.Status {
        switch self {
        case .running: .unfinished
        case .failed: .failed
        case .succeeded: .succeeded
        }
    }
}
