// SPDX-License-Identifier: MIT

import RestEssentials

/// Dummies that only the task which opened the scope and its child tasks see.
struct DummyScope: Sendable {
    private static let scopes = TaskScope<DummyScope>()

    let registry: DummyRegistry

    /// The dummies of the manager that the scope is for; `nil` if it is for every manager.
    private let owner: DummyRegistry?

    /// Runs an operation in a scope of the manager with these dummies; of every manager if `owner` is `nil`.
    static func open<Result>(
        _ registry: DummyRegistry,
        owner: DummyRegistry?,
        isolation: isolated (any Actor)?,
        operation: () async -> Result
    ) async -> Result {
        let scope = DummyScope(registry: registry, owner: owner)
        let isOn: @Sendable () -> Bool = { registry.isActive }
        let leave: CallIsolation.Leave = { start in DummyScope.scopes.leave { start() } }
        return await CallIsolation.open(
            "dummies",
            isOfDummies: true,
            owner: owner,
            isOn: isOn,
            leave: leave,
            isolation: isolation
        ) {
            await scopes.open(scope, isolation: isolation, operation: operation)
        }
    }

    static func innermost(for owner: DummyRegistry) -> DummyScope? {
        scopes.innermost { $0.isFor(owner) }
    }

    /// Returns all scopes of the task that are for the manager with these dummies, innermost first.
    static func all(for owner: DummyRegistry) -> [DummyScope] {
        scopes.contents.filter { $0.isFor(owner) }
    }

    private func isFor(_ owner: DummyRegistry) -> Bool {
        self.owner.map { $0 === owner } ?? true
    }
}
