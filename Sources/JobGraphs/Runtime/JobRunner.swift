// SPDX-License-Identifier: MIT

/// Runs jobs, groups of them and graphs.
///
/// ``JobRuntime`` is one that needs nothing else.
public protocol JobRunner: Sendable {
    /// The runtime that does the work.
    var jobHost: JobHost { get }
}
