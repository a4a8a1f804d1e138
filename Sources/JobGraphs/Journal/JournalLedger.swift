// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// The state of one run with a journal: on disk, and a copy in memory.
final class JournalLedger: Sendable {
    private struct State {
        var records: [String: JournalRecord]
        var undos: [String: JournalUndo]
        /// A Boolean value that is true if the run has ended; later results of its work are not written.
        var isClosed = false
        /// A Boolean value that is true if the run has begun unsafe work, or resumes one that has stored any result.
        ///
        /// A stored result does not say whether unsafe work led to it.
        var hasUnsafeWork = false
        /// The ordinal of the work that finished last.
        var lastOrdinal = 0
    }

    let journal: RunJournal
    private let rows: JournalRows
    private let head: JournalHead
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    private init(
        _ journal: RunJournal,
        _ rows: JournalRows,
        _ head: JournalHead,
        _ state: consuming State,
        now: @escaping @Sendable () -> Date
    ) {
        self.journal = journal
        self.rows = rows
        self.head = head
        self.now = now
        self.state = Mutex(state)
    }

    /// Opens a journal for a run; starts over when the previous run succeeded.
    ///
    /// - Throws: ``JobGraphError`` when a record cannot be read; nothing has been changed in that case.
    static func open(
        _ journal: RunJournal,
        graph: String,
        _ rows: JournalRows,
        now: @escaping @Sendable () -> Date
    ) async throws -> JournalLedger {
        var head = JournalHead(graph: graph, status: .running, startedAt: now())
        var state = State(records: [:], undos: [:])
        if let before = try await rows.head(of: journal.name) {
            if before.status == .succeeded {
                try await rows.removeNodes(of: journal.name)
            } else {
                head.startedAt = before.startedAt
                state.records = try await rows.records(of: journal.name)
                state.undos = try await rows.undos(of: journal.name)
                state.lastOrdinal = state.records.values.lastOrdinal
                state.hasUnsafeWork = !state.records.isEmpty
            }
        }
        let ledger = JournalLedger(journal, rows, head, state, now: now)
        try await ledger.write(head)
        return ledger
    }

    /// Records how the run ended.
    func close(isSuccess: Bool) async throws {
        state.withLock { $0.isClosed = true }
        var head = head
        head.status = isSuccess ? .succeeded : .failed
        try await write(head)
    }

    private func write(_ head: JournalHead) async throws {
        try await rows.commit([try JournalRows.put(JournalRows.head(journal.name), head, at: now())])
    }

    // MARK: - Nodes

    /// Returns the record of a node.
    func record(of path: JournalPath) -> JournalRecord? {
        state.withLock { $0.records[path.key] }
    }

    /// Returns the stored result of a node.
    func result(
        _ record: JournalRecord,
        of path: JournalPath,
        as type: any Sendable.Type
    ) async throws -> any Sendable {
        let bytes = try await rows.result(record, of: path.key, in: journal)
        do {
            return try ResultCoding.decode(bytes, as: type)
        } catch {
            let reason = "it is not a \(type): \(DecodingReason.describe(error))"
            throw JournalCoding.damaged(record, reason, error)
        }
    }

    /// Records that a run uses a result that a person provided, so that the decision can no longer be changed.
    func use(_ record: JournalRecord, at path: JournalPath) async throws {
        guard record.decision != nil else {
            return
        }
        var used = record
        used.decision = nil
        used.expectation = nil
        used.idempotencyKey = nil
        used.ownKeys = nil
        try checkOpen()
        try await rows.commit([try JournalRows.refresh(nodeKey(path), used, at: now())])
        state.withLock { $0.records[path.key] = used }
    }

    /// Records that unsafe work of a node is about to begin.
    ///
    /// - Throws: `CancellationError` when the run has ended meanwhile: work without a record must not begin.
    func begin(_ record: JournalRecord, at path: JournalPath) async throws {
        try checkOpen()
        try await rows.commit([try JournalRows.put(nodeKey(path), record, at: now())])
        state.withLock { state in
            state.records[path.key] = record
            state.hasUnsafeWork = true
        }
    }

