// SPDX-License-Identifier: MIT

public import RestEssentials

/// The contents of a journal; see ``Journals/list()``.
public struct JournalledRun: Sendable, Hashable {
    /// The status of the run.
    public enum Status: String, Sendable, Hashable {
        /// It waits for a worker, or for its time: see ``JournalledRun/dueAt`` and ``JournalledRun/reason``.
        case waiting
        /// It is under way in the process that ``JournalledRun/worker`` names, or its process was killed.
        case unfinished
        /// It failed or was cancelled; running it again resumes it, as ``Journals/retry(_:)`` does for one that was
        /// enqueued.
        case failed
        /// It did not succeed, and is not yet fully compensated; running it again continues the compensation.
        case compensating
        /// It succeeded; running it again returns its results, or starts from the beginning with
        /// ``RunJournal/AfterSuccess/restart``.
        case succeeded
        /// Some of its records cannot be read, because they are damaged or of another version; running it again fails.
        case unreadable
    }

    /// The name of the journal.
    public let name: String

    /// The name of the graph; empty if it cannot be read.
    public let graph: String

    /// The status of the run.
    public internal(set) var status: Status

    /// The reason why it has failed, or why it waits; `nil` if nothing is known.
    public internal(set) var reason: String?

    /// The process that works it, by the name of its machine and its number; `nil` if none does.
    public internal(set) var worker: String?

    /// The time of day from which on that process has it.
    public internal(set) var workedSince: Date?

    /// The time of day from which on a waiting run may begin.
    public internal(set) var dueAt: Date?

    /// The time of day at which it first began or was enqueued, or was last stored if that cannot be read.
    public let startedAt: Date

    /// The names of nodes with a stored result, in alphabetical order.
    ///
    /// The name of a node inside another one follows the outer name and a slash; an element of a loop has its index
    /// after the loop's name, as in `detail[3]`.
    public let finishedNodes: [String]

    /// The names of nodes, elements of loops and compensations with unsafe work whose outcome is unknown.
    public let unknownNodes: [String]

    /// The names of nodes that are yet to be compensated.
    public let nodesToCompensate: [String]

    /// The errors of the records that cannot be read; the others are still listed.
    public let unreadableRecords: [String]
}

extension JournalledRun: CustomStringConvertible {
    /// The name, the status, the time of day at which it began, and the numbers of nodes, on one line.
    public var description: String {
        let counts = [
            (finishedNodes.count, "finished"), (unknownNodes.count, "unknown"),
            (nodesToCompensate.count, "to compensate"), (unreadableRecords.count, "unreadable"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
        let begun = startedAt.formatted(.iso8601.dateTimeSeparator(.space)).dropLast()
        return MessageText.of("\(name): \(status.rawValue), begun \(begun) UTC, \(words.isEmpty ? "no nodes" : words)")
    }
}

extension JournalledRun {
    init(_ name: String, _ contents: JournalContents) {
        let (head, records, undos) = (contents.head, contents.records, contents.undos)
        let undone = Set(
            undos.flatMap { key, undo in
                (undo.undone ?? []).map { JournalPath(key: key, name: "").node($0).key }
            }
        )
        self.name = name
        graph = head?.graph ?? ""
        status =
            switch head?.status {
            case nil: .unreadable
            case _ where !contents.damage.isEmpty: .unreadable
            case .succeeded: .succeeded
            case .running where undos.isEmpty: .unfinished
            case .failed where undos.isEmpty: .failed
            case .running, .failed: .compensating
            }
        startedAt = head?.startedAt ?? contents.storedAt
        reason = head?.reason
        unreadableRecords = contents.damage.map(\.message)
        finishedNodes = records.filter { $0.value.state == .finished && !undone.contains($0.key) }
            .map(\.value.name).sorted()
        unknownNodes = records.values.filter(\.isUndecided).map(\.name).sorted()
        nodesToCompensate = undos.sorted { $0.key < $1.key }.flatMap(\.value.nodes)
    }
}

extension JournalledRun {
    mutating func wait(at place: QueuePlace, isOffered: Bool) {
        status = .waiting
        dueAt = place.date
        reason = isOffered ? nil : "no worker offers the graph '\(place.graph)'"
    }
}

struct JournalContents: Sendable {
    /// The record of the run; `nil` if it cannot be read.
    var head: JournalHead?
    var storedAt: Date
    /// The records of the nodes, by the keys of their paths.
    var records: [String: JournalRecord]
    /// The records of graphs that are being compensated, by the keys of their paths.
    var undos: [String: JournalUndo]
    var damage: [JobGraphError]

    /// False if something awaits a decision or a compensation, or cannot be read.
    var isSettled: Bool { damage.isEmpty && undos.isEmpty && !records.values.contains(where: \.isKept) }
}
