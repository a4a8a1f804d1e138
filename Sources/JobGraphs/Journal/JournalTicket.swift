// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore
import Synchronization

/// Allows the unsafe work of a node only when it can be identified after a crash.
final class JournalTicket: Sendable {
    private struct State {
        /// The pieces of work in the record on disk, and their own keys; `nil` if this run has no record yet.
        var recorded: (open: Set<String>, ownKeys: [String: String])?
        /// The keys that unsafe work supplied itself, by the part that identifies each piece of work.
        var ownKeys: [String: String] = [:]
        /// The number of times that each piece of work had an effect, or may have had one, as long as no result says
        /// so.
        var effects: [String: Int] = [:]
        var done: [String: JournalRecord.Part] = [:]
        /// The last writing of the record; the next one waits for it.
        var writing: Task<Void, any Error>?
        /// The work that succeeded, and that another attempt of the node would do again, with the part that identifies
        /// it; `nil` for work whose result is kept, but not for the nodes around this one.
        var pending: [(part: String?, work: UnsafeEffects.Work)] = []
        /// The results that later attempts of the node use again, by the part that identifies each piece of work.
        var results: [String: (value: any Sendable, lastNumber: Int)] = [:]

        /// The pieces of work whose outcome is unknown.
        var open: Set<String> { Set(effects.keys) }

        mutating func end(_ part: String) {
            let count = (effects[part] ?? 1) - 1
            effects[part] = count > 0 ? count : nil
        }
    }

    private let ledger: JournalLedger
    private let entry: JournalEntry
    /// The prefix of the keys of the node's unsafe work; it is unique to this node among all runs.
    private let key: String
    private let outer = UnsafeEffects.current
    private let origin: WorkOrigin
    private let state: Mutex<State>

    /// Stands for the work in a record of an older release; no work of its own has this name.
    private static let unknownPart = "?"

    init(_ ledger: JournalLedger, _ entry: JournalEntry, _ begun: JournalRecord?) {
        self.ledger = ledger
        self.entry = entry
        origin = WorkOrigin(begun?.origin)
        var state = State()
        state.done = begun?.doneParts ?? [:]
        // Work that is not unknown, like that which was marked as not done, gets a new key.
        let unknown = begun.flatMap { $0.isUndecided ? $0 : nil }
        if let unknown {
            for part in unknown.openParts ?? [Self.unknownPart] {
                state.effects[part] = 1
            }
            state.ownKeys = unknown.ownKeys ?? [:]
            state.recorded = (state.open, state.ownKeys)
        }
        key = unknown?.idempotencyKey ?? UUID().uuidString
        self.state = Mutex(state)
    }

    /// Returns the key of work; `isForced` is true if it overrides a key that the work supplies.
    func key(of part: String) -> (value: String, isForced: Bool) {
        // Work may supply a new key each time it is made; repeated work must use the first one.
        if let own = state.withLock({ $0.ownKeys[part] }) {
            return (own, true)
        }
        return (key + part, false)
    }

