// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// The journals of runs that can be resumed.
///
/// ```swift
/// for work in try await runtime.journals.unresolved(in: "nightly") {
///     print(work)                                       // 'charge' of the run 'nightly', key 6F9A…
/// }
/// ```
public struct Journals: Sendable {
    let runtime: JobRuntime

    private var store: JournalStore { runtime.journals }

    /// Lists the contents of the journals, by name.
    ///
    /// - Returns: The runs that have not been dropped, including those that succeeded, and those with records that
    ///   cannot be read.
    /// - Throws: `StoreError` when the file cannot be read.
    @concurrent
    public func list() async throws -> [JournalledRun] {
        let life = try store.life()
        let rows = life.rows
        let contents = try await rows.contents()
        let claims = Dictionary(try await rows.claims().map { (RowKey($0.run), $0) }) { first, _ in first }
        let queued = Dictionary(try await rows.queued().map { (RowKey($0.run), $0) }) { first, _ in first }
        let offered = try await life.offered.union(rows.offered())
        return contents.map { name, contents in
            var run = JournalledRun(name, contents)
            if let claim = claims[RowKey(name)] {
                run.worker = claim.record.worker
                run.workedSince = claim.row.attributes.storedAt
            } else if run.status == .unfinished, let place = queued[RowKey(name)]?.place {
                run.wait(at: place, isOffered: offered.contains(place.graph))
            }
            return run
        }
    }

    /// Removes everything that a journal holds, including unreadable records.
    ///
    /// Nothing else removes a journal, except that workers drop the runs of durable graphs seven days after their end.
    /// To keep the latest ones, drop those of ``list()`` whose ``JournalledRun/startedAt`` is long ago.
    ///
    /// - Parameters:
    ///   - name: The name of the journal.
    ///   - abandoningUnresolved: Pass `true` to drop it although the outcome of some unsafe work is undecided: the
    ///     next run of the graph may do that again. Defaults to `false`.
    /// - Throws: ``JobGraphError`` with the code ``JobGraphError/Code-swift.struct/unknownOutcome`` when it has such
    ///   work, with ``JobGraphError/Code-swift.struct/journalInUse`` while a run uses it; `StoreError` when the file
    ///   cannot be written.
    @concurrent
    public func drop(_ name: String, abandoningUnresolved: Bool = false) async throws {
        try await store.using(name) { rows in
            if !abandoningUnresolved, let contents = try await rows.contents(of: name) {
                try Self.check(contents.records, of: name, isAbout: "be dropped")
            }
            try await rows.drop(name)
        }
    }

    private static func check(
        _ records: [String: JournalRecord],
        of journal: String,
        isAbout end: String
    ) throws(JobGraphError) {
        let unresolved = UnresolvedWork.list(journal, records, where: { $0.isUndecided && $0.origin == nil })
        guard unresolved.isEmpty else {
            let list = unresolved.prefix(5).map { "\($0)" }.joined(separator: "; ")
            throw JobGraphError(
                .unknownOutcome,
                "the journal '\(journal)' cannot \(end), because it has unsafe work whose outcome is unknown: \(list). "
                    + "Decide with journals.markDone or journals.markNotDone, or abandon it with "
                    + "journals.drop(_:abandoningUnresolved: true)"
            )
        }
    }

    /// Copies a journal without a node and the nodes that depend on it: running the graph with the copy repeats those.
    ///
    /// Work with an unknown outcome stays unknown in the copy, also that of a node to repeat, and decisions that no run
    /// has used stay.
    ///
    /// - Parameters:
    ///   - journal: The journal to copy, with the codec with which its results were stored.
    ///   - copy: The new journal. Its previous contents are removed.
    ///   - graph: The graph of the run.
    ///   - node: The first node to repeat.
    /// - Throws: ``JobGraphError`` when there is no such journal, when it or the node belongs to another graph, when
    ///   the previous contents of the copy have work with an unknown outcome, or when a journal is in use or cannot be
    ///   read; `StoreError` when the file cannot be read or written.
    @concurrent
    public func fork<Output>(
        _ journal: RunJournal,
        as copy: RunJournal,
        of graph: JobGraph,
        from node: JobHandle<Output>
    ) async throws {
        guard graph.holds(node) else {
            throw JobGraphError.foreignHandle(node.name, namedBy: "the fork of '\(journal.name)'", in: graph.name)
        }
        let branch = JobTopology(count: graph.count, edges: graph.edges).branch(from: node.index)
        let left = branch.map { JournalPath.root.node(graph.nodes[$0].name) }
        try await store.using(journal.name) { rows in
            try await store.using(copy.name) { copies in
                if let previous = try await rows.contents(of: copy.name) {
                    try Self.check(previous.records, of: copy.name, isAbout: "be replaced by a copy")
                }
                try await rows.fork(journal, as: copy, copies, of: graph.name, without: left, at: runtime.now())
            }
        }
    }
}

// MARK: - Unknown outcomes

extension Journals {
    /// Lists the unsafe work of a run whose outcome is unknown.
    ///
    /// Look the work up by its key where it was done, then decide: ``markDone(_:with:in:)`` or ``markNotDone(_:)``.
    ///
    /// - Parameter journal: The name of the journal.
    /// - Returns: The nodes, elements of loops and compensations, in alphabetical order.
    /// - Throws: `StoreError` when the file cannot be read, ``JobGraphError`` with the code
    ///   ``JobGraphError/Code-swift.struct/journalUnreadable`` when a record cannot be.
    @concurrent
    public func unresolved(in journal: String) async throws -> [UnresolvedWork] {
        try await work(in: journal, where: \.isUndecided)
    }

