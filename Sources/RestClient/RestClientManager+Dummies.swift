// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// The dummies that respond instead of servers.
    ///
    /// Off by default.
    ///
    /// Within ``withDummies(_:_:isolation:operation:)-swift.method`` these are the dummies of the innermost scope.
    public var dummies: DummyRegistry {
        DummyScope.innermost(for: core.dummies)?.registry ?? core.dummies
    }

    package var dummyDirectory: any DummyDirectory { core.snapshot }

    /// Runs an operation with its own dummies, which only the calls made within it see.
    ///
    /// ```swift
    /// try await manager.withDummies(.strict) {
    ///     manager.dummies.register(.get, "/orders") { _ in .json([Order(id: 7)]) }
    ///     #expect(try await book.total() == 1)
    /// }
    /// ```
    ///
    /// The scope belongs to the task and is inherited by its child tasks, but not by `Task.detached`. Other tasks are
    /// not affected, so that tests can run concurrently on one manager. Scopes nest: the dummies of an inner scope come
    /// first, then those of the enclosing scopes, and finally the manager's own unless they are disabled; the innermost
    /// mode applies. What a scope learns stays in it: stored responses, journals, guards, tokens, cookies and the calls
    /// under way; other scopes and calls outside are as if it had never been.
    ///
    /// - Parameters:
    ///   - mode: Decides which requests dummies respond to; all by default.
    ///   - dummies: The dummies to register first; none by default.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error.
    public func withDummies<Result, Failure: Error>(
        _ mode: DummyMode = .strict,
        _ dummies: [Dummy] = [],
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        let registry = DummyRegistry(mode: mode)
        return try await Self.withScope(registry, dummies, core.dummies, isolation: isolation, operation: operation)
    }

    /// Runs an operation with its own dummies, for the calls of all managers.
    ///
    /// It has the effect of ``withDummies(_:_:isolation:operation:)-swift.method`` for every manager, for tests of code
    /// that creates its managers itself.
    ///
    /// The operation receives the dummies of the scope.
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
        _ owner: DummyRegistry?,
        isolation: isolated (any Actor)?,
        operation: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        for dummy in dummies {
            registry.register(dummy)
        }
        // Task-local values do not preserve typed errors, so the outcome leaves the scope as a value.
        let outcome: Swift.Result<Result, Failure> = await DummyScope.open(
            registry,
            owner: owner,
            isolation: isolation
        ) {
            do throws(Failure) {
                return .success(try await operation())
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
