// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

final class JournalLedger: Sendable {
    private struct State {
        var records: [String: JournalRecord]
        var undos: [String: JournalUndo]
        /// A Boolean value that is true if the run has ended; later results of its work are not written.
        var isClosed = false
        /// True if the run has begun unsafe work, or resumes one with a result, to which such work may have led.
        var hasUnsafeWork = false
        var lastOrdinal = 0
        var hasChanged = false
        var endings: [String: JournalHead.Ending] = [:]
    }

    let journal: RunJournal
    let halt = RunHalt()
    private let rows: JournalRows
    private let head: JournalHead
    private let now: @Sendable () -> Date
    private let words: @Sendable (any Error) -> String
    /// The records that a run that starts over leaves behind, by the keys of their paths.
    private let obsolete: [String]
    private let hadSucceeded: Bool
    private let isNew: Bool
    /// The keys of the paths of work that was undecided, or decided and not used, when the journal was opened.
    private let inherited: [String]
    private let state: Mutex<State>

    /// Opens a journal for a run, and changes nothing yet; see ``begin()``.
    init(
        _ journal: RunJournal,
        graph: String,
        origin: String?,
        _ rows: JournalRows,
        now: @escaping @Sendable () -> Date,
        words: @escaping @Sendable (any Error) -> String
    ) async throws {
        var head = JournalHead(graph: graph, status: .running, startedAt: now(), origin: origin)
        var state = State(records: [:], undos: [:])
        var (obsolete, hadSucceeded, isNew): ([String], Bool, Bool) = ([], false, true)
        if let before = try await rows.head(of: journal.name) {
            try before.check(graph, in: journal.name)
            isNew = false
            (head.place, head.request, head.codec) = (before.place, before.request, before.codec)
            state.records = try await rows.records(of: journal.name)
            hadSucceeded = before.status == .succeeded && journal.afterSuccess == .keep
            if before.status == .succeeded, !hadSucceeded {
                // Nobody has decided what came of the work, or nobody has used the decision. What stood in for the real
                // thing does not concern a real run.
                if origin != nil {
                    let real = state.records.filter { $0.value.isKept && $0.value.origin == nil }
                    try WorkOrigin.check(real, of: journal.name, nil, for: origin)
                }
                let kept = state.records.filter { $0.value.isKept && $0.value.origin == origin }
                obsolete = state.records.keys.filter { kept[$0] == nil }
                state.records = kept
            } else {
                try WorkOrigin.check(state.records, of: journal.name, before.origin, for: origin)
                head.startedAt = before.startedAt
                head.endings = before.endings
                state.undos = try await rows.undos(of: journal.name)
                state.hasUnsafeWork = !state.records.isEmpty
            }
            state.lastOrdinal = state.records.values.lastOrdinal
        }
        self.journal = journal
        self.rows = rows
        self.head = head
        self.now = now
        self.words = words
        self.obsolete = obsolete
        self.hadSucceeded = hadSucceeded
        self.isNew = isNew
        inherited = state.records.filter(\.value.isKept).map(\.key)
        self.state = Mutex(state)
    }

    /// Records that the run begins; one that starts over removes what an earlier one left.
    func begin() async throws {
        try await rows.commit(
            obsolete.map { .remove(key: nodeKey($0), condition: .any) } + [
                isNew ? try JournalRows.put(JournalRows.head(journal.name), head, at: now()) : try refresh(head)
            ]
        )
    }

    /// Records the end of the run, and gives its claim back with the same commit.
    func close(isSuccess: Bool, because reason: String? = nil) async throws {
        var head = head
        state.withLock { state in
            state.isClosed = true
            if isSuccess {
                head.endings = state.endings.isEmpty ? nil : state.endings
            }
        }
        head.status = isSuccess ? .succeeded : .failed
        head.reason = isSuccess ? nil : reason
        var steps = [try refresh(head)]
        if let place = head.place {
            // Whoever called for it has done what waited in the queue.
            steps.append(.remove(key: place.key(of: journal.name), condition: .any))
        }
        try await rows.end(steps)
    }

    private func refresh(_ head: JournalHead) throws -> RowStep {
        try JournalRows.refresh(head, of: journal.name, at: now())
    }

    /// Waits until work that must not be done twice may begin: nobody else has the run.
    func trusted() async throws {
        try await rows.claim?.trusted()
    }

    /// A Boolean value that is true if the run did nothing but return the results of one that had succeeded.
    var isStored: Bool { hadSucceeded && !state.withLock(\.hasChanged) }

    // MARK: - Undecided work

    var undecided: [(key: String, record: JournalRecord)] {
        records(of: inherited) { $0.isUndecided }
    }

    /// Returns true if no run has used a decision about something inside the node at a path.
    func hasDecision(inside path: JournalPath) -> Bool {
        !inherited.isEmpty && !records(of: inherited.filter(path.holds)) { $0.decision != nil }.isEmpty
    }

    /// Returns true if something inside the node at a path waits for a decision, or for a run that uses one.
    func hasUndecided(inside path: JournalPath) -> Bool {
        !inherited.isEmpty && !records(of: inherited.filter(path.holds), where: \.isKept).isEmpty
    }

