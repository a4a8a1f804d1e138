// SPDX-License-Identifier: MIT

/// Decides the state of a server from the ends of checks, which may overlap, without I/O.
struct ReachabilityStateMachine: Sendable {
    private(set) var state = Reachability.unknown
    private var lastBegun = 0
    private var lastEnded = 0

    mutating func begin() -> Int {
        lastBegun += 1
        return lastBegun
    }

    /// Ends a check; one that began before another one that has ended changes nothing.
    mutating func end(_ check: Int, isReachable: Bool) -> Reachability? {
        guard check > lastEnded else {
            return nil
        }
        lastEnded = check
        let next: Reachability = isReachable ? .reachable : .unreachable
        guard next != state else {
            return nil
        }
        state = next
        return next
    }
}