    /// Lists the unsafe work of a run that was marked as done or as not done, and whose mark no run has used yet.
    ///
    /// Such a decision can be changed: call ``markDone(_:with:in:)`` or ``markNotDone(_:)`` again. It is final once a
    /// run has passed the result on, or has begun the work again.
    ///
    /// - Parameter journal: The name of the journal.
    /// - Returns: The nodes, elements of loops and compensations, in alphabetical order.
    /// - Throws: The errors of ``unresolved(in:)``.
    @concurrent
    public func decided(in journal: String) async throws -> [UnresolvedWork] {
        try await work(in: journal) { $0.decision != nil }
    }

    private func work(
        in journal: String,
        where isWanted: (JournalRecord) -> Bool
    ) async throws -> [UnresolvedWork] {
        UnresolvedWork.list(journal, try await store.rows().records(of: journal), where: isWanted)
    }

    /// Decides that unsafe work was done, and provides the result with which the next run resumes.
    ///
    /// The result must be encoded as one of the node's type is: if it is not, the next run fails at this node and
    /// leaves the decision as it is, so that it can be changed.
    ///
    /// - Parameters:
    ///   - work: The work.
    ///   - result: The result of the node or the element, of its type.
    ///   - journal: The journal, with the codec of its run.
    /// - Throws: ``JobGraphError`` when a run uses the journal, when the journal has another codec than the run had, or
    ///   when a run has used an earlier decision; `StoreError` when the file cannot be written.
    @concurrent
    public func markDone(
        _ work: UnresolvedWork,
        with result: some Encodable & Sendable,
        in journal: RunJournal
    ) async throws {
        let bytes = try ResultCoding.encode(result, words: runtime.words)
        try await finish(work, in: journal) { _ in bytes }
    }

    /// Decides that unsafe work was done without a result.
    ///
    /// - Parameters:
    ///   - work: The work: a node or an element whose result is `Void` or optional, or a compensation.
    ///   - journal: The journal, with the codec of its run.
    /// - Throws: The errors of ``markDone(_:with:in:)``, and ``JobGraphError`` when others need a result of the work.
    @concurrent
    public func markDone(_ work: UnresolvedWork, in journal: RunJournal) async throws {
        try await finish(work, in: journal) { record in
            guard let expectation = record.expectation else {
                // An older release did not store the type.
                return try ResultCoding.encode(())
            }
            guard let nothing = expectation.nothing else {
                throw JobGraphError(
                    .unknownOutcome,
                    "'\(work.name)' of the run '\(work.journal)' has a result; provide the \(expectation.type) with "
                        + "markDone(_:with:in:)"
                )
            }
            return Data(nothing.utf8)
        }
    }

    private func finish(
        _ work: UnresolvedWork,
        in journal: RunJournal,
        _ result: (JournalRecord) throws -> Data
    ) async throws {
        guard work.journal == journal.name else {
            throw JobGraphError(
                .unknownOutcome,
                "'\(work.name)' is work of the run '\(work.journal)', and not of '\(journal.name)'; name its own journal"
            )
        }
        try await store.using(work.journal) { rows in
            let records = try await rows.records(of: work.journal)
            var record = try Self.record(of: work, in: records)
            if let codec = record.expectation?.codec, codec != journal.codec.identifier {
                throw JobGraphError(
                    .unknownOutcome,
                    "the run '\(work.journal)' stores results with the codec '\(codec)', and the journal given for "
                        + "'\(work.name)' has '\(journal.codec.identifier)'; give it the codec of the run"
                )
            }
            let bytes = try result(record)
            record.state = .finished
            record.output = ResultCoding.digest(bytes)
            record.codec = journal.codec.identifier
            record.ordinal = records.values.lastOrdinal + 1
            record.decision = .done
            try await rows.commit([
                try rows.putResult(bytes, record, of: work.path, in: journal, at: runtime.now())
            ])
        }
    }

    /// Decides that unsafe work was not done: the next run does it with a new key.
    ///
    /// - Parameter work: The work.
    /// - Throws: The errors of ``markDone(_:with:in:)``.
    @concurrent
    public func markNotDone(_ work: UnresolvedWork) async throws {
        try await store.using(work.journal) { rows in
            var record = try Self.record(of: work, in: try await rows.records(of: work.journal))
            record.state = .started
            record.output = nil
            record.codec = nil
            record.ordinal = nil
            record.decision = .notDone
            let key = JournalRows.nodes(work.journal) + work.path
            try await rows.commit([try JournalRows.put(key, record, at: runtime.now())])
        }
    }

    private static func record(
        of work: UnresolvedWork,
        in records: [String: JournalRecord]
    ) throws -> JournalRecord {
        guard let record = records[work.path], record.isUndecided || record.decision != nil else {
            throw JobGraphError(
                .unknownOutcome,
                "the journal '\(work.journal)' has nothing to decide about '\(work.name)', or a run has used the "
                    + "decision; list what is left with unresolved(in:) and decided(in:)"
            )
        }
        return record
    }
}
