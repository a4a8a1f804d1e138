// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension JournalRows {
    /// Copies the records of a run's nodes, except for some nodes and the nodes inside them; of those it copies what
    /// nobody has decided, and decisions that no run has used.
    ///
    /// Everything is read and sealed again before anything is changed.
    func fork(
        _ journal: RunJournal,
        as copy: RunJournal,
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
        try await remove(copy.name)
        try await commit(steps)
    }
}
