// SPDX-License-Identifier: MIT

import RestEssentials
import SharedStore

extension JournalRows {
    /// Copies the records of a run's nodes, except for some nodes and the nodes inside them.
    ///
    /// Everything is read and sealed again before anything is changed.
    func fork(
        _ journal: RunJournal,
        as copy: RunJournal,
        of graph: String,
        without left: [JournalPath],
        at date: Date
    ) async throws {
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
                JournalHead(graph: graph, status: .failed, startedAt: date),
                at: date
            )
        ]
        for (path, record) in try await records(of: journal.name)
        where !left.contains(where: { $0.key == path || $0.holds(path) }) {
            var record = record
            record.expectation?.codec = copy.codec.identifier
            guard record.state == .finished else {
                // The fork does not repeat it, so its outcome remains unknown.
                steps.append(try Self.put(Self.nodes(copy.name) + path, record, at: date))
                continue
            }
            let bytes = try await result(record, of: path, in: journal)
            record.codec = copy.codec.identifier
            steps.append(try Self.putResult(bytes, record, of: path, in: copy, at: date))
        }
        try await remove(copy.name)
        try await commit(steps)
    }
}
