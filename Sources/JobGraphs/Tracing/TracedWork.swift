// SPDX-License-Identifier: MIT

package struct TracedWork: Sendable {
    package enum Kind: Sendable, Hashable {
        case group(count: Int)
        case chain(count: Int)
        case graph(count: Int)
        /// A node of a graph, a member of a group, or a compensation.
        case node(RunReport.Kind)
        case element(RunReport.Kind, index: Int)
    }

    package struct End: Sendable {
        package let outcome: String
        /// The number of attempts, those of the node's retry policy and those within its calls.
        package let attempts: Int
        /// The error with which the work failed, or was cancelled; `nil` if it did neither.
        package let failure: (any Error)?
    }

    /// The name of the graph or of the node, without the index of an element.
    package let name: String

    package let kind: Kind

    package let groupID: GroupID
}

extension TracedWork.End {
    init(_ outcome: JobOutcome<any Sendable>, _ note: JobNote.Contents?) {
        failure =
            switch outcome {
            case .failure(let ignored as IgnoredFailure): ignored.original
            case .failure(let error): error
            case .cancelled: CancellationError()
            case .success, .skipped, .notRun: nil
            }
        self.outcome = RunReport.Status(outcome, note).rawValue
        attempts = max(1, note?.totalAttempts(failed: outcome.error) ?? 1)
    }

    init(_ status: RunReport.Outcome, _ failure: @autoclosure () -> (any Error)?) {
        outcome = status.rawValue
        attempts = 1
        self.failure = status == .success ? nil : failure() ?? CancellationError()
    }
}

/// Makes spans of groups, of runs of graphs, and of the work in them; a run asks once whether there is a tracer.
package protocol JobTracer: Sendable {
    /// Begins a span, as a child of the current task's span, which the caller ends exactly once.
    func begin(_ work: TracedWork) -> any JobSpan
}

package protocol JobSpan: Sendable {
    /// Does work in which the span is the current one of the task.
    func surround<Value>(_ work: () async throws -> Value) async rethrows -> Value

    func end(_ end: TracedWork.End)
}

extension Optional where Wrapped == any JobSpan {
    func surround<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        guard let span = self else {
            return try await work()
        }
        return try await span.surround(work)
    }
}
