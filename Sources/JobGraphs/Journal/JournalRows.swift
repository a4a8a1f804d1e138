// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// The rows of journals: one for each run, for each node that has begun, and for each graph that is being taken back.
///
/// The names of runs stand in keys with their lengths, so that none looks like the beginning of another one's.
struct JournalRows: Sendable {
    private let backing: any Backing

    init(_ backing: any Backing) {
        self.backing = backing
    }

    // MARK: - Keys

    /// The prefix of the keys of all runs' rows.
    static let headPrefix = "r"

    static func head(_ run: String) -> String { headPrefix + run }
    static func nodes(_ run: String) -> String { "n\(run.utf8.count):\(run)/" }
    static func undos(_ run: String) -> String { "u\(run.utf8.count):\(run)/" }

    // MARK: - Reading

    /// Every row below a prefix, without the values.
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

    /// The stored value of a row; `nil` when there is no row.
    func value(_ key: String) async throws -> Data? {
        try await backing.row(key, in: .journal)?.value
    }

    /// Returns the record of a run; `nil` when there is none with the name.
    func head(of run: String) async throws -> JournalHead? {
        guard let row = try await backing.row(Self.head(run), in: .journal) else {
            return nil
        }
        return try JournalCoding.decode(JournalHead.self, from: row.attributes.metadata, "the run '\(run)'")
    }

    /// Returns the records of the nodes of a run, by the keys of their paths.
    func records(of run: String) async throws -> [String: JournalRecord] {
        try await all(below: Self.nodes(run)) { "the node '\($0)' of the run '\(run)'" }
    }

    /// Returns the records of graphs of a run that are being taken back, by the keys of their paths.
    func undos(of run: String) async throws -> [String: JournalUndo] {
        try await all(below: Self.undos(run)) { "taking back '\($0)' of the run '\(run)'" }
    }

    private func all<Value: Decodable>(
        below prefix: String,
        _ place: (String) -> String
    ) async throws -> [String: Value] {
        var values: [String: Value] = [:]
        for summary in try await summaries(prefix) {
            let path = String(summary.key.dropFirst(prefix.count))
            values[path] = try JournalCoding.decode(Value.self, from: summary.attributes.metadata, place(path))
        }
        return values
    }

    // MARK: - Writing

    /// Writes and removes rows, all or none.
    func commit(_ steps: [RowStep]) async throws {
        guard !steps.isEmpty else {
            return
        }
        _ = try await backing.commit(steps, in: .journal)
    }

    /// The step that writes a row.
    static func put(
        _ key: String,
        _ metadata: some Encodable,
        value: Data = Data(),
        at date: Date
    ) throws -> RowStep {
        let attributes = RowAttributes(metadata: try JournalCoding.encode(metadata), storedAt: date)
        return .put(key: key, value: value, attributes: attributes, condition: .any)
    }

    /// Removes what is kept about the nodes of a run.
    func removeNodes(of run: String) async throws {
        _ = try await backing.remove(.prefix(Self.nodes(run)), in: .journal)
        _ = try await backing.remove(.prefix(Self.undos(run)), in: .journal)
    }

    /// Removes everything about a run.
    func remove(_ run: String) async throws {
        // The head last: without it, what is left would be of no run.
        try await removeNodes(of: run)
        try await commit([.remove(key: Self.head(run), condition: .any)])
    }
}
