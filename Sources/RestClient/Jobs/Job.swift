// SPDX-License-Identifier: MIT

/// A piece of work that a manager can run: a request, a local job, or one of your own.
///
/// ``RequestNode`` and ``LocalJob`` are the two that come along. Anything that conforms can run alone, in a concurrent
/// group and in a chain.
public protocol Job<Output>: Sendable {
    /// What the work results in.
    associatedtype Output: Sendable

    /// Does the work.
    ///
    /// - Parameter context: The manager, the group, and the result of the step before.
    /// - Returns: The result.
    /// - Throws: Whatever went wrong; `CancellationError` when the task is cancelled.
    func run(in context: JobContext) async throws -> Output
}

/// What a job is told about its surroundings.
public struct JobContext: Sendable {
    /// The manager that runs the job.
    public let manager: RestClientManager

    /// The group that the job belongs to, if any.
    public let groupID: GroupID?

    /// The result of the step before, when the job runs in a chain.
    public let previous: PreviousResult

    /// When the job must have ended, on the manager's clock.
    var deadline: Duration?

    /// Where the job leaves what the report of its run wants to know.
    var note: JobNote?

    /// How early the job is served, when a graph says so.
    var priority: JobPriority?

    /// What unsafe requests go out with, in a run with a journal.
    var passes: JournalPasses?

    init(manager: RestClientManager, groupID: GroupID? = nil, previous: PreviousResult = PreviousResult()) {
        self.manager = manager
        self.groupID = groupID
        self.previous = previous
    }
}
