// SPDX-License-Identifier: MIT

/// The surroundings of a call, read once when it begins, because its requests may be made in another task.
struct CallSurroundings: Sendable {
    /// The environment of the task; `nil` for the one in force.
    var environment: EnvironmentLayer?
    let dummies: DummySurroundings
    /// The scope whose states the call uses if dummies may respond to it; `nil` outside of scopes.
    var isolation: CallIsolation?
    /// The scope whose states the call uses if no dummy may respond to it: that of a recording.
    var fixture: CallIsolation?
    /// The token sources whose refreshes the call is part of, the innermost first.
    var refreshing: [TokenSource] = []

    static func current(_ core: ClientCore) -> CallSurroundings {
        CallSurroundings(
            environment: EnvironmentScope.innermost(for: core.registries),
            dummies: .current(core.dummies),
            isolation: core.isolation,
            fixture: CallIsolation.innermost(for: core.dummies, seesDummies: false),
            refreshing: TokenRefreshScope.sources
        )
    }

    /// True outside of all scopes and without dummies: such calls differ only in their nodes.
    var arePlain: Bool {
        environment == nil && dummies.areAbsent && isolation == nil && fixture == nil && refreshing.isEmpty
    }
}
