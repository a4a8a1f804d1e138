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
    /// The place of the run in the queue, which it keeps; `nil` for a run that its caller works.
    var place: QueuePlace?
    /// Distinguishes the run from another one of its name, when the response to its commit was lost.
    var request: UInt64?
    /// The identifier of the codec of the input.
    var codec: String?
    /// The reason why the run has failed.
    var reason: String?
    /// The number of times that a worker died with the run.
    var deaths: Int?

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

struct JournalRecord: Codable, Sendable, Equatable {
    enum State: String, Codable, Sendable {
        /// Unsafe work is about to begin, or has begun.
        case started
        case finished
    }

    /// A person's decision about work whose outcome is unknown; it can be changed until a run has used it.
    enum Decision: String, Codable, Sendable {
        /// The work was done; the record is finished.
        case done
        /// The work was not done; the record is still that of started work, which is all that an older release knows.
        case notDone
    }

    struct Expectation: Codable, Sendable, Equatable {
        var codec: String
        var type: String
        /// The encoded result of work that was done without one; `nil` if others need its result.
        var nothing: String?
    }

    /// Unsafe work of a job that is done although the job is not.
    struct Part: Codable, Sendable, Equatable {
        var value: Data
        var lastNumber: Int

        /// A Boolean value that is true unless the number is damaged: no job does so many pieces of work.
        var isValid: Bool { (1...1 << 20).contains(lastNumber) }
    }

    var version = JournalCoding.version
    var name: String
    var state: State
    /// The digest of the name and all inputs, which decides whether a result stands, but not whether a decision does.
    var inputs: String
    var output: String?
    var codec: String?
    var idempotencyKey: String?
    /// The keys that unsafe work supplied itself, by the part that identifies each piece of work.
    var ownKeys: [String: String]?
    /// The pieces of unsafe work that had an effect, or may have had one, and whose results are not stored; `nil` in
    /// records of older releases, which did not tell them apart.
    var openParts: [String]?
    var doneParts: [String: Part]?
    /// The decision that a person made; `nil` as long as there is none, and after a run has used it.
    var decision: Decision?
    /// The properties of a result that a person may provide; `nil` in records of older releases.
    var expectation: Expectation?
    /// The place of the record among those of finished work, in the order of the ends; `nil` in records of older
    /// releases.
    var ordinal: Int?
    /// The word for the origin of the result, or of what begun work got; `nil` for the real thing, and in records of
    /// older releases.
    var origin: String?

    var isUndecided: Bool { state == .started && decision == nil && openParts?.isEmpty != true }

    /// A Boolean value that is true if the record outlives all changes of the run: its outcome is unknown, or no run
    /// has used the decision about it.
    var isKept: Bool { isUndecided || decision != nil }

    /// The ordinal; zero if there is none, or if it is damaged: no run counts that far.
    var validOrdinal: Int { ordinal.flatMap { (0...Int.max / 2).contains($0) ? $0 : nil } ?? 0 }
}

extension Collection<JournalRecord> {
    var lastOrdinal: Int { lazy.map(\.validOrdinal).max() ?? 0 }
}

struct JournalUndo: Codable, Sendable, Equatable {
    var version = JournalCoding.version
    var status: String
    var reason: String
    /// The names of the nodes that are yet to be compensated, in that order.
    var nodes: [String]
    /// The names of the nodes that were compensated, whose results others may need; `nil` in older records.
    var undone: [String]?
}
