// SPDX-License-Identifier: MIT

/// A job that needs a worker slot, and nothing else, before it begins.
protocol SlottedJob: Job {
    /// The name in events and reports.
    var name: String { get }

    /// The priority of the job.
    var ownPriority: JobPriority { get }

    /// Does the work in a slot and on no actor.
    ///
    /// - Parameter previous: The result of the previous step.
    /// - Returns: The result.
    /// - Throws: The error of the work.
    func perform(after previous: PreviousResult) async throws -> Output
}
