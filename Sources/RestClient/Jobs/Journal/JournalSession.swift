// SPDX-License-Identifier: MIT

import SharedStore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One run's use of a journal.
final class JournalSession: Sendable {
    private let store: JournalStore
    let journal: RunJournal
    private let now: @Sendable () -> Date
    /// What stands before the names of nodes, for graphs inside nodes.
    private let prefix: String
    /// The digest of what a graph inside a node was made from.
    private let base: String
    /// What earlier runs left, by the names of nodes.
    private let earlier: [String: JournalRecord]
    /// The digests of results of this run, by the places of nodes.
    private let outputs = Mutex<[Int: String]>([:])

    private init(
        _ store: JournalStore,
        _ journal: RunJournal,
        prefix: String,
        base: String,
        earlier: [String: JournalRecord],
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.journal = journal
        self.prefix = prefix
        self.base = base
        self.earlier = earlier
        self.now = now
    }

    /// Opens a journal for a run; begins it anew when the run before has succeeded.
    ///
    /// - Throws: ``RestClientError`` when a record cannot be read; nothing has been changed then.
    static func open(
        _ journal: RunJournal,
        graph: String,
        in store: JournalStore,
        now: @escaping @Sendable () -> Date
    ) async throws -> JournalSession {
        var head = JournalHead(graph: graph, status: .running, startedAt: now())
        var earlier: [String: JournalRecord] = [:]
        if let row = try await store.row(JournalStore.headKey(journal.name)) {
            let before = try JournalCoding.decode(
                JournalHead.self,
                from: row.attributes.metadata,
                "the run '\(journal.name)'"
            )
            if before.status == .succeeded {
                try await store.removeRun(journal.name, keepsHead: true)
            } else {
                head.startedAt = before.startedAt
                earlier = try await records(of: journal.name, in: store)
            }
        }
        try await write(head, of: journal.name, in: store, at: now())
        return JournalSession(store, journal, prefix: "", base: "", earlier: earlier, now: now)
    }

    /// Everything that is kept about the nodes of a run.
    static func records(of run: String, in store: JournalStore) async throws -> [String: JournalRecord] {
        let start = JournalStore.nodePrefix(run)
        var records: [String: JournalRecord] = [:]
        for summary in try await store.summaries(start) {
            let name = String(summary.key.dropFirst(start.count))
            records[name] = try JournalCoding.decode(
                JournalRecord.self,
                from: summary.attributes.metadata,
                "the node '\(name)' of the run '\(run)'"
            )
        }
        return records
    }

    private static func write(
        _ head: JournalHead,
        of run: String,
        in store: JournalStore,
        at date: Date
    ) async throws {
        let metadata = try JournalCoding.encode(head)
        try await store.put(JournalStore.headKey(run), value: Data(), metadata: metadata, at: date)
    }

    /// Notes how the run ended.
    func close(graph: String, startedAt: Date, isSuccess: Bool) async throws {
        let head = JournalHead(graph: graph, status: isSuccess ? .succeeded : .failed, startedAt: startedAt)
        try await Self.write(head, of: journal.name, in: store, at: now())
    }

    /// The same journal for the graph inside a node.
    func session(inside node: Int, of program: GraphProgram) -> JournalSession {
        JournalSession(
            store,
            journal,
            prefix: "\(prefix)\(program.nodes[node].name)/",
            base: inputs(of: node, program),
            earlier: earlier,
            now: now
        )
    }

    // MARK: Nodes

    /// What a node is made from: its name, and the results that it is handed.
    private func inputs(of node: Int, _ program: GraphProgram) -> String {
        let sources = program.sources[node] ?? []
        let digests = outputs.withLock { outputs in sources.map { outputs[$0] ?? "none" } }
        return ResultCoding.digest([base, prefix, program.nodes[node].name] + digests)
    }

