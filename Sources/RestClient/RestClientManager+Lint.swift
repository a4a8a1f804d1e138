// SPDX-License-Identifier: MIT

import JobGraphs

extension RestClientManager {
    /// Returns the faults of the registries: unknown aliases, invalid addresses, path templates that cannot be parsed,
    /// defaults without a placeholder, cache policies that need memory where there is none, strategies that the dogma
    /// does not have, and idempotency keys, signers and `.netrc` files without an effect.
    ///
    /// The tables are checked with each environment, and without one if none is active.
    ///
    /// Call it at the start of a program, or in a test. `RestClientTesting` has `lintDummies()`.
    ///
    /// ```swift
    /// #expect(await manager.lint().isEmpty)
    /// ```
    ///
    /// - Returns: The issues.
    public func lint() async -> [LintIssue] {
        core.registries.issues(
            in: EnvironmentScope.innermost(for: core.registries),
            limitedServers: workers.limits.all.keys.sorted().map { ServerAlias(rawValue: $0) }
        ) + policiesWithoutMemory()
    }

    /// Returns the cache policies that keep something in memory, if the cache must not use any.
    private func policiesWithoutMemory() -> [LintIssue] {
        guard core.cache.responses.place.storage.memoryByteLimit <= 0 else {
            return []
        }
        return core.snapshot.levels
            .compactMap { name, options in
                guard let policy = options[.cachePolicy], policy.isInMemory || policy.keepsModels else {
                    return nil
                }
                return LintIssue(
                    kind: .ineffectiveOption,
                    message: "the cache policy of \(name) keeps responses or models in memory, and the configuration's "
                        + "cache.memoryByteLimit leaves no room for any; raise it"
                )
            }
    }
}
