// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// The dummies that answer in the servers' place; switched off at first.
    ///
    /// Inside of ``withDummies(_:_:isolation:operation:)-swift.method`` these are the dummies of the innermost scope.
    public var dummies: DummyRegistry {
        DummyScope.innermost(for: core)?.registry ?? core.dummies
    }

    /// Runs an operation with dummies of its own, which only the calls made inside of it see.
    ///
    /// ```swift
    /// try await manager.withDummies(.strict) {
    ///     manager.dummies.register(.get, "/orders") { _ in .json([Order(id: 7)]) }
    ///     #expect(try await book.total() == 1)
    ///     try manager.dummies.verify(.get, "/orders", times: 1)
    /// }
    /// ```
    ///
    /// The scope belongs to the task: tasks that it starts inherit it, `Task.detached` does not, and tasks beside it see
    /// nothing of it, so that tests may run at once on one manager. Scopes nest: the dummies of an inner one come first,
    /// then those around it, and at last the manager's own unless these are off; the innermost mode holds. Calls of a scope
    /// share no stored answers with calls outside.
    ///
    /// - Parameters:
    ///   - mode: Which requests dummies answer; all by default.
    ///   - dummies: What to register at the beginning; nothing by default.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: What to run.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws.
    public func withDummies<Result, Failure: Error>(
        _ mode: DummyMode = .strict,
        _ dummies: [Dummy] = [],
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await Self.withScope(DummyRegistry(mode: mode), dummies, core, isolation: isolation, operation: operation)
    }

    /// Runs an operation with dummies of its own for the calls of all managers.
    ///
    /// It does for every manager what ``withDummies(_:_:isolation:operation:)-swift.method`` does for one: for tests of code
    /// that makes its managers itself.
    ///
    /// - Parameters:
    ///   - mode: Which requests dummies answer; all by default.
    ///   - dummies: What to register at the beginning; nothing by default.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: What to run; it is handed the dummies of the scope.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws.
    public static func withDummies<Result, Failure: Error>(
        _ mode: DummyMode = .strict,
        _ dummies: [Dummy] = [],
        isolation: isolated (any Actor)? = #isolation,
        operation: (DummyRegistry) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let registry = DummyRegistry(mode: mode)
        return try await withScope(registry, dummies, nil, isolation: isolation) { () async throws(Failure) -> Result in
            try await operation(registry)
        }
    }

    private static func withScope<Result, Failure: Error>(
        _ registry: DummyRegistry,
        _ dummies: [Dummy],
        _ core: ClientCore?,
        isolation: isolated (any Actor)?,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        for dummy in dummies {
            registry.register(dummy)
        }
        // withValue knows no typed errors: the outcome is carried out of it as a value.
        let outcome: Swift.Result<Result, Failure> = await DummyScope.$current.withValue(
            DummyScope(registry, core: core),
            operation: {
                do throws(Failure) {
                    return .success(try await operation())
                } catch {
                    return .failure(error)
                }
            },
            isolation: isolation
        )
        return try outcome.get()
    }
}
