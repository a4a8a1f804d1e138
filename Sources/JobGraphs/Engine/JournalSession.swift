// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

final class JournalSession: Sendable {
    let ledger: JournalLedger
    let path: JournalPath
    private let base: String
    private let outputs = Mutex<[Int: String]>([:])

    init(_ ledger: JournalLedger, at path: JournalPath = .root, base: String = "") {
        self.ledger = ledger
        self.path = path
        self.base = base
    }

    /// Returns the session of the graph inside of a node or of an element.
    func session(inside context: NodeContext) -> JournalSession {
        let entry = context.element ?? self.entry(of: context.index, context.engine.program)
        return JournalSession(ledger, at: entry.path, base: entry.inputs)
    }

    // MARK: - Entries

    private func entry(of node: Int, _ program: GraphProgram) -> JournalEntry {
        let sources = program.sources[node] ?? []
        let digests = outputs.withLock { outputs in sources.map { outputs[$0] ?? "none" } }
        let path = path.node(program.name(of: node))
        return JournalEntry(
            path: path,
            inputs: ResultCoding.digest([base, path.key] + digests),
            output: program.output(of: node),
            unknownOutcome: policy(of: node, program)
        )
    }

    /// Returns the entry of an element of a loop; its inputs are its own value and the values that every element
    /// receives, so that other elements do not matter.
    func entry<Element: Sendable, Output: Sendable>(
        of element: Element,
        at index: Int,
        in elementLoop: ElementLoop,
        _ seen: inout [String: Int],
        _ output: Output.Type,
        _ context: NodeContext
    ) -> JournalEntry {
        let loop = entry(of: context.index, context.engine.program)
        let (value, inputs, earlier): ([String], [String], [String])
        if let identity = ResultCoding.identity(of: element, isPair: elementLoop.hasPairs) {
            let others = outputs.withLock { outputs in elementLoop.inputs.map { outputs[$0] ?? "none" } }
            value = [loop.path.key, "element"] + identity
            inputs = [base] + others
            earlier = [base] + value + others
        } else {
            value = [loop.path.key, "place", "\(index)"]
            inputs = [loop.inputs]
            earlier = [loop.inputs, "place", "\(index)"]
        }
        let digest = ResultCoding.digest(value)
        let count = seen[digest, default: 0]
        seen[digest] = count + 1
        func named(_ name: String, _ inputs: String) -> JournalEntry {
            JournalEntry(
                path: loop.path.element(name, at: index),
                inputs: inputs,
                output: output,
                unknownOutcome: loop.unknownOutcome
            )
        }
        let former = ResultCoding.digest([ResultCoding.digest(earlier), "\(count)"])
        let formerEntry = named(former, former)
        if ledger.record(of: formerEntry.path) != nil {
            // Older releases knew elements by their inputs too.
            return formerEntry
        }
        let name = ResultCoding.digest([digest, "\(count)"])
        return named(name, ResultCoding.digest([name] + inputs))
    }

    private func policy(of node: Int, _ program: GraphProgram) -> UnknownOutcome {
        program.options[node]?.unknownOutcome ?? ledger.journal.unknownOutcome
    }

    func isFinished(_ node: Int, _ program: GraphProgram) -> Bool {
        isFinished(entry(of: node, program))
    }

    func isFinished(_ entry: JournalEntry) -> Bool {
        ledger.record(of: entry.path).map { isFinal($0, entry) } ?? false
    }

    /// Returns true if a record holds the result of an entry, as one that a person provided does whatever the inputs
    /// are now; a node waits for a decision about something inside of it.
    private func isFinal(_ record: JournalRecord, _ entry: JournalEntry) -> Bool {
        guard record.state == .finished else {
            return false
        }
        return record.decision != nil
            || (record.inputs == entry.inputs && !ledger.hasDecision(inside: entry.path))
    }

    // MARK: - Work

    func perform(
        _ context: NodeContext,
        _ work: (NodeContext) async throws -> any Sendable
    ) async throws -> any Sendable {
        let program = context.engine.program
        let entry = entry(of: context.index, program)
        let isInput = program.kind(of: context.index) == .input
        let (value, digest) =
            isInput ? try await keep(try await work(context), entry) : try await perform(entry, context, work)
        outputs.withLock { $0[context.index] = digest }
        return value
    }

    /// Notes the failures of nodes that a run ignored, before it is closed as a success; a cancelled node was not done,
    /// so the next run does it.
    func noteFailures(of engine: GraphEngine) {
        for (node, result) in engine.state.withLock({ $0.records.results }).enumerated() {
            if let error = result.error {
                ledger.note(error, of: entry(of: node, engine.program))
            }
        }
    }

    /// Stores a value that is known before the run, again for each run.
    private func keep(_ value: any Sendable, _ entry: JournalEntry) async throws -> (any Sendable, String) {
        let record = ledger.record(of: entry.path)
        if let record, record.isUndecided {
            throw unknown(record, "and it is an input now; call journals.markDone or journals.markNotDone first")
        }
        if let record,
            let stored = try? await ledger.result(record, of: entry.path, as: entry.output),
            Self.areEqual(stored, value)
        {
            // Equal values may have different encodings, for example if their type encodes the members of a set itself.
            return (value, record.output ?? "")
        }
        return (value, try await ledger.finish(entry.path, inputs: entry.inputs, value))
    }

