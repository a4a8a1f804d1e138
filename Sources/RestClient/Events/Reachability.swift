// SPDX-License-Identifier: MIT

/// The state of a server as a ``ReachabilityProbe`` saw it last.
public enum Reachability: String, Sendable, Hashable, CaseIterable {
    /// It was not asked yet.
    case unknown
    /// It responded, with any status.
    case reachable
    /// It did not respond.
    case unreachable
}
