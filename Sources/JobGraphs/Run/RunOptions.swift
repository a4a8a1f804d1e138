// SPDX-License-Identifier: MIT

/// The options of one run of a ``JobGraph``, written as a list.
///
/// ```swift
/// let run = try await runtime.run(graph, options: [.timeout(.seconds(30)), .onFailure(.stop)])
/// ```
public struct RunOptions: Sendable, ExpressibleByArrayLiteral {
    /// The time limit of the run; none by default.
    ///
    /// A node's own time limit is shortened to the time that remains. At the limit, running nodes fail with
    /// ``JobGraphError/Code-swift.struct/timeout``, and nodes that have not begun are not run. The run ends even when a
    /// job ignores its cancellation; such a job keeps its worker slot until it ends.
    package var timeout: Duration?

    /// The reaction to the failure of a node; by default all nodes that do not depend on it still run.
    package var onFailure = FailureReaction.continue

    package var seed: UInt64?

    package var id: GroupID?

    package init() {}

    /// Creates options from a list; of two contradictory entries, the later one wins.
    public init(arrayLiteral elements: RunOption...) {
        for element in elements {
            element.apply(&self)
        }
    }
}
