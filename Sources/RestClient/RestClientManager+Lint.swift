// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// Lists everything in the registries that cannot work, all at once: dangling keys, addresses that are no URL, path
    /// templates that cannot be read, defaults without a placeholder, dummies that can never be chosen.
    ///
    /// Call it once at the start of a program, or in a test:
    ///
    /// ```swift
    /// #expect(manager.lint().isEmpty)
    /// ```
    ///
    /// - Returns: The faults; none when all is well.
    public func lint() -> [LintIssue] {
        RegistryLint.issues(
            in: core.registries.snapshot(),
            dummies: dummies.all,
            limitedServers: workers.limits.all.keys.sorted().map { ServerAlias(rawValue: $0) }
        )
    }
}
