// SPDX-License-Identifier: MIT

public import JobGraphs

extension RestClientManager: JobRunner {
    /// The runtime that runs the manager's jobs, groups and graphs.
    public var jobHost: JobHost { JobHost(core.jobs, owner: self) }
}

extension JobContext {
    /// The manager that runs the job; ``RestClientManager/shared`` if a runtime without a manager does.
    public var manager: RestClientManager { host.owner as? RestClientManager ?? .shared }
}
