// SPDX-License-Identifier: MIT

/// The moments at which SQLite waits for the disk (`PRAGMA synchronous`).
package enum SQLiteSynchronous: Sendable, Hashable {
    /// At checkpoints: commits survive the death of the process, the last ones not a loss of power.
    case normal
    /// At every commit: commits survive a loss of power.
    case full

    var pragma: String {
        switch self {
        case .normal: "NORMAL"
        case .full: "FULL"
        }
    }
}