    /// Gives the stored result of a node, or does its work and stores the result.
    func perform(
        _ context: NodeContext,
        _ options: JobOptions,
        _ work: (NodeContext) async throws -> any Sendable
    ) async throws -> any Sendable {
        let node = context.engine.program.nodes[context.index]
        let name = prefix + node.name
        let key = JournalStore.nodeKey(journal.name, name)
        let inputs = inputs(of: context.index, context.engine.program)
        let record = earlier[name].flatMap { $0.inputs == inputs ? $0 : nil }
        if let record, record.state == .finished, node.kind != .input {
            let value = try await storedResult(record, key, name, node.output)
            context.note?.update { $0.isResumed = true }
            outputs.withLock { $0[context.index] = record.output }
            return value
        }
        if let record, record.state == .started {
            switch options.unknownOutcome ?? journal.unknownOutcome {
            case .repeatWithSameKey:
                break
            case .fail:
                throw unknownOutcome(of: name, "see what became of it, then fork or drop the journal, or set a policy")
            case .treatAsDone:
                guard let value = ResultCoding.nothing(as: node.output) else {
                    throw unknownOutcome(
                        of: name,
                        "it cannot be treated as done, because others need its \(node.output)"
                    )
                }
                try await keep(value, of: context.index, key, inputs)
                return value
            }
        }
        var context = context
        let ticket = JournalTicket(
            session: self,
            key: key,
            inputs: inputs,
            idempotencyKey: record?.idempotencyKey ?? Self.newKey()
        )
        context.ticket = ticket
        do {
            let value = try await work(context)
            try await keep(value, of: context.index, key, inputs)
            return value
        } catch {
            if ticket.isOpen, Self.isKnown(error) {
                // The server has answered that it did nothing, so the next run may send it again.
                try await store.remove([key])
            }
            throw error
        }
    }

    private func unknownOutcome(of node: String, _ advice: String) -> RestClientError {
        RestClientError(
            .unknownOutcome,
            "an earlier run '\(journal.name)' was sending an unsafe request of the node '\(node)' when it ended, and nobody "
                + "knows what became of it; \(advice)"
        )
    }

    /// Whether an error tells that the request had no effect: an answer of the server's that refuses it.
    private static func isKnown(_ error: any Error) -> Bool {
        guard let error = error as? RestClientError, let status = error.status else {
            return (error as? RestClientError)?.attempts == 0
        }
        return (400..<500).contains(status.code) && status.code != 408
    }

    /// A key that no other request has.
    private static func newKey() -> String {
        UUID().uuidString
    }

    /// Notes that an unsafe request goes out.
    func begin(_ ticket: JournalTicket) async throws {
        let record = JournalRecord(state: .started, inputs: ticket.inputs, idempotencyKey: ticket.idempotencyKey)
        try await store.put(ticket.key, value: Data(), metadata: try JournalCoding.encode(record), at: now())
    }

    // MARK: Results

    private func keep(
        _ value: any Sendable,
        of place: Int,
        _ key: String,
        _ inputs: String
    ) async throws {
        let bytes = try ResultCoding.encode(value)
        let output = ResultCoding.digest(bytes)
        let record = JournalRecord(
            state: .finished,
            inputs: inputs,
            output: output,
            codec: journal.codec.identifier
        )
        let sealed = try journal.codec.encode(bytes, context: CodecContext(name: key, header: Data(inputs.utf8)))
        try await store.put(key, value: sealed, metadata: try JournalCoding.encode(record), at: now())
        outputs.withLock { $0[place] = output }
    }

    private func storedResult(
        _ record: JournalRecord,
        _ key: String,
        _ name: String,
        _ type: any Sendable.Type
    ) async throws -> any Sendable {
        let bytes = try await Self.storedBytes(record, key, journal, in: store)
        do {
            return try ResultCoding.decode(bytes, as: type)
        } catch {
            throw JournalCoding.damaged(
                "the node '\(name)'",
                "it is no \(type): \(DecodingReason.describe(error))",
                error
            )
        }
    }

    /// The bytes of a stored result, checked.
    static func storedBytes(
        _ record: JournalRecord,
        _ key: String,
        _ journal: RunJournal,
        in store: JournalStore
    ) async throws -> Data {
        let place = "'\(key)'"
        guard let row = try await store.row(key) else {
            throw JournalCoding.damaged(place, "it is gone")
        }
        guard record.codec == journal.codec.identifier else {
            throw JournalCoding.damaged(
                place,
                "it was stored with the codec '\(record.codec ?? "")', and the journal has '\(journal.codec.identifier)'"
            )
        }
        do {
            let context = CodecContext(name: key, header: Data(record.inputs.utf8))
            let bytes = try journal.codec.decode(row.value, context: context)
            guard ResultCoding.digest(bytes) == record.output else {
                throw JournalCoding.damaged(place, "its result is cut off or altered")
            }
            return bytes
        } catch let error as StoreError {
            throw JournalCoding.damaged(place, error.reason, error)
        }
    }

    /// Forgets what a node did, because it was taken back.
    func forget(_ node: String) async throws {
        try await store.remove([JournalStore.nodeKey(journal.name, prefix + node)])
    }
}
