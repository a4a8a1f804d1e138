// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The access of one graph's run to a journal: knows the paths and the inputs of its nodes.
final class JournalSession: Sendable {
    let ledger: JournalLedger
    /// The path of the nodes of the graph.
    let path: JournalPath
    /// The digest of the graph's own inputs, if it is a sub-graph.
    private let base: String
    /// The digests of the results of this run, by node index.
    private let outputs = Mutex<[Int: String]>([:])

    init(_ ledger: JournalLedger, at path: JournalPath = .root, base: String = "") {
        self.ledger = ledger
        self.path = path
        self.base = base
    }

    /// Returns the session for the sub-graph inside a node.
    func session(inside node: Int, of program: GraphProgram) -> JournalSession {
        session(inside: entry(of: node, program))
    }

    /// Returns the session for the sub-graph inside a node or an element.
    func session(inside entry: JournalEntry) -> JournalSession {
        JournalSession(ledger, at: entry.path, base: entry.inputs)
    }

    // MARK: - Entries

    /// Returns the entry of a node; its inputs are the results that it receives.
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
    ///
    /// - Parameters:
    ///   - element: The element.
    ///   - index: Its index in the collection.
    ///   - elementLoop: The loop, with the nodes whose results every element also receives.
    ///   - seen: The number of equal elements so far, by the digests of elements; updated by the call.
    ///   - output: The type of its result.
    ///   - context: The context of the loop.
    /// - Returns: The entry, by which a later run finds the element's record.
    func entry<Element: Sendable, Output: Sendable>(
        of element: Element,
        at index: Int,
        in elementLoop: ElementLoop,
        _ seen: inout [String: Int],
        _ output: Output.Type,
        _ context: NodeContext
    ) -> JournalEntry {
        let loop = entry(of: context.index, context.engine.program)
        let value: [String]
        if let identity = ResultCoding.identity(of: element, isPair: elementLoop.hasPairs) {
            let others = outputs.withLock { outputs in elementLoop.inputs.map { outputs[$0] ?? "none" } }
            value = [base, loop.path.key, "element"] + identity + others
        } else {
            value = [loop.inputs, "place", "\(index)"]
        }
        let digest = ResultCoding.digest(value)
        let count = seen[digest, default: 0]
        seen[digest] = count + 1
        let name = ResultCoding.digest([digest, "\(count)"])
        return JournalEntry(
            path: loop.path.element(name, at: index),
            inputs: name,
            output: output,
            unknownOutcome: loop.unknownOutcome
        )
    }

    private func policy(of node: Int, _ program: GraphProgram) -> UnknownOutcome {
        program.options[node]?.unknownOutcome ?? ledger.journal.unknownOutcome
    }

    /// Returns true if the result of a node is stored, so that its work can be skipped.
    func isFinished(_ node: Int, _ program: GraphProgram) -> Bool {
        isFinished(entry(of: node, program))
    }

    /// Returns true if the result of a node or an element is stored, so that its work can be skipped.
    func isFinished(_ entry: JournalEntry) -> Bool {
        ledger.record(of: entry.path).map { $0.state == .finished && $0.inputs == entry.inputs } ?? false
    }

    // MARK: - Work

    /// Returns the stored result of a node, or does its work and stores the result.
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

    /// Stores a value that is known before the run, again for each run.
    private func keep(_ value: any Sendable, _ entry: JournalEntry) async throws -> (any Sendable, String) {
        if let record = ledger.record(of: entry.path),
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

    /// Returns the stored result of a node or an element, or does the work and stores the result.
    ///
    /// - Returns: The result, and its digest.
    func perform(
        _ entry: JournalEntry,
        _ context: NodeContext,
        _ work: (NodeContext) async throws -> any Sendable
    ) async throws -> (value: any Sendable, digest: String) {
        let record = ledger.record(of: entry.path).flatMap { $0.inputs == entry.inputs ? $0 : nil }
        if let record, record.state == .finished {
            let value = try await ledger.result(record, of: entry.path, as: entry.output)
            try await ledger.use(record, at: entry.path)
            context.note?.update { $0.isResumed = true }
            return (value, record.output ?? "")
        }
        let unknown = record?.isUndecided == true ? record : nil
        if unknown != nil, let value = try settle(entry) {
            return (value, try await ledger.finish(entry.path, inputs: entry.inputs, value))
        }
        let ticket = JournalTicket(ledger, entry, unknown)
        var context = context
        context.ticket = ticket
        do {
            let value = try await work(context)
            let digest = try await ledger.finish(entry.path, inputs: entry.inputs, value)
            ticket.endPendingWork()
            return (value, digest)
        } catch {
            await ticket.giveBack()
            throw error
        }
    }

    /// Applies the policy for unsafe work whose outcome is unknown.
    ///
    /// - Returns: The result when the work counts as done; `nil` when it must be repeated.
    /// - Throws: ``JobGraphError`` with the code ``JobGraphError/Code-swift.struct/unknownOutcome``.
    private func settle(_ entry: JournalEntry) throws -> (any Sendable)? {
        switch entry.unknownOutcome {
        case .repeatWithSameKey:
            return nil
        case .fail:
            throw unknown(
                entry,
                "find out its outcome, then call journals.markDone or journals.markNotDone, or set a policy"
            )
        case .treatAsDone:
            guard let value = ResultCoding.nothing(as: entry.output) else {
                throw unknown(entry, "it cannot be treated as done, because others need its \(entry.output)")
            }
            return value
        }
    }

    private func unknown(_ entry: JournalEntry, _ advice: String) -> JobGraphError {
        JobGraphError(
            .unknownOutcome,
            "unsafe work of '\(entry.path.name)' was begun in the run '\(ledger.journal.name)', and its outcome is "
                + "unknown; \(advice)"
        )
    }

    // MARK: - Compensation

    /// Returns the record of a node, regardless of its inputs.
    func record(of node: JobNode) -> JournalRecord? {
        ledger.record(of: path.node(node.name))
    }

    /// Records that the compensation of a node uses a result that a person provided.
    func use(_ record: JournalRecord, of node: JobNode) async throws {
        try await ledger.use(record, at: path.node(node.name))
    }

    /// Returns the stored result of a node, regardless of its inputs.
    func result(of node: JobNode) async throws -> any Sendable {
        let path = path.node(node.name)
        guard let record = ledger.record(of: path), record.state == .finished else {
            throw JournalCoding.damaged("the node '\(path.name)'", "it is missing, but needed for the compensation")
        }
        return try await ledger.result(record, of: path, as: node.output)
    }

    /// Compensates a node, and records it.
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
        let unknown = record?.isUndecided == true ? record : nil
        // The user may have marked the compensation as done.
        let isDone = try record?.state == .finished || (unknown != nil && settle(entry) != nil)
        if !isDone {
            let ticket = JournalTicket(ledger, entry, unknown)
            var context = context
            context.ticket = ticket
            do {
                try await work(context)
            } catch {
                await ticket.giveBack()
                throw error
            }
            try await ledger.compensated(name, by: entry.path, at: path)
            ticket.endPendingWork()
        } else {
            try await ledger.compensated(name, by: entry.path, at: path)
        }
    }
}
