// SPDX-License-Identifier: MIT

/// How the jobs of a group ended, in the order in which they were submitted.
public struct GroupReport<Output: Sendable>: Sendable {
    /// Tells the group apart from all others; events of its members carry it.
    public let id: GroupID

    /// How each job ended.
    public let outcomes: [JobOutcome<Output>]

    /// Whether some jobs were never started.
    public var stopped: Bool {
        outcomes.contains { outcome in
            if case .notRun = outcome { true } else { false }
        }
    }

    /// Whether every job ended with a result.
    public var isSuccess: Bool {
        outcomes.allSatisfy(\.isSuccess)
    }

    /// The results of those jobs that have one.
    public var values: [Output] {
        outcomes.compactMap(\.value)
    }

    /// The errors of those jobs that failed.
    public var errors: [any Error] {
        outcomes.compactMap(\.error)
    }

    /// How the job at that place ended.
    public subscript(index: Int) -> JobOutcome<Output> {
        outcomes[index]
    }
}
