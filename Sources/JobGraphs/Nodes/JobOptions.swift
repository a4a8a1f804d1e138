// SPDX-License-Identifier: MIT

/// The options of one node of a ``JobGraph``: one, or a list.
///
/// ```swift
/// graph.local("book", after: order, options: [.retry(3), .timeout(.seconds(5)), .mutex("ledger")]) { order in
///     try await ledger.book(order)
/// }
/// ```
public struct JobOptions: Sendable, ExpressibleByArrayLiteral {
    package var retry: RetryPolicy?
    package var timeout: Duration?
    package var onFailure: FailureReaction?
    package var priority: JobPriority?
    package var mutexKeys: Set<String> = []
    package var tags: [String] = []
    package var unknownOutcome: UnknownOutcome?
    var conditions: [(handle: JobHandle<Bool>, expected: Bool)] = []

    package init() {}

    private init(_ set: (inout JobOptions) -> Void) {
        set(&self)
    }

    /// Creates options from a list; of two contradictory entries, the later one wins.
    public init(arrayLiteral elements: JobOptions...) {
        for other in elements {
            retry = other.retry ?? retry
            timeout = other.timeout ?? timeout
            onFailure = other.onFailure ?? onFailure
            priority = other.priority ?? priority
            mutexKeys.formUnion(other.mutexKeys)
            tags += other.tags
            unknownOutcome = other.unknownOutcome ?? unknownOutcome
            conditions += other.conditions
        }
    }
}

// MARK: - Entries

extension JobOptions {
    /// Retries work that failed, by a policy.
    ///
    /// - Parameter policy: The number of attempts, the waits, and the errors that are retried; a literal is a number of
    ///   attempts.
    /// - Returns: The option.
    public static func retry(_ policy: RetryPolicy) -> JobOptions {
        JobOptions { $0.retry = policy }
    }

    /// Limits the time that the node may take with all its attempts and its waits for keys and slots.
    ///
    /// A job that ignores its cancellation is abandoned: the node fails at the limit, and the job keeps its worker slot
    /// and its mutex keys until it ends.
    ///
    /// - Parameter limit: The time from the moment at which the node's last input is ready.
    /// - Returns: The option.
    public static func timeout(_ limit: Duration) -> JobOptions {
        JobOptions { $0.timeout = limit }
    }

    /// Sets the priority of the node's work while it waits for a worker.
    ///
    /// - Parameter priority: The priority.
    /// - Returns: The option.
    public static func priority(_ priority: JobPriority) -> JobOptions {
        JobOptions { $0.priority = priority }
    }

    /// Sets the reaction of the run to the failure of this node, in place of its ``RunOptions/onFailure(_:)``.
    ///
    /// With ``FailureReaction/ignore`` the run succeeds although the node fails. Nodes that need its result are still
    /// skipped; nodes that are only ordered after it run.
    ///
    /// - Parameter reaction: The reaction to the failure of the node, and not of an element of a loop.
    /// - Returns: The option.
    public static func onFailure(_ reaction: FailureReaction) -> JobOptions {
        JobOptions { $0.onFailure = reaction }
    }

    /// Excludes the node from running at the same time as another node with the same key, in all runs of a runtime.
    ///
    /// A node waits for its keys before it waits for a worker slot, and holds them until it has ended. Several keys of
    /// a node are always taken in the same order, so that nodes cannot block each other. Nodes inside a sub-graph may
    /// name a key that the sub-graph's node holds; they exclude one another. If that node holds some keys, and nodes
    /// inside need more, let it name all of them, because otherwise two such nodes can wait for each other. Do not use
    /// a key both inside of a ``LocalJob`` and outside: the job's work waits for the key, and the holder perhaps for
    /// the job's slot.
    ///
    /// - Parameter keys: The names.
    /// - Returns: The option.
    public static func mutex(_ keys: String...) -> JobOptions {
        JobOptions { $0.mutexKeys.formUnion(keys) }
    }

    /// Adds labels to the node for reports.
    ///
    /// - Parameter tags: The labels.
    /// - Returns: The option.
    public static func tags(_ tags: String...) -> JobOptions {
        JobOptions { $0.tags += tags }
    }

    /// Sets the policy for unsafe work whose outcome is unknown, in a run with a journal.
    ///
    /// - Parameter policy: The policy: the node fails, the work is repeated, or the node counts as done.
    /// - Returns: The option.
    public static func unknownOutcome(_ policy: UnknownOutcome) -> JobOptions {
        JobOptions { $0.unknownOutcome = policy }
    }

    /// Runs the node only when a condition holds; otherwise it is skipped.
    ///
    /// - Parameter condition: A node that results in a truth value, for example one of
    ///   ``JobGraph/condition(_:after:options:_:)``.
    /// - Returns: The option.
    public static func onlyIf(_ condition: JobHandle<Bool>) -> JobOptions {
        JobOptions { $0.conditions.append((condition, true)) }
    }

    /// Runs the node only when a condition does not hold; otherwise it is skipped.
    ///
    /// - Parameter condition: A node that results in a truth value.
    /// - Returns: The option.
    public static func unless(_ condition: JobHandle<Bool>) -> JobOptions {
        JobOptions { $0.conditions.append((condition, false)) }
    }
}
