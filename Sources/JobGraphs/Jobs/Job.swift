// SPDX-License-Identifier: MIT

/// A piece of work that a ``JobRunner`` can run: a ``LocalJob``, or one of your own.
///
/// A conforming type can run alone, in a concurrent group, in a chain and as a node of a graph.
public protocol Job<Output>: Sendable {
    /// The result of the work.
    associatedtype Output: Sendable

    /// Does the work.
    ///
    /// - Parameter context: The runtime, the group, and the result of the previous step.
    /// - Returns: The result.
    /// - Throws: The error of the work; `CancellationError` when the task is cancelled.
    func run(in context: JobContext) async throws -> Output
}

package protocol RequestJob: Job {
    /// The name of the request in the report of a group, without secrets.
    var label: String { get }
}

/// A job that loads a listing page by page, each as a part of it: see ``JobContext/part(_:_:)``.
package protocol ListingJob: Job {}

extension JobKind {
    init<Work: Job>(of type: Work.Type) {
        self = type is any RequestJob.Type ? .request : type is any ListingJob.Type ? .pages : .job
    }
}

protocol SlottedJob: Job {
    var name: String { get }

    var ownPriority: JobPriority { get }

    /// Does the work in a slot and on no actor.
    func perform(after previous: PreviousResult) async throws -> Output
}
