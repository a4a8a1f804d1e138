// SPDX-License-Identifier: MIT

/// The surroundings of a call, read once when it begins, because its requests may be made in another task.
struct CallSurroundings: Sendable {
    /// The environment of the task; `nil` for the one in force.
    var environment: EnvironmentLayer?
    /// The dummies that the call may see.
    let dummies: DummySurroundings
    /// Separates stored responses and shared requests of a fixture; `nil` outside of fixtures.
    var fixture: String?
    /// The token sources whose refreshes the call is part of, the innermost first.
    var refreshing: [TokenSource] = []

    /// Reads the surroundings of the current task.
    static func current(_ core: ClientCore) -> CallSurroundings {
        CallSurroundings(
            environment: EnvironmentScope.innermost(for: core.registries),
            dummies: .current(core.dummies),
            fixture: core.taps.cachePartition,
            refreshing: TokenRefreshScope.sources
        )
    }

    /// True outside of all scopes and without dummies: such calls differ only in their nodes.
    var arePlain: Bool {
        environment == nil && dummies.areAbsent && fixture == nil && refreshing.isEmpty
    }

    /// Returns the partition of the call's stored responses and shared requests; `nil` outside of environments and
    /// scopes.
    func scope(_ environment: EnvironmentLayer?, _ dummies: DummyLookup?) -> String? {
        let parts = [dummies?.cachePartition, fixture, environment?.partition].compactMap { $0 }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
}
