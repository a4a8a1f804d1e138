// SPDX-License-Identifier: MIT

/// The options of one run of a ``JobGraph``: one, or a list.
///
/// ```swift
/// let run = try await runtime.run(graph, options: [.timeout(.seconds(30)), .onFailure(.stop)])
/// ```
public struct RunOptions: Sendable, ExpressibleByArrayLiteral {
    package var timeout: Duration?
    package var onFailure: FailureReaction?
    package var seed: UInt64?
    package var id: GroupID?

    package init() {}

    private init(_ set: (inout RunOptions) -> Void) {
        set(&self)
    }

    /// Creates options from a list; of two contradictory entries, the later one wins.
    public init(arrayLiteral elements: RunOptions...) {
        for other in elements {
            timeout = other.timeout ?? timeout
            onFailure = other.onFailure ?? onFailure
            seed = other.seed ?? seed
            id = other.id ?? id
        }
    }
}

// MARK: - Entries

extension RunOptions {
    /// Limits the time that the run may take.
    ///
    /// A node's own time limit is shortened to the time that remains. At the limit, running nodes fail with
    /// ``JobGraphError/Code-swift.struct/timeout``, and nodes that have not begun are not run. The run ends even when a
    /// job ignores its cancellation; such a job keeps its worker slot until it ends.
    ///
    /// - Parameter limit: The time from the start of the run.
    /// - Returns: The option.
    public static func timeout(_ limit: Duration) -> RunOptions {
        RunOptions { $0.timeout = limit }
    }

    /// Sets the reaction of the run to the failure of a node that sets none.
    ///
    /// - Parameter reaction: The reaction.
    /// - Returns: The option.
    public static func onFailure(_ reaction: FailureReaction) -> RunOptions {
        RunOptions { $0.onFailure = reaction }
    }

    /// Sets the identifier of the run, so that it is known before the run begins.
    ///
    /// - Parameter id: An identifier that no other run has.
    /// - Returns: The option.
    public static func id(_ id: GroupID) -> RunOptions {
        RunOptions { $0.id = id }
    }

    /// Makes the random part of waits the same in every run.
    ///
    /// - Parameter seed: Any number.
    /// - Returns: The option.
    public static func seed(_ seed: UInt64) -> RunOptions {
        RunOptions { $0.seed = seed }
    }
}
