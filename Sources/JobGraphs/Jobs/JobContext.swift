// SPDX-License-Identifier: MIT

/// The context in which a job runs.
public struct JobContext: Sendable {
    package let host: JobHost

    /// The group that the job belongs to, if any.
    public let groupID: GroupID?

    /// The result of the previous step, when the job runs in a chain.
    public let previous: PreviousResult

    /// The time, on the runtime's clock, at which the job must have ended.
    package internal(set) var deadline: Duration?

    package internal(set) var note: JobNote?

    /// The time, on the runtime's clock, at which the run of the job's notes began.
    var runStart = Duration.zero

    var isWholeWork = false

    package internal(set) var priority: JobPriority?

    package internal(set) var unsafeWork: UnsafeWorks?

    var reservation: SlotReservation?

    package init(_ host: JobHost, groupID: GroupID? = nil, previous: PreviousResult = PreviousResult()) {
        self.host = host
        self.groupID = groupID
        self.previous = previous
    }

    /// The runtime that runs the job.
    public var runtime: JobRuntime { host.runtime }
}