    /// A Boolean value that is true if the run may have done unsafe work, or an earlier one that it resumed.
    var hasUnsafeWork: Bool { state.withLock(\.hasUnsafeWork) }

    /// Stores the result of a node; returns the digest of the result.
    func finish(_ path: JournalPath, inputs: String, _ value: any Sendable) async throws -> String {
        let bytes = try ResultCoding.encode(value)
        let finished = JournalRecord(
            name: path.name,
            state: .finished,
            inputs: inputs,
            output: ResultCoding.digest(bytes),
            codec: journal.codec.identifier
        )
        let (record, isNews) = state.withLock { state in
            var record = finished
            record.ordinal = state.records[path.key]?.ordinal
            guard !state.isClosed, state.records[path.key] != record else {
                return (record, false)
            }
            state.lastOrdinal += 1
            record.ordinal = state.lastOrdinal
            return (record, true)
        }
        if isNews {
            try await rows.commit([try JournalRows.putResult(bytes, record, of: path.key, in: journal, at: now())])
            state.withLock { $0.records[path.key] = record }
        }
        return record.output ?? ""
    }

    /// Removes the record of a node, but not the records of nodes inside it.
    func forget(_ path: JournalPath) async throws {
        try checkOpen()
        try await rows.commit([.remove(key: nodeKey(path), condition: .any)])
        state.withLock { $0.records[path.key] = nil }
    }

    /// Rejects records of work that outlives its run, because another run may already use the journal.
    private func checkOpen() throws {
        if state.withLock({ $0.isClosed }) {
            throw CancellationError()
        }
    }

    private func nodeKey(_ path: JournalPath) -> String { nodeKey(path.key) }
    private func nodeKey(_ key: String) -> String { JournalRows.nodes(journal.name) + key }

    // MARK: - Compensation

    /// Returns the record of the compensation of the graph at a path; `nil` when the graph may run.
    func undo(at path: JournalPath) -> JournalUndo? {
        state.withLock { $0.undos[path.key] }
    }

    /// Records that the compensation of a graph begins.
    func begin(_ undo: JournalUndo, at path: JournalPath) async throws {
        try checkOpen()
        try await rows.commit([try JournalRows.put(undoKey(path), undo, at: now())])
        state.withLock { $0.undos[path.key] = undo }
    }

    /// Records that a node was compensated.
    ///
    /// Removes the records inside it. Its own result stays until the last compensation has succeeded, because others
    /// may need it.
    func compensated(_ node: String, by compensation: JournalPath, at path: JournalPath) async throws {
        try checkOpen()
        let place = path.node(node)
        let (keys, undo) = state.withLock { state in
            var undo = state.undos[path.key]
            undo?.nodes.removeAll { $0 == node }
            let undone = (undo?.undone ?? []) + [node]
            undo?.undone = undone
            var results: Set<String> = []
            if undo?.nodes.isEmpty ?? true {
                results = Set(undone.map { path.node($0).key })
            }
            let keys = state.records.keys.filter {
                $0 == compensation.key || place.holds($0) || results.contains($0)
            }
            return (keys, undo)
        }
        var steps = keys.map { RowStep.remove(key: nodeKey($0), condition: .any) }
        let isLast = undo?.nodes.isEmpty ?? true
        if let undo, !isLast {
            steps.append(try JournalRows.put(undoKey(path), undo, at: now()))
        } else {
            steps.append(.remove(key: undoKey(path), condition: .any))
        }
        try await rows.commit(steps)
        state.withLock { state in
            for key in keys {
                state.records[key] = nil
            }
            state.undos[path.key] = isLast ? nil : undo
        }
    }

    private func undoKey(_ path: JournalPath) -> String { JournalRows.undos(journal.name) + path.key }
}
