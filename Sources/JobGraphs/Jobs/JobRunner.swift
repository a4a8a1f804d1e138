// SPDX-License-Identifier: MIT

/// Runs jobs, groups of them and graphs.
///
/// ``JobRuntime`` is the runner without dependencies.
public protocol JobRunner: Sendable {
    /// The runtime that runs the jobs.
    var jobHost: JobHost { get }
}

extension JobRunner {
    /// Cancels the group or the run of a graph that was started with an identifier.
    ///
    /// ```swift
    /// let id = GroupID()
    /// stopButton.action = { runtime.cancelGroup(id) }
    /// let report = await runtime.serially(steps, id: id)
    /// ```
    ///
    /// It ends as if its task were cancelled: running members are cancelled, and others do not begin. Calling it again
    /// does nothing.
    ///
    /// - Parameter id: The identifier that was passed to the group or the run.
    /// - Returns: True if it was under way.
    @discardableResult
    public func cancelGroup(_ id: GroupID) -> Bool {
        guard let run = jobHost.runtime.namedRuns[id] else {
            return false
        }
        run.cancel()
        return true
    }
}

/// A runtime together with the object that runs jobs on it.
public struct JobHost: Sendable {
    package let runtime: JobRuntime
    /// The owner of the runtime, for its jobs; `nil` when there is none.
    package let owner: (any AnyObject & Sendable)?

    package init(_ runtime: JobRuntime, owner: (any AnyObject & Sendable)? = nil) {
        self.runtime = runtime
        self.owner = owner
    }
}
