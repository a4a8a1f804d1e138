// SPDX-License-Identifier: MIT

extension RunReport {
    /// The outcome of a whole run.
    public enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        /// No node failed, except where failure was ignored or handled by another node.
        case success
        /// A node failed, or was cancelled although neither the run nor the node was: by its own code, or as a call.
        case failure
        /// The run exceeded its time limit.
        case timedOut
        /// The run was cancelled.
        case cancelled
    }
}