    private static func areEqual(_ first: any Sendable, _ second: any Sendable) -> Bool {
        func compare<Value: Equatable>(_ first: Value) -> Bool { first == second as? Value }
        return (first as? any Equatable).map { compare($0) } ?? false
    }

    func perform(
        _ entry: JournalEntry,
        _ context: NodeContext,
        _ work: (NodeContext) async throws -> any Sendable
    ) async throws -> (value: any Sendable, digest: String) {
        let record = ledger.record(of: entry.path)
        if let record, isFinal(record, entry) {
            let value = try await ledger.result(record, of: entry.path, as: entry.output)
            try await ledger.use(record, at: entry.path, inputs: entry.inputs)
            context.note?.update { $0.isResumed = true }
            return (value, record.output ?? "")
        }
        let begun = record?.state == .started ? record : nil
        if let begun, begun.isUndecided {
            if let value = try settle(begun, entry) {
                let digest = try await ledger.finish(entry.path, inputs: entry.inputs, value, origin: begun.origin)
                return (value, digest)
            }
        } else if begun?.decision == nil, path == .root, !ledger.hasUndecided(inside: entry.path),
            let ending = ledger.ending(of: entry)
        {
            context.note?.update { $0.isResumed = true }
            throw ending.error
        }
        let ticket = JournalTicket(ledger, entry, begun)
        var context = context
        context.ticket = ticket
        do {
            let (value, origin) = try await ticket.trace { try await work(context) }
            let digest = try await ledger.finish(entry.path, inputs: entry.inputs, value, origin: origin)
            ticket.endPendingWork()
            return (value, digest)
        } catch {
            if !(error is NothingToDo) {
                ledger.noteWork(endedWith: error)
            }
            await ticket.giveBack()
            throw error
        }
    }

    /// Applies the policy for unsafe work whose outcome is unknown; `nil` when the work must be repeated.
    private func settle(_ record: JournalRecord, _ entry: JournalEntry) throws -> (any Sendable)? {
        switch entry.unknownOutcome {
        case .repeatWithSameKey:
            return nil
        case .fail:
            throw unknown(
                record,
                "find out its outcome, then call journals.markDone or journals.markNotDone, or set a policy"
            )
        case .treatAsDone:
            guard let value = ResultCoding.nothing(as: entry.output) else {
                throw unknown(record, "it cannot be treated as done, because others need its \(entry.output)")
            }
            return value
        }
    }

    func unknown(_ record: JournalRecord, _ advice: String) -> JobGraphError {
        let key = record.idempotencyKey.map { " with the key \($0)" } ?? ""
        return JobGraphError(
            .unknownOutcome,
            "unsafe work of '\(record.name)' was begun in the run '\(ledger.journal.name)'\(key), and its outcome is "
                + "unknown; \(advice)"
        )
    }

    // MARK: - Compensation

    func record(of node: JobNode) -> JournalRecord? {
        ledger.record(of: path.node(node.name))
    }

    /// Records that the compensation of a node uses a result that a person provided.
    func use(_ record: JournalRecord, of node: JobNode) async throws {
        try await ledger.use(record, at: path.node(node.name), inputs: record.inputs)
    }

    func result(of node: JobNode) async throws -> any Sendable {
        let path = path.node(node.name)
        guard let record = ledger.record(of: path), record.state == .finished else {
            throw JournalCoding.damaged("the node '\(path.name)'", "it is missing, but needed for the compensation")
        }
        return try await ledger.result(record, of: path, as: node.output)
    }

    func compensate(
        _ node: Int,
        by compensation: String,
        _ context: NodeContext,
        _ work: (NodeContext) async throws -> Void
    ) async throws {
        let name = context.engine.program.name(of: node)
        let entry = JournalEntry(
            path: path.node(name).compensation(compensation),
            inputs: ResultCoding.digest([base, path.key, compensation]),
            output: Void.self,
            unknownOutcome: policy(of: node, context.engine.program)
        )
        let record = ledger.record(of: entry.path)
        let begun = record?.state == .started ? record : nil
        let unknown = begun.flatMap { $0.isUndecided ? $0 : nil }
        // The user may have marked the compensation as done.
        let isDone = try record?.state == .finished || unknown.flatMap { try settle($0, entry) } != nil
        guard !isDone else {
            return try await ledger.compensated(name, by: entry.path, at: path)
        }
        let ticket = JournalTicket(ledger, entry, begun)
        var context = context
        context.ticket = ticket
        do {
            _ = try await ticket.trace { try await work(context) }
        } catch {
            await ticket.giveBack()
            throw error
        }
        try await ledger.compensated(name, by: entry.path, at: path)
        ticket.endPendingWork()
    }
}
