// SPDX-License-Identifier: MIT

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

    /// Sets the reaction of the run to the failure of a node that has none of its own.
    ///
    /// - Parameter reaction: The reaction.
    /// - Returns: The option.
    public static func onFailure(_ reaction: FailureReaction) -> RunOption {
        RunOption { $0.onFailure = reaction }
    }

    /// Sets the identifier of the run, so that it is known before the run begins.
    ///
    /// - Parameter id: An identifier that no other run has.
    /// - Returns: The option.
    public static func id(_ id: GroupID) -> RunOption {
        RunOption { $0.id = id }
    }

    /// Makes the random part of waits the same in every run.
    ///
    /// - Parameter seed: Any number.
    /// - Returns: The option.
    public static func seed(_ seed: UInt64) -> RunOption {
        RunOption { $0.seed = seed }
    }
}
