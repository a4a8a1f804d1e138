// SPDX-License-Identifier: MIT

import RestEssentials

/// The outcomes of the jobs of a group, in the order of submission.
public struct GroupReport<Output: Sendable>: Sendable {
    /// Identifies the group; events of its members carry it.
    public let id: GroupID

    /// The outcome of each job.
    public let outcomes: [JobOutcome<Output>]

    /// Makes the report of the group; `nil` for a value that no group made.
    private let makeReport: (@Sendable ([JobOutcome<any Sendable>]) -> RunReport)?

    package init(id: GroupID, outcomes: [JobOutcome<Output>]) {
        self.id = id
        self.outcomes = outcomes
        makeReport = nil
    }

    init(_ outcomes: [JobOutcome<Output>], _ ending: GroupEnding) {
        id = ending.id
        self.outcomes = outcomes
        makeReport = { ending.report($0) }
    }

    /// The group as a value that can be stored, and drawn as a timeline.
    ///
    /// It is made on access. A member has the name of its local job or API operation, with its index behind it if
    /// others have the same name; in a chain each step depends on the one before it.
    public var report: RunReport {
        makeReport?(outcomes.map(\.erased))
            ?? RunReport(
                name: "group",
                id: id.description,
                startedAt: Date(timeIntervalSince1970: 0),
                duration: .zero,
                outcome: isSuccess ? .success : .failure
            )
    }

    /// A Boolean value that indicates whether some jobs were never started.
    public var stopped: Bool {
        outcomes.contains { outcome in
            if case .notRun = outcome { true } else { false }
        }
    }

    /// A Boolean value that indicates whether every job ended with a result; one whose failure was ignored did not.
    @inlinable public var isSuccess: Bool {
        outcomes.allSatisfy { $0.isSuccess }
    }

    /// The results of the jobs that have one.
    public var values: [Output] {
        outcomes.compactMap(\.value)
    }

    /// The errors of the jobs that failed.
    public var errors: [any Error] {
        outcomes.compactMap(\.error)
    }

    /// The outcome of the job at an index.
    public subscript(index: Int) -> JobOutcome<Output> {
        outcomes[index]
    }
}

extension GroupReport: CustomStringConvertible {
    /// The number of jobs with each outcome and the first error, on one line and without results.
    public var description: String {
        let statuses = outcomes.map { RunReport.Status($0.erased, nil) }
        let error = errors.first.map { "; first error: \($0)" } ?? ""
        return MessageText.of(
            "\(outcomes.count == 1 ? "1 job" : "\(outcomes.count) jobs"): \(statuses.counted)\(error)"
        )
    }
}

extension GroupReport where Output == any Sendable {
    /// Returns the result of the job at an index, in its own type.
    ///
    /// - Parameters:
    ///   - index: The index of the job, in the order of submission.
    ///   - type: The type that the job results in.
    /// - Returns: The result.
    /// - Throws: The error of the job if it failed, `CancellationError` if it was cancelled, and ``JobGraphError`` with
    ///   the code ``JobGraphError/Code-swift.struct/missingPreviousResult`` if it was never started, if the index is
    ///   out of range, or if the result is of another type.
    public func value<Value>(at index: Int, as type: Value.Type) throws -> Value {
        let outcome = outcomes.indices.contains(index) ? outcomes[index] : .notRun
        return try PreviousResult(outcome).value(as: type)
    }
}

struct GroupEnding: Sendable {
    struct Member: Sendable {
        let kind: JobKind
        let name: String
    }

    let id: GroupID
    let startedAt: Date
    let start: Duration
    let duration: Duration
    let outcome: RunReport.Outcome
    let times: [NodeTimes]
    let notes: [JobNote?]
    let isChain: Bool
    let words: @Sendable (any Error) -> String
    let member: @Sendable (Int) -> Member

    func report(_ outcomes: [JobOutcome<any Sendable>]) -> RunReport {
        let members = outcomes.indices.map(member)
        let names = Self.unique(members.map(\.name))
        return RunReport(
            name: isChain ? "chain" : "group",
            id: id.description,
            startedAt: startedAt,
            duration: duration,
            outcome: outcome,
            nodes: outcomes.indices.map { index in
                let note = notes.isEmpty ? nil : notes[index]?.all
                let ending = NodeEnding(
                    kind: members[index].kind,
                    error: outcomes[index].error,
                    times: times[index],
                    note: note,
                    runStart: start
                )
                let previous = isChain && index > 0 ? index - 1 : nil
                let ready = previous.flatMap { times[$0].ended }.map { $0 - start } ?? .zero
                return ending.report(
                    names[index],
                    after: previous.map { [names[$0]] } ?? [],
                    RunReport.Status(outcomes[index], note),
                    ready: ready,
                    words: words
                )
            }
        )
    }

    /// Returns the same names, with the index of the member behind those that occur more than once.
    private static func unique(_ names: [String]) -> [String] {
        let counts = Dictionary(grouping: names, by: \.self).mapValues(\.count)
        return names.indices.map { counts[names[$0]] == 1 ? names[$0] : "\(names[$0])[\($0)]" }
    }
}
