// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// The journals of runs that can be resumed.
///
/// ```swift
/// for work in try await manager.journals.unresolved(in: "nightly") {
///     print(work)                                       // 'charge' of the run 'nightly', key 6F9A…
/// }
/// ```
public struct Journals: Sendable {
    private let runtime: JobRuntime

    init(_ runtime: JobRuntime) {
        self.runtime = runtime
    }

    private var store: JournalStore { runtime.journals }

    /// Lists what the journals hold, by name.
    ///
    /// - Returns: The runs, those that succeeded included, until they are dropped.
    /// - Throws: `StoreError` when the file cannot be read, ``JobGraphError`` with the code
    ///   ``JobGraphError/Code-swift.struct/journalUnreadable`` when a record cannot be.
    @concurrent
    public func list() async throws -> [JournalledRun] {
        let rows = try store.rows()
        var runs: [JournalledRun] = []
        for summary in try await rows.summaries(JournalRows.headPrefix) {
            let name = String(summary.key.dropFirst(JournalRows.headPrefix.count))
            // Its records are read one after the other, and it may be dropped meanwhile.
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
    public func drop(_ name: String) async throws {
        try await store.using(name) { rows in try await rows.remove(name) }
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
    public func fork<Output>(
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
        try await store.using(journal.name) { rows in
            try await store.using(copy.name) { _ in
                try await rows.fork(journal, as: copy, of: graph.name, without: left, at: runtime.now())
            }
        }
    }
}

// MARK: - Unknown outcomes

extension Journals {
    /// Lists the unsafe work of a run that was begun and whose outcome is unknown.
    ///
    /// Look it up where it was done, by its key, then decide: ``markDone(_:with:in:)`` or ``markNotDone(_:)``.
    ///
    /// - Parameter journal: The name of the journal.
    /// - Returns: The nodes, elements of loops and compensations, in alphabetical order.
    /// - Throws: `StoreError` when the file cannot be read, ``JobGraphError`` with the code
    ///   ``JobGraphError/Code-swift.struct/journalUnreadable`` when a record cannot be.
    @concurrent
    public func unresolved(in journal: String) async throws -> [UnresolvedWork] {
        try await store.rows().records(of: journal)
            .filter { $0.value.state == .started }
            .map { UnresolvedWork(journal: journal, path: $0.key, record: $0.value) }
            .sorted { ($0.name, $0.path) < ($1.name, $1.path) }
    }

    /// Decides that unsafe work was done, and gives the result with which the next run resumes.
    ///
    /// - Parameters:
    ///   - work: The work.
    ///   - result: The result of the node or the element, of its type.
    ///   - journal: The journal, with the codec of its run.
    /// - Throws: ``JobGraphError`` when a run uses the journal, or when the work is decided already; `StoreError` when
    ///   the file cannot be written.
    @concurrent
    public func markDone(
        _ work: UnresolvedWork,
        with result: some Encodable & Sendable,
        in journal: RunJournal
    ) async throws {
        try await finish(work, try ResultCoding.encode(result), in: journal)
    }

    /// Decides that unsafe work without a result was done.
    ///
    /// - Parameters:
    ///   - work: The work: a node or an element whose result is `Void`, or a compensation.
    ///   - journal: The journal, with the codec of its run.
    /// - Throws: What ``markDone(_:with:in:)`` throws.
    @concurrent
    public func markDone(_ work: UnresolvedWork, in journal: RunJournal) async throws {
        try await finish(work, try ResultCoding.encode(()), in: journal)
    }

    private func finish(_ work: UnresolvedWork, _ bytes: Data, in journal: RunJournal) async throws {
        guard work.journal == journal.name else {
            throw Self.decided(work)
        }
        try await store.using(work.journal) { rows in
            let started = try await Self.record(of: work, rows)
            let record = JournalRecord(
                name: started.name,
                state: .finished,
                inputs: started.inputs,
                output: ResultCoding.digest(bytes),
                codec: journal.codec.identifier
            )
            try await rows.commit([
                try JournalRows.putResult(bytes, record, of: work.path, in: journal, at: runtime.now())
            ])
        }
    }

    /// Decides that unsafe work was not done: the next run does it, with a new key.
    ///
    /// - Parameter work: The work.
    /// - Throws: What ``markDone(_:with:in:)`` throws.
    @concurrent
    public func markNotDone(_ work: UnresolvedWork) async throws {
        try await store.using(work.journal) { rows in
            _ = try await Self.record(of: work, rows)
            let key = JournalRows.nodes(work.journal) + work.path
            try await rows.commit([.remove(key: key, condition: .any)])
        }
    }

    private static func record(of work: UnresolvedWork, _ rows: JournalRows) async throws -> JournalRecord {
        guard let record = try await rows.records(of: work.journal)[work.path], record.state == .started else {
            throw decided(work)
        }
        return record
    }

    private static func decided(_ work: UnresolvedWork) -> JobGraphError {
        JobGraphError(
            .unknownOutcome,
            "the journal '\(work.journal)' has no undecided work of '\(work.name)'; list what is left with "
                + "unresolved(in:)"
        )
    }
}
