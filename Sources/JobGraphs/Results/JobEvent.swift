// SPDX-License-Identifier: MIT

/// An event of a job, a group or a run of a graph.
public struct JobEvent: Sendable {
    /// The kinds of events.
    public enum Kind: Sendable {
        /// A local job began.
        case localJobStarted(name: String)
        /// A local job ended with a value.
        case localJobSucceeded(name: String)
        /// A local job ended with an error.
        case localJobFailed(name: String, any Error)
        /// A local job was cancelled.
        case localJobCancelled(name: String)
        /// A group began.
        case groupStarted(count: Int)
        /// All members of a group have ended, with these outcomes.
        case groupFinished(GroupReport<any Sendable>)
        /// A run of a graph began.
        case graphStarted(name: String, count: Int)
        /// A node of a graph began.
        case nodeStarted(name: String)
        /// A node of a graph ended, or will not begin.
        case nodeFinished(name: String, status: RunReport.Status)
        /// All nodes of a graph have ended, in this run.
        case graphFinished(GraphRun)
        /// An attempt failed, and another one follows after a pause.
        case retryDecided(number: Int, delay: Duration, any Error)
        /// An attempt failed, and no other one follows.
        case retrySuppressed(RetrySuppression, any Error)
    }

    /// The kind of the event.
    public let kind: Kind

    /// The group or the run that it belongs to, if any.
    public let groupID: GroupID?

    /// The result of a local job that succeeded; `nil` for every other event.
    public let value: (any Sendable)?
}

extension JobEvent.Kind {
    static func localJobEnded<Output>(_ name: String, _ outcome: JobOutcome<Output>) -> Self {
        switch outcome {
        case .success: .localJobSucceeded(name: name)
        case .failure(let ignored as IgnoredFailure): .localJobFailed(name: name, ignored.original)
        case .failure(let error): .localJobFailed(name: name, error)
        case .cancelled, .notRun, .skipped: .localJobCancelled(name: name)
        }
    }
}

/// Receives the events of jobs, groups and runs of graphs.
public protocol JobObserver: Sendable {
    /// A Boolean value that is true if events are wanted; while it is false, no event is created.
    var isObserved: Bool { get }

    /// Receives an event; called in order, with no lock held.
    func observe(_ event: JobEvent)
}

extension JobObserver {
    /// True: events are wanted.
    public var isObserved: Bool { true }
}
