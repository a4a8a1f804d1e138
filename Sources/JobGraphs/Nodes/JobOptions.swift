// SPDX-License-Identifier: MIT

/// The options of one node of a ``JobGraph``, written as a list.
///
/// ```swift
/// graph.local("book", after: order, options: [.retry(3), .timeout(.seconds(5)), .mutex("ledger")]) { order in
///     try await ledger.book(order)
/// }
/// ```
public struct JobOptions: Sendable, ExpressibleByArrayLiteral {
    /// The policy for repeating failed work; none by default.
    package var retry: RetryPolicy?

    /// The time limit of the node, including all attempts and waits for keys and slots, from the moment at which its
    /// last input is ready; none by default.
    ///
    /// A job that ignores its cancellation is abandoned: the node fails at the limit, and the job keeps its worker slot
    /// and its mutex keys until it ends.
    package var timeout: Duration?

    /// The reaction of the run to the failure of this node; its own by default.
    package var onFailure: FailureReaction?

    /// The priority of the node's jobs while they wait for a worker; their own by default.
    package var priority: JobPriority?

    /// The mutex keys; only one node at a time may hold each of them, in all runs of a runtime.
    package var mutexKeys: Set<String> = []

    /// Labels for reports.
    package var tags: [String] = []

    /// The policy for unsafe work whose outcome is unknown, in a run with a journal; the journal's by default.
    package var unknownOutcome: UnknownOutcome?

    /// The condition for the node to run.
    var conditions: [(handle: JobHandle<Bool>, expected: Bool)] = []

    /// Creates the default options.
    package init() {}

    /// Creates options from a list; of two contradictory entries, the later one wins.
    public init(arrayLiteral elements: JobOption...) {
        for element in elements {
            element.apply(&self)
        }
    }
}
