// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// The rows of journals: one for each run, each node that has begun, and each graph that is being compensated, and
/// those by which processes share the runs; keys contain the names of runs with their lengths, so that no name is a
/// prefix of another.
struct JournalRows: Sendable {
    let backing: any BasicBacking
    let isSecret: SecretMember.Rule
    /// The claim that each write checks; `nil` for readers.
    private(set) var claim: RunClaim?

    init(_ backing: any BasicBacking, isSecret: @escaping SecretMember.Rule) {
        self.backing = backing
        self.isSecret = isSecret
    }

    // MARK: - Keys

    static let headPrefix = "r"

    static func head(_ run: String) -> String { headPrefix + run }
    static func nodes(_ run: String) -> String { "n\(run.utf8.count):\(run)/" }
    static func undos(_ run: String) -> String { "u\(run.utf8.count):\(run)/" }

    /// Returns what follows a prefix in a key, by bytes: a combining mark at its beginning is a part of it.
    static func rest(of key: String, after prefix: String) -> String {
        String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    // MARK: - Reading

    func summaries(_ prefix: String) async throws -> [RowSummary] {
        var all: [RowSummary] = []
        var next: RowPage? = RowPage(prefix: prefix)
        while let page = next {
            let rows = try await backing.summaries(in: .journal, page)
            all += rows
            next = page.next(after: rows)
        }
        return all
    }

    func value(_ key: String) async throws -> Data? {
        try await backing.row(key, in: .journal)?.value
    }

    func head(of run: String) async throws -> JournalHead? {
        guard let row = try await backing.row(Self.head(run), in: .journal) else {
            return nil
        }
        return try Self.head(in: row.attributes, of: run)
    }

    func records(of run: String) async throws -> [String: JournalRecord] {
        try await all(below: Self.nodes(run)) { Self.place($0, of: run) }
    }

    func undos(of run: String) async throws -> [String: JournalUndo] {
        try await all(below: Self.undos(run)) { Self.undoPlace($0, of: run) }
    }

    private func all<Value: Decodable>(
        below prefix: String,
        _ place: (String) -> String
    ) async throws -> [String: Value] {
        let (values, damage) = Self.readable(Value.self, try await summaries(prefix), below: prefix, place)
        if let first = damage.first {
            throw first
        }
        return values
    }

    private static func readable<Value: Decodable>(
        _ type: Value.Type,
        _ rows: [RowSummary],
        below prefix: String,
        _ place: (String) -> String
    ) -> (values: [String: Value], damage: [JobGraphError]) {
        var values: [String: Value] = [:]
        var damage: [JobGraphError] = []
        for summary in rows {
            let path = rest(of: summary.key, after: prefix)
            do throws(JobGraphError) {
                values[path] = try JournalCoding.decode(type, from: summary.attributes.metadata, place(path))
            } catch {
                damage.append(error)
            }
        }
        return (values, damage)
    }

    func contents(of run: String) async throws -> JournalContents? {
        guard let row = try await backing.summary(Self.head(run), in: .journal) else {
            return nil
        }
        return Self.contents(
            of: run,
            row,
            nodes: try await summaries(Self.nodes(run)),
            undos: try await summaries(Self.undos(run))
        )
    }

    /// Reads the contents of all journals, in the order of their names' bytes, a page of rows after the other.
    func contents() async throws -> [(run: String, contents: JournalContents)] {
        let heads = try await summaries(Self.headPrefix)
        let nodes = Dictionary(grouping: try await summaries("n")) { Self.owner(of: $0.key) }
        let undos = Dictionary(grouping: try await summaries("u")) { Self.owner(of: $0.key) }
        return heads.map { row in
            let run = Self.rest(of: row.key, after: Self.headPrefix)
            let owner = RowKey(run)
            return (run, Self.contents(of: run, row, nodes: nodes[owner] ?? [], undos: undos[owner] ?? []))
        }
    }

    /// Returns the run that a record belongs to, by bytes; `nil` if the key is damaged.
    private static func owner(of key: String) -> RowKey? {
        let rest = key.utf8.dropFirst()
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
            let count = Int(String(decoding: rest[..<colon], as: UTF8.self)),
            (0..<rest[colon...].count).contains(count)
        else {
            return nil
        }
        return RowKey(String(decoding: rest[rest.index(after: colon)...].prefix(count), as: UTF8.self))
    }

    private static func contents(
        of run: String,
        _ row: RowSummary,
        nodes: [RowSummary],
        undos: [RowSummary]
    ) -> JournalContents {
        let nodes = readable(JournalRecord.self, nodes, below: Self.nodes(run)) { place($0, of: run) }
        let undos = readable(JournalUndo.self, undos, below: Self.undos(run)) { undoPlace($0, of: run) }
        var contents = JournalContents(
            storedAt: row.attributes.storedAt,
            records: nodes.values,
            undos: undos.values,
            damage: nodes.damage + undos.damage
        )
        do throws(JobGraphError) {
            contents.head = try head(in: row.attributes, of: run)
        } catch {
            contents.damage.insert(error, at: 0)
        }
        return contents
    }

    static func head(in attributes: RowAttributes, of run: String) throws(JobGraphError) -> JournalHead {
        try JournalCoding.decode(JournalHead.self, from: attributes.metadata, "the run '\(run)'")
    }

    private static func place(_ path: String, of run: String) -> String { "the node '\(path)' of the run '\(run)'" }

    private static func undoPlace(_ path: String, of run: String) -> String {
        "compensating '\(path)' of the run '\(run)'"
    }

    // MARK: - Writing

    func claimed(by claim: RunClaim) -> JournalRows {
        var rows = self
        rows.claim = claim
        return rows
    }

    /// Applies the steps if the run is still claimed; throws if somebody else has it.
    func commit(_ steps: [RowStep]) async throws {
        guard !steps.isEmpty else {
            return
        }
        guard let claim else {
            _ = try await backing.commit(steps, in: .journal)
            return
        }
        try await commit(
            [.check(key: Self.claim(claim.run), condition: .version(claim.token))] + steps,
            under: claim
        )
    }

    /// Applies the last steps of a run, and ends its claim with them.
    func end(_ steps: [RowStep]) async throws {
        guard let claim else {
            return try await commit(steps)
        }
        try await commit(
            [
                .remove(key: Self.claim(claim.run), condition: .version(claim.token)),
                .remove(key: Self.cancellation(claim.run), condition: .any),
            ] + steps,
            under: claim
        )
        claim.end()
    }

    private func commit(_ steps: [RowStep], under claim: RunClaim) async throws {
        guard !claim.isLost, case .committed = try await backing.commit(steps, in: .journal) else {
            claim.lose()
            throw claim.lost
        }
    }

    static func put(
        _ key: String,
        _ metadata: some Encodable,
        value: Data = Data(),
        at date: Date,
        condition: RowCondition = .any
    ) throws -> RowStep {
        let attributes = RowAttributes(metadata: try JournalCoding.encode(metadata), storedAt: date)
        return .put(key: key, value: value, attributes: attributes, condition: condition)
    }

    /// Returns the step that replaces the record of a row, but not its value.
    static func refresh(_ key: String, _ metadata: some Encodable, at date: Date) throws -> RowStep {
        .refresh(key: key, metadata: try JournalCoding.encode(metadata), storedAt: date, expiresAt: nil)
    }

    /// Removes everything of a run: with one commit, unless there is much of it; then the head last, because without it
    /// the remaining rows would belong to no run.
    func drop(_ run: String) async throws {
        let records = try await removals(of: run)
        let last = records.count <= Self.batch ? records : []
        if last.isEmpty {
            try await remove(records)
        }
        let place = try? await head(of: run)?.place
        let steps = [Self.head(run)] + (place.map { [$0.key(of: run)] } ?? [])
        try await end(last + steps.map { RowStep.remove(key: $0, condition: .any) })
    }

    /// The most records that one commit removes.
    private static let batch = 256

    private func removals(of run: String) async throws -> [RowStep] {
        try await (summaries(Self.nodes(run)) + summaries(Self.undos(run)))
            .map { RowStep.remove(key: $0.key, condition: .any) }
    }

    /// Removes records in several commits, each of them under the claim of their run.
    private func remove(_ records: [RowStep]) async throws {
        var left = records[...]
        while !left.isEmpty {
            try await commit(Array(left.prefix(Self.batch)))
            left = left.dropFirst(Self.batch)
        }
    }

    // MARK: - Results

    /// Returns the step that stores the result of a node, unless that looks like a credential and would not be sealed.
    func putResult(
        _ bytes: Data,
        _ record: JournalRecord,
        of path: String,
        in journal: RunJournal,
        at date: Date
    ) throws -> RowStep {
        let key = Self.nodes(journal.name) + path
        try check(bytes, of: record.name, in: journal)
        let value = try journal.codec.encode(bytes, context: Self.context(key, record))
        return try Self.put(key, record, value: value, at: date)
    }

    private func check(_ bytes: Data, of name: String, in journal: RunJournal) throws(JobGraphError) {
        if !journal.codec.isSealed, let member = SecretMember.name(in: bytes, isSecret) {
            throw JobGraphError.secret("the member '\(member)' of the result of '\(name)'", in: journal.name)
        }
    }

    func encode(_ bytes: Data, of part: String, at path: JournalPath, in journal: RunJournal) throws -> Data {
        try check(bytes, of: path.name, in: journal)
        return try journal.codec.encode(bytes, context: Self.context(of: part, at: path.key, in: journal))
    }

    func decode(
        _ stored: JournalRecord.Part,
        of part: String,
        at path: String,
        in journal: RunJournal
    ) throws -> Data {
        try journal.codec.decode(stored.value, context: Self.context(of: part, at: path, in: journal))
    }

    private static func context(of part: String, at path: String, in journal: RunJournal) -> CodecContext {
        CodecContext(name: nodes(journal.name) + path, header: Data("once\(part)".utf8))
    }

    func result(_ record: JournalRecord, of path: String, in journal: RunJournal) async throws -> Data {
        let key = Self.nodes(journal.name) + path
        guard let value = try await value(key) else {
            throw JournalCoding.damaged(record, "it is missing")
        }
        guard record.codec == journal.codec.identifier else {
            throw JournalCoding.damaged(
                record,
                "it was stored with the codec '\(record.codec ?? "")', and the journal has '\(journal.codec.identifier)'"
            )
        }
        do {
            let bytes = try journal.codec.decode(value, context: Self.context(key, record))
            guard ResultCoding.digest(bytes) == record.output else {
                throw JournalCoding.damaged(record, "its result is truncated or altered")
            }
            return bytes
        } catch let error as StoreError {
            throw JournalCoding.damaged(record, error.reason, error)
        }
    }

    /// Returns the data to which a sealed result is bound, so that it cannot be used for another node or other inputs.
    private static func context(_ key: String, _ record: JournalRecord) -> CodecContext {
        CodecContext(name: key, header: Data(record.inputs.utf8))
    }

    // MARK: - Fork

    /// Copies the records of a run's nodes, except for some nodes and those inside them, of which it copies only what
    /// nobody has decided, and unused decisions; everything is read and sealed again before anything is changed.
    func fork(
        _ journal: RunJournal,
        as copy: RunJournal,
        _ copies: JournalRows,
        of graph: String,
        without left: [JournalPath],
        at date: Date
    ) async throws {
        guard let head = try await head(of: journal.name) else {
            throw JobGraphError(
                .unknownJournal,
                "there is no journal '\(journal.name)' to fork; journals.list() has the names of those that exist"
            )
        }
        try head.check(graph, in: journal.name)
        guard try await undos(of: journal.name).isEmpty else {
            throw JobGraphError(
                .runCompensated,
                "the run '\(journal.name)' is being compensated and cannot be forked; run it again to finish "
                    + "that, then fork it"
            )
        }
        var steps = [
            try Self.put(
                Self.head(copy.name),
                JournalHead(graph: graph, status: .failed, startedAt: date, origin: head.origin),
                at: date
            )
        ]
        for (path, record) in try await records(of: journal.name)
        where (record.isKept && record.origin == nil) || !left.contains(where: { $0.key == path || $0.holds(path) }) {
            var record = record
            record.expectation?.codec = copy.codec.identifier
            for (part, stored) in record.doneParts ?? [:] {
                let bytes = try decode(stored, of: part, at: path, in: journal)
                record.doneParts?[part]?.value = try encode(
                    bytes,
                    of: part,
                    at: JournalPath(key: path, name: record.name),
                    in: copy
                )
            }
            guard record.state == .finished else {
                // The fork does not repeat it, so its outcome remains unknown.
                steps.append(try Self.put(Self.nodes(copy.name) + path, record, at: date))
                continue
            }
            let bytes = try await result(record, of: path, in: journal)
            record.codec = copy.codec.identifier
            steps.append(try putResult(bytes, record, of: path, in: copy, at: date))
        }
        try await copies.remove(copies.removals(of: copy.name))
        if let place = try? await self.head(of: copy.name)?.place {
            steps.append(.remove(key: place.key(of: copy.name), condition: .any))
        }
        try await copies.commit(steps)
    }
}
