// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

/// The place of a run in the queue of its graph: the order of the keys is the order of the work.
struct QueuePlace: Codable, Sendable, Equatable {
    var graph: String
    /// The milliseconds since 1970 from which on the run may be worked, by the time of day of whoever looks.
    var due: UInt64

    init(_ graph: String, due date: Date) {
        self.graph = graph
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // Dates that are no dates are due at once, and those beyond 2^53 never.
        due = milliseconds > 0 ? UInt64(min(milliseconds, 0x1p53)) : 0
    }

    var date: Date { Date(timeIntervalSince1970: Double(due) / 1000) }

    func key(of run: String) -> String { JournalRows.queue(graph) + Self.text(due) + "/" + run }

    private static func text(_ due: UInt64) -> String {
        let digits = String(due, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }
}

/// A run that waits in a queue, as its row says.
struct QueuedRun: Sendable {
    let run: String
    let place: QueuePlace
    let deaths: Int
    let version: UInt64

    struct Record: Codable, Sendable {
        var version = JournalCoding.version
        var run: String
        var place: QueuePlace
        /// The number of times that a worker died with the run.
        var deaths: Int
    }
}

/// The right to work a run; the version of its row is the token that each write of the run checks.
struct ClaimRecord: Codable, Sendable, Equatable {
    var version = JournalCoding.version
    var life: String
    /// Distinguishes the claim from others of the same life, when the response to its commit was lost.
    var number = UInt64.random(in: 0 ... .max >> 1)
    /// The name of the process, for people.
    var worker: String
    var deaths = 0
    /// The place to which the run returns; `nil` for a run that its caller works, and nobody else.
    var place: QueuePlace?
}

/// One life of a process that claims runs: each beat writes its row again, so that its version moves.
struct LifeRecord: Codable, Sendable, Equatable {
    var version = JournalCoding.version
    var name: String
    var graphs: [String]
    var beat: Int
}

extension JournalRows {
    /// A run whose workers died that often is not tried again until somebody says so.
    static let mostDeaths = 3

    static let claimPrefix = "c"
    static let queuePrefix = "q"
    static let lifePrefix = "w"
    static let cancelPrefix = "x"

    static func claim(_ run: String) -> String { claimPrefix + run }
    static func life(_ id: String) -> String { lifePrefix + id }
    static func cancellation(_ run: String) -> String { cancelPrefix + run }
    static func queue(_ graph: String) -> String { "\(queuePrefix)\(graph.utf8.count):\(graph)/" }

    // MARK: - Steps

    static func enqueue(_ run: String, at place: QueuePlace, deaths: Int = 0, now: Date) throws -> RowStep {
        try put(place.key(of: run), QueuedRun.Record(run: run, place: place, deaths: deaths), at: now)
    }

    static func wish(toCancel run: String, at now: Date) throws -> RowStep {
        try put(cancellation(run), ["version": JournalCoding.version], at: now)
    }

    /// Returns the step that writes the head of a run that exists, and keeps its input.
    static func refresh(_ head: JournalHead, of run: String, at now: Date) throws -> RowStep {
        try refresh(Self.head(run), head, at: now)
    }

    // MARK: - Reading

    func claims() async throws -> [(run: String, record: ClaimRecord, row: RowSummary)] {
        try await summaries(Self.claimPrefix)
            .compactMap { row in
                let run = Self.rest(of: row.key, after: Self.claimPrefix)
                return Self.claim(in: row.attributes).map { (run, $0, row) }
            }
    }

    /// Returns the record of a claim; `nil` if it is damaged, which nobody holds.
    static func claim(in attributes: RowAttributes) -> ClaimRecord? {
        try? JournalCoding.decode(ClaimRecord.self, from: attributes.metadata, "a claim")
    }

    /// Lists the runs of a queue, or of all, in the order of their keys; damaged rows are left out.
    func queued(_ prefix: String = queuePrefix, limit: Int? = nil) async throws -> [QueuedRun] {
        let first = RowPage(prefix: prefix, limit: limit ?? 0)
        let rows = try await limit == nil ? summaries(prefix) : backing.summaries(in: .journal, first)
        return rows.compactMap { row in
            let record = try? JournalCoding.decode(QueuedRun.Record.self, from: row.attributes.metadata, "a queue")
            guard let record, record.place.key(of: record.run) == row.key else {
                return nil
            }
            return QueuedRun(run: record.run, place: record.place, deaths: record.deaths, version: row.version)
        }
    }

    func versionedHead(of run: String) async throws -> (head: JournalHead, version: UInt64)? {
        guard let row = try await backing.summary(Self.head(run), in: .journal) else {
            return nil
        }
        return (try Self.head(in: row.attributes, of: run), row.version)
    }

    func hasRecords(of run: String) async throws -> Bool {
        try await !backing.summaries(in: .journal, RowPage(prefix: Self.nodes(run), limit: 1)).isEmpty
    }

    /// The graphs that the workers of all processes offer.
    func offered() async throws -> Set<String> {
        let lives = try await summaries(Self.lifePrefix)
            .compactMap { try? JournalCoding.decode(LifeRecord.self, from: $0.attributes.metadata, "a life") }
        return Set(lives.flatMap(\.graphs))
    }

    /// The lives of all processes; those that have not beaten for longest first.
    func lives() async throws -> [(id: String, version: UInt64)] {
        try await summaries(Self.lifePrefix)
            .map { (id: Self.rest(of: $0.key, after: Self.lifePrefix), version: $0.version) }
            .sorted { $0.version < $1.version }
    }
}
