// SPDX-License-Identifier: MIT

/// Work that has a span: a whole run, or a part of it.
package struct TracedWork: Sendable {
    /// The kind of the work.
    package enum Kind: Sendable, Hashable {
        /// A group of concurrent jobs, with their number.
        case group(count: Int)
        /// A chain of jobs, with their number.
        case chain(count: Int)
        /// A run of a graph, with the number of its nodes.
        case graph(count: Int)
        /// A node of a graph, a member of a group, or a compensation.
        case node(RunReport.Kind)
        /// The work for one element of a collection.
        case element(RunReport.Kind, index: Int)
    }

    /// The end of the work.
    package struct End: Sendable {
        /// The outcome in one word, as reports have it.
        package let outcome: String
        /// The number of attempts, those of the node's retry policy and those within its calls.
        package let attempts: Int
        /// The error with which the work failed, or was cancelled; `nil` if it did neither.
        package let failure: (any Error)?
    }

    /// The name of the graph or of the node, without the index of an element.
    package let name: String

    /// The kind of the work.
    package let kind: Kind

    /// The group or the run that the work is, or belongs to.
    package let groupID: GroupID
}

extension TracedWork.End {
    /// Creates the end of a node.
    init(_ outcome: JobOutcome<any Sendable>, _ note: JobNote.Contents?) {
        let failure: (any Error)?
        switch outcome {
        case .failure(let ignored as IgnoredFailure): failure = ignored.original
        case .failure(let error): failure = error
        case .cancelled: failure = CancellationError()
        case .success, .skipped, .notRun: failure = nil
        }
        self.outcome = RunReport.Status(outcome, note).rawValue
        attempts = max(1, note?.totalAttempts(failed: outcome.error) ?? 1)
        self.failure = failure
    }

    /// Creates the end of a run.
    init(_ status: RunReport.Outcome, _ failure: @autoclosure () -> (any Error)?) {
        outcome = status.rawValue
        attempts = 1
        self.failure = status == .success ? nil : failure() ?? CancellationError()
    }
}
