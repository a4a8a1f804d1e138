// SPDX-License-Identifier: MIT

/// The reaction of a run to the failure of a node whose failure is not tolerated.
public enum FailureReaction: Sendable, Hashable {
    /// Every node that does not need the failed node still runs.
    case `continue`
    /// No node begins any more; running nodes may finish.
    case stop
    /// No node begins any more, and running nodes are cancelled.
    case cancel
}
