// SPDX-License-Identifier: MIT

import RestEssentials

struct JournalHead: Codable, Sendable, Equatable {
    enum Status: String, Codable, Sendable {
        case running, succeeded, failed
    }

    struct Ending: Codable, Sendable, Equatable {
        var inputs: String
        var failure: String

        var error: JobGraphError { .earlier(failure) }
    }

    var version = JournalCoding.version
    var graph: String
    var status: Status
    /// The time of day at which the run first began, even if it was resumed since.
    var startedAt: Date
    /// The word for the origin of what the latest run got; `nil` for the real thing, and in older heads.
    var origin: String?
    /// The failures of nodes that the run ignored when it last succeeded, by the keys of their paths.
    var endings: [String: Ending]?

    /// Rejects a graph of another name: nodes may differ between two runs, so only the name says which graph it is.
    func check(_ graph: String, in journal: String) throws(JobGraphError) {
        if self.graph != graph {
            throw JobGraphError(
                .otherGraph,
                "the journal '\(journal)' belongs to the graph '\(self.graph)', and not to '\(graph)'; nothing was "
                    + "changed. Give each graph a journal of its own"
            )
        }
    }
}
