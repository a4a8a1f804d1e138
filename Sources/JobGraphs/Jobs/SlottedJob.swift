// SPDX-License-Identifier: MIT

protocol SlottedJob: Job {
    var name: String { get }

    var ownPriority: JobPriority { get }

    /// Does the work in a slot and on no actor.
    func perform(after previous: PreviousResult) async throws -> Output
}
