// SPDX-License-Identifier: MIT

/// The environment of a call, and the levels whose options come from it.
struct EnvironmentOrigin: Sendable, Hashable {
    /// The name; `nil` if the environment has none.
    let alias: EnvironmentAlias?
    let levels: Set<CallOptions.Level>

    /// Returns a level with the environment that it comes from, as in `server of 'staging'`.
    func text(of level: CallOptions.Level) -> String {
        guard levels.contains(level) else {
            return level.description
        }
        let name = alias.map { "'\(AliasText.shown($0.rawValue))'" }
        if level == .environment {
            return name.map { "environment \($0)" } ?? "environment"
        }
        return "\(level) of \(name ?? "the environment")"
    }
}
