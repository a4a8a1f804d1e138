// SPDX-License-Identifier: MIT

/// The instants at which the steps to a connection ended, in nanoseconds of one clock; 0 for what there was not.
package struct WireSteps: Sendable, Hashable {
    package var began: UInt64 = 0
    /// When a lookup of the user's own, or one for a proxy that wants addresses, had its result.
    package var found: UInt64 = 0
    package var connected: UInt64 = 0
    /// When the proxy led to the origin.
    package var passed: UInt64 = 0
    /// When TLS with the origin was set up.
    package var secured: UInt64 = 0

    package init() {}

    /// The steps that there were with the nanoseconds that each took, in their order.
    package var durations: [(name: String, nanoseconds: UInt64)] {
        var last = began
        var durations: [(name: String, nanoseconds: UInt64)] = []
        for (name, end) in [
            ("the lookup", found), ("connecting", connected), ("the proxy", passed), ("TLS", secured),
        ] where end > 0 {
            durations.append((name, end > last ? end - last : 0))
            last = max(last, end)
        }
        return durations
    }
}