    func perform<Value: Sendable>(
        _ part: String,
        key sent: String?,
        hadNoEffect: (Result<Value, any Error>) -> Bool,
        _ work: () async throws -> Value
    ) async throws -> Value {
        try await record(part, sent)
        do {
            try await ledger.trusted()
        } catch {
            state.withLock { $0.end(part) }
            throw error
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await work())
        } catch {
            result = .failure(error)
        }
        if hadNoEffect(result) {
            state.withLock { $0.end(part) }
        }
        return try result.get()
    }

    // MARK: - Counts

    /// Takes over the count of work that succeeded without a result of its own in the journal: another attempt of the
    /// node would do it again, unless the policy for unknown outcomes allows that.
    func hold(_ work: UnsafeEffects.Work, of part: String? = nil) {
        if entry.unknownOutcome == .repeatWithSameKey {
            work.endWithoutEffect()
        } else {
            state.withLock { $0.pending.append((part, work)) }
        }
    }

    /// Ends the counts of work that was held, once another attempt of the node goes on with what was kept of it.
    func endHeld(_ part: String) {
        let held = state.withLock { state in
            let held = state.pending.filter { $0.part == part }
            state.pending.removeAll { $0.part == part }
            return held
        }
        for (_, work) in held {
            endKept(work)
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
        for (_, work) in pending {
            work.endWithoutEffect()
        }
    }

    // MARK: - Results

    /// Returns the result that an earlier attempt or run kept; throws if it cannot be read, so that nothing is done
    /// twice.
    func result<Value: Sendable>(of part: String, as type: Value.Type) throws -> (value: Value, lastNumber: Int)? {
        let (kept, stored) = state.withLock { ($0.results[part], $0.done[part]) }
        if let kept, let value = kept.value as? Value {
            return (value, kept.lastNumber)
        }
        guard let stored else {
            return nil
        }
        guard stored.isValid else {
            throw JournalCoding.damaged("'\(entry.path.name)'", "work done once has no number \(stored.lastNumber)")
        }
        let value = try ledger.result(of: part, stored, at: entry.path, as: type)
        let own: Value = try TypedValue.cast(
            value,
            orThrow: JournalCoding.damaged("'\(entry.path.name)'", "the result of work done once is not a \(type)")
        )
        return (own, stored.lastNumber)
    }

    /// Keeps a result for later attempts of the node, also those of later runs if it can be stored.
    func keep<Value: Sendable>(
        _ result: Value,
        of part: String,
        inside: [String],
        lastNumber: Int,
        isSecret: Bool = false
    ) async {
        state.withLock { $0.results[part] = (result, lastNumber) }
        guard !isSecret || ledger.journal.codec.isSealed, ResultCoding.canStore(Value.self),
            let bytes = try? ledger.bytes(of: result, part, at: entry.path)
        else {
            return
        }
        state.withLock { state in
            for name in [part] + inside {
                state.effects[name] = nil
            }
            state.done[part] = JournalRecord.Part(value: bytes, lastNumber: lastNumber)
        }
        // If it cannot be stored, the record on disk says that the outcome is unknown, which is safe.
        try? await write()
    }

    /// Forgets the result of a piece of work; if its outcome is unknown, it is repeated only with the key that it had.
    func forget(_ part: String, isUnknown: Bool, key: String?) async {
        state.withLock { state in
            state.results[part] = nil
            state.done[part] = nil
            state.effects[part] = isUnknown ? 1 : nil
            if isUnknown, let key, key != self.key + part {
                state.ownKeys[part] = key
            }
        }
        // If it cannot be stored, the next run asks for the same result again.
        try? await write()
    }

    // MARK: - The record

    private func record(_ part: String, _ sent: String?) async throws {
        let isRecorded = state.withLock { state in
            state.effects[part, default: 0] += 1
            if let sent, sent != key + part {
                state.ownKeys[part] = state.ownKeys[part] ?? sent
            }
            return state.recorded.map { $0.open.contains(part) && $0.ownKeys == state.ownKeys } ?? false
        }
        guard !isRecorded else {
            return
        }
        do {
            try await write()
        } catch {
            state.withLock { $0.end(part) }
            throw error
        }
    }

    /// Writes the record as it is by then, after all writing that was requested before: pieces of work may run at once.
    private func write() async throws {
        let task = state.withLock { state in
            let task = Task { [previous = state.writing] in
                _ = await previous?.result
                let (record, recorded) = self.state.withLock { state in
                    (self.record(state), (open: state.open, ownKeys: state.ownKeys))
                }
                if let record {
                    try await self.ledger.begin(record, at: self.entry.path)
                    self.state.withLock { $0.recorded = recorded }
                } else {
                    try await self.ledger.forget(self.entry.path)
                    self.state.withLock { $0.recorded = nil }
                }
            }
            state.writing = task
            return task
        }
        try await task.value
    }

    /// Returns the record of the work; `nil` if nothing is known or unknown of it.
    private func record(_ state: State) -> JournalRecord? {
        let (open, done) = (state.open, state.done)
        guard !open.isEmpty || !done.isEmpty else {
            return nil
        }
        return JournalRecord(
            name: entry.path.name,
            state: .started,
            inputs: entry.inputs,
            idempotencyKey: key,
            ownKeys: state.ownKeys.isEmpty ? nil : state.ownKeys,
            openParts: open.sorted(),
            doneParts: done.isEmpty ? nil : done,
            expectation: JournalRecord.Expectation(
                codec: ledger.journal.codec.identifier,
                type: String(describing: entry.output),
                nothing: ResultCoding.textOfNothing(as: entry.output)
            ),
            origin: origin.word
        )
    }

    /// Does the work of the node, and stores the origin of what it got with the record of what it has begun.
    func trace<Value: Sendable>(_ work: () async throws -> Value) async throws -> (value: Value, origin: String?) {
        do {
            let value = try await origin.trace(work)
            return (value, origin.word)
        } catch {
            if origin.word != nil, state.withLock({ $0.recorded != nil }) {
                try? await write()
            }
            throw error
        }
    }

    /// Takes out of the record, when the node failed, what had no effect: the next run may do it again; when that
    /// cannot be stored, the outcome counts as unknown, which is safe.
    func giveBack() async {
        if state.withLock({ state in state.recorded.map { $0.open != state.open } ?? false }) {
            try? await write()
        }
    }
}
