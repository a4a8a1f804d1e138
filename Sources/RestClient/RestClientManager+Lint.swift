// SPDX-License-Identifier: MIT

import JobGraphs

extension RestClientManager {
    /// Returns the faults of the registries: unknown aliases, invalid addresses, path templates that cannot be parsed,
    /// and defaults without a placeholder.
    ///
    /// The tables are checked with each environment, and without one if none is active.
    ///
    /// Call it at the start of a program, or in a test. `RestClientTesting` has `lintDummies()`.
    ///
    /// ```swift
    /// #expect(manager.lint().isEmpty)
    /// ```
    ///
    /// - Returns: The issues.
    public func lint() -> [LintIssue] {
        core.registries.issues(
            in: EnvironmentScope.innermost(for: core.registries),
            limitedServers: workers.limits.all.keys.sorted().map { ServerAlias(rawValue: $0) }
        )
    }
}