    private func records(
        of keys: [String],
        where isWanted: (JournalRecord) -> Bool
    ) -> [(key: String, record: JournalRecord)] {
        guard !keys.isEmpty else {
            return []
        }
        return state.withLock { state in
            keys.compactMap { key in state.records[key].map { (key, $0) } }.filter { isWanted($0.1) }
        }
    }

    // MARK: - Ignored failures

    /// Returns the failure that a node had when the run succeeded nevertheless, unless its inputs differ.
    func ending(of entry: JournalEntry) -> JournalHead.Ending? {
        head.endings?[entry.path.key].flatMap { $0.inputs == entry.inputs ? $0 : nil }
    }

    func note(_ error: any Error, of entry: JournalEntry) {
        let code = (error as? JobGraphError)?.code
        guard code != .unknownOutcome else {
            // Its record says more.
            return
        }
        let stored = code == .earlierFailure ? ending(of: entry) : nil
        let ending = stored ?? JournalHead.Ending(inputs: entry.inputs, failure: words(error))
        state.withLock { $0.endings[entry.path.key] = ending }
    }

    func noteWork(endedWith error: any Error) {
        // What waits for a decision was not done.
        if (error as? JobGraphError)?.code != .unknownOutcome {
            state.withLock { $0.hasChanged = true }
        }
    }

    // MARK: - Nodes

    func record(of path: JournalPath) -> JournalRecord? {
        state.withLock { $0.records[path.key] }
    }

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
    func use(_ record: JournalRecord, at path: JournalPath, inputs: String) async throws {
        guard record.decision != nil else {
            return
        }
        var used = record
        used.inputs = inputs
        used.decision = nil
        used.expectation = nil
        used.idempotencyKey = nil
        used.ownKeys = nil
        used.openParts = nil
        used.doneParts = nil
        try checkOpen()
        if inputs == record.inputs {
            try await rows.commit([try JournalRows.refresh(nodeKey(path), used, at: now())])
        } else {
            // A sealed result is bound to the inputs.
            let bytes = try await rows.result(record, of: path.key, in: journal)
            try await rows.commit([try rows.putResult(bytes, used, of: path.key, in: journal, at: now())])
        }
        state.withLock { state in
            state.records[path.key] = used
            state.hasChanged = true
        }
    }

    /// Records that unsafe work of a node is about to begin; throws `CancellationError` when the run has ended.
    func begin(_ record: JournalRecord, at path: JournalPath) async throws {
        try checkOpen()
        try await rows.commit([try JournalRows.put(nodeKey(path), record, at: now())])
        state.withLock { state in
            state.records[path.key] = record
            state.hasUnsafeWork = true
            state.hasChanged = true
        }
    }

    // MARK: - Results of work done once

    func bytes(of result: some Sendable, _ part: String, at path: JournalPath) throws -> Data {
        try rows.encode(ResultCoding.encode(result, words: words), of: part, at: path, in: journal)
    }

    func result(
        of part: String,
        _ stored: JournalRecord.Part,
        at path: JournalPath,
        as type: any Sendable.Type
    ) throws -> any Sendable {
        do {
            return try ResultCoding.decode(rows.decode(stored, of: part, at: path.key, in: journal), as: type)
        } catch {
            throw JournalCoding.damaged(
                "the work that '\(path.name)' did once",
                "its result is not a \(type): \(DecodingReason.describe(error))",
                error
            )
        }
    }

    // MARK: - Results

    /// A Boolean value that is true if the run may have done unsafe work, or an earlier one that it resumed.
    var hasUnsafeWork: Bool { state.withLock(\.hasUnsafeWork) }

    /// Stores the result of a node, and its origin; returns the digest of the result.
    func finish(
        _ path: JournalPath,
        inputs: String,
        _ value: any Sendable,
        origin: String? = nil
    ) async throws -> String {
        let bytes = try ResultCoding.encode(value, words: words)
        let finished = JournalRecord(
            name: path.name,
            state: .finished,
            inputs: inputs,
            output: ResultCoding.digest(bytes),
            codec: journal.codec.identifier,
            origin: origin
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
            try await rows.commit([try rows.putResult(bytes, record, of: path.key, in: journal, at: now())])
            state.withLock { state in
                state.records[path.key] = record
                state.hasChanged = true
            }
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

    func undo(at path: JournalPath) -> JournalUndo? {
        state.withLock { $0.undos[path.key] }
    }

    func begin(_ undo: JournalUndo, at path: JournalPath) async throws {
        try checkOpen()
        try await rows.commit([try JournalRows.put(undoKey(path), undo, at: now())])
        state.withLock { $0.undos[path.key] = undo }
    }

    /// Records that a node was compensated, and removes the records inside it, except those of work whose outcome
    /// nobody knows; its result stays until the last compensation has succeeded, because others may need it.
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
            let keys = state.records
                .filter { key, record in
                    key == compensation.key || results.contains(key) || (place.holds(key) && !record.isKept)
                }
            return (keys.map(\.key), undo)
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
