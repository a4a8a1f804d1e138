// SPDX-License-Identifier: MIT

import RestEssentials

struct EnvironmentScope: Sendable {
    private static let scopes = TaskScope<EnvironmentScope>()

    private let layer: EnvironmentLayer
    private let owner: Registries

    /// Runs an operation in a scope.
    static func open<Result>(
        _ layer: EnvironmentLayer,
        owner: Registries,
        isolation: isolated (any Actor)?,
        operation: () async throws -> Result
    ) async throws -> Result {
        let scope = EnvironmentScope(layer: layer, owner: owner)
        return try await scopes.open(scope, isolation: isolation, operation: operation)
    }

    /// Returns the environment of the task for the manager with these tables; `nil` outside of scopes.
    static func innermost(for owner: Registries) -> EnvironmentLayer? {
        scopes.innermost { $0.owner === owner }?.layer
    }
}
