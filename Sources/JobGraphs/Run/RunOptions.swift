// SPDX-License-Identifier: MIT

/// The options of one run of a ``JobGraph``, written as a list.
///
/// ```swift
/// let run = try await manager.run(graph, options: [.timeout(.seconds(30)), .onFailure(.stop)])
/// ```
public struct RunOptions: Sendable, ExpressibleByArrayLiteral {
    /// The time limit of the run; none by default.
    ///
    /// Nodes get what is left of it, so that a call late in the run is not given its whole usual time. When it is over,
    /// what runs has failed with ``JobGraphError/Code-swift.struct/timeout`` and what has not begun is not run. The run
    /// ends then, even when a job ignores its cancellation; such a job keeps its worker slot for as long as it goes on.
    package var timeout: Duration?

    /// The reaction to the failure of a node; by default everything continues that does not depend on it.
    package var onFailure = FailureReaction.goOn

    /// The seed of the jitter of waits, for repeatable runs; random by default.
    package var seed: UInt64?

    /// Creates the default options.
    package init() {}

    /// Creates options from a list; of two that contradict each other the later one counts.
    public init(arrayLiteral elements: RunOption...) {
        for element in elements {
            element.apply(&self)
        }
    }
}

/// One entry of ``RunOptions``.
public struct RunOption: Sendable {
    let apply: @Sendable (inout RunOptions) -> Void

    /// Limits the time that the run may take.
    ///
    /// - Parameter limit: The time from the start of the run.
    /// - Returns: The option.
    public static func timeout(_ limit: Duration) -> RunOption {
        RunOption { $0.timeout = limit }
    }

    /// Says what becomes of the run when a node fails.
    ///
    /// - Parameter reaction: Whether the rest goes on, and whether what runs is cancelled.
    /// - Returns: The option.
    public static func onFailure(_ reaction: FailureReaction) -> RunOption {
        RunOption { $0.onFailure = reaction }
    }

    /// Makes the random parts of waits the same in every run.
    ///
    /// - Parameter seed: Any number.
    /// - Returns: The option.
    public static func seed(_ seed: UInt64) -> RunOption {
        RunOption { $0.seed = seed }
    }
}
