// SPDX-License-Identifier: MIT

/// Runs jobs, groups of them and graphs.
///
/// ``JobRuntime`` is the runner without dependencies.
public protocol JobRunner: Sendable {
    /// The runtime that runs the jobs.
    var jobHost: JobHost { get }
}
