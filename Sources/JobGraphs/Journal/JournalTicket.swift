// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// Lets the unsafe requests of a node go out only when they can be found again after a crash.
final class JournalTicket: Sendable {
    private struct State {
        /// True if the record is on the disk.
        var isRecorded: Bool
        /// The keys that requests brought with them, by what tells the requests of the node apart.
        var ownKeys: [String: String]
        /// The number of requests that had their effect, or may have had it.
        var effects: Int
    }

    private let ledger: JournalLedger
    private let entry: JournalEntry
    /// The prefix of the keys of the node's requests; no other node of any run has the same.
    private let key: String
    private let state: Mutex<State>

    /// Makes a ticket.
    ///
    /// - Parameters:
    ///   - ledger: What keeps the record.
    ///   - entry: What sends the requests.
    ///   - unknown: The record of requests that went out before and whose outcome is unknown.
    init(_ ledger: JournalLedger, _ entry: JournalEntry, _ unknown: JournalRecord?) {
        self.ledger = ledger
        self.entry = entry
        key = unknown?.idempotencyKey ?? UUID().uuidString
        state = Mutex(
            State(isRecorded: unknown != nil, ownKeys: unknown?.ownKeys ?? [:], effects: unknown == nil ? 0 : 1)
        )
    }

    /// The key of a request, and whether it stands above one that the request brings with it.
    func key(of part: String) -> (value: String, isForced: Bool) {
        // A request that is made anew may bring another key each time; what is repeated must have the first one.
        if let own = state.withLock({ $0.ownKeys[part] }) {
            return (own, true)
        }
        return (key + part, false)
    }

    /// Does unsafe work once its record is stored.
    ///
    /// - Parameters:
    ///   - part: Tells the work apart from the other work of the node.
    ///   - sent: The key that the work goes out with.
    ///   - hadNoEffect: Returns true if work that ended like this changed nothing.
    ///   - work: The work.
    /// - Returns: The result of the work.
    /// - Throws: What the work throws, or why its record could not be stored.
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
            ownKeys: ownKeys.isEmpty ? nil : ownKeys
        )
        try await ledger.begin(record, at: entry.path)
        state.withLock { state in
            state.isRecorded = true
            state.ownKeys.merge(ownKeys) { old, _ in old }
        }
    }

    /// Removes the record when the node failed and nothing that it sent had an effect: the next run may send it again.
    ///
    /// When that cannot be stored, the record stays, and the outcome counts as unknown: that is safe, and what the node
    /// failed with says more than this would.
    func giveBack() async {
        if state.withLock({ $0.isRecorded && $0.effects == 0 }) {
            try? await ledger.forget(entry.path)
        }
    }
}
