// SPDX-License-Identifier: MIT

/// The scopes that a call begins in, read once from its task: the requests of the call may be made in another one.
struct CallSurroundings: Sendable {
    /// The environment of the task; `nil` for the one in force.
    let environment: EnvironmentLayer?

    /// The scopes of dummies for the call's manager, innermost first.
    let dummies: [DummyScope]

    /// Keeps stored responses and shared requests within a fixture; `nil` outside of fixtures.
    let fixturePartition: String?

    /// The token refresh that the call is part of.
    let refresh: TokenRefreshScope?

    /// Reads the scopes of the current task.
    static func current(_ core: ClientCore) -> CallSurroundings {
        CallSurroundings(
            environment: EnvironmentScope.innermost(for: core.registries),
            dummies: DummyScope.all(for: core.dummies),
            fixturePartition: core.taps.cachePartition,
            refresh: TokenRefreshScope.innermost
        )
    }

    /// Returns the partition of a call's stored responses and shared requests; `nil` outside of environments and
    /// scopes.
    func partition(_ environment: EnvironmentLayer?, _ dummies: DummyLookup?) -> String? {
        let parts = [dummies?.cachePartition, fixturePartition, environment?.partition].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
