// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// Allows the unsafe work of a node only when it can be identified after a crash.
final class JournalTicket: Sendable {
    private struct State {
        /// A Boolean value that is true if the record is on disk.
        var isRecorded: Bool
        /// The keys that unsafe work supplied itself, by the part that identifies each piece of work.
        var ownKeys: [String: String]
        /// The number of pieces of work that had an effect, or may have had one.
        var effects: Int
        /// The work that succeeded, and that another attempt of the node would do again.
        var pending: [UnsafeEffects.Work] = []
        /// The results that later attempts of the node use again, by the part that identifies each piece of work.
        var results: [String: (value: any Sendable, lastNumber: Int)] = [:]
    }

    private let ledger: JournalLedger
    private let entry: JournalEntry
    /// The prefix of the keys of the node's unsafe work; it is unique to this node among all runs.
    private let key: String
    /// The counts of the nodes around the node.
    private let outer = UnsafeEffects.current
    private let state: Mutex<State>

    /// Creates a ticket.
    ///
    /// - Parameters:
    ///   - ledger: The ledger that holds the record.
    ///   - entry: The entry whose work it is.
    ///   - unknown: The record of earlier work whose outcome is unknown.
    init(_ ledger: JournalLedger, _ entry: JournalEntry, _ unknown: JournalRecord?) {
        self.ledger = ledger
        self.entry = entry
        key = unknown?.idempotencyKey ?? UUID().uuidString
        state = Mutex(
            State(isRecorded: unknown != nil, ownKeys: unknown?.ownKeys ?? [:], effects: unknown == nil ? 0 : 1)
        )
    }

    /// Returns the key of work; `isForced` is true if it overrides a key that the work supplies.
    func key(of part: String) -> (value: String, isForced: Bool) {
        // Work may supply a new key each time it is made; repeated work must use the first one.
        if let own = state.withLock({ $0.ownKeys[part] }) {
            return (own, true)
        }
        return (key + part, false)
    }

    /// Does unsafe work once its record is stored.
    ///
    /// - Parameters:
    ///   - part: Identifies the work among the other work of the node.
    ///   - sent: The key with which the work is sent.
    ///   - hadNoEffect: Returns true if work with the given result changed nothing.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: The error of the work, or the error that prevented its record from being stored.
    func perform<Value: Sendable>(
        _ part: String,
        key sent: String?,
        hadNoEffect: (Result<Value, any Error>) -> Bool,
        _ work: () async throws -> Value
    ) async throws -> Value {
        try await record(part, sent)
        state.withLock { $0.effects += 1 }
        let result: Result<Value, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        if hadNoEffect(result) {
            state.withLock { $0.effects -= 1 }
        }
        return try result.get()
    }

    /// Takes over the count of work that succeeded without a result of its own in the journal.
    ///
    /// Another attempt of the node would do the work again, so it counts as long as there may be one, unless the policy
    /// for unknown outcomes allows that.
    ///
    /// - Parameter work: The work.
    func hold(_ work: UnsafeEffects.Work) {
        if entry.unknownOutcome == .repeatWithSameKey {
            work.endWithoutEffect()
        } else {
            state.withLock { $0.pending.append(work) }
        }
    }

    /// Ends the count of work whose result is kept for other attempts of the node; those of the nodes around it later.
    func endKept(_ work: UnsafeEffects.Work) {
        let (outer, own) = work.divided(by: outer)
        own.endWithoutEffect()
        hold(outer)
    }

    /// Ends the counts of the work that succeeded, once the result of the node is stored, with which an attempt of a
    /// node around it resumes.
    func endPendingWork() {
        let pending = state.withLock { state in
            defer { state.pending = [] }
            return state.pending
        }
        for work in pending {
            work.endWithoutEffect()
        }
    }

    /// Returns the result that an earlier attempt of the node kept, and the number of the last work inside of it.
    func result<Value: Sendable>(of part: String, as type: Value.Type) -> (value: Value, lastNumber: Int)? {
        state.withLock { $0.results[part] }
            .flatMap { kept in (kept.value as? Value).map { ($0, kept.lastNumber) } }
    }

    /// Keeps a result for later attempts of the node, and the number of the last work inside of it.
    func keep(_ result: some Sendable, of part: String, lastNumber: Int) {
        state.withLock { $0.results[part] = (result, lastNumber) }
    }

    private func record(_ part: String, _ sent: String?) async throws {
        let ownKeys = state.withLock { state -> [String: String]? in
            var keys = state.ownKeys
            if let sent, sent != key + part {
                keys[part] = sent
            }
            return state.isRecorded && keys == state.ownKeys ? nil : keys
        }
        guard let ownKeys else {
            return
        }
        let record = JournalRecord(
            name: entry.path.name,
            state: .started,
            inputs: entry.inputs,
            idempotencyKey: key,
            ownKeys: ownKeys.isEmpty ? nil : ownKeys,
            expectation: JournalRecord.Expectation(
                codec: ledger.journal.codec.identifier,
                type: String(describing: entry.output),
                nothing: ResultCoding.textOfNothing(as: entry.output)
            )
        )
        try await ledger.begin(record, at: entry.path)
        state.withLock { state in
            state.isRecorded = true
            state.ownKeys.merge(ownKeys) { old, _ in old }
        }
    }

    /// Removes the record when the node failed and nothing that it sent had an effect: the next run may send it again.
    ///
    /// When the removal cannot be stored, the record stays, and the outcome counts as unknown: that is safe, and the
    /// node's own error says more than this one would.
    func giveBack() async {
        if state.withLock({ $0.isRecorded && $0.effects == 0 }) {
            try? await ledger.forget(entry.path)
        }
    }
}
