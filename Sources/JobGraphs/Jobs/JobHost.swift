// SPDX-License-Identifier: MIT

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
