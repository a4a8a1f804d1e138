// SPDX-License-Identifier: MIT

extension RestClientManager {
    /// Runs an operation whose exchanges are replayed from a fixture, or recorded into it.
    ///
    /// ```swift
    /// try await manager.withFixture(HARFixture(file, mode: .once)) { fixture in
    ///     #expect(try await book.total() == 1)
    ///     #expect(fixture.unused.isEmpty)
    /// }
    /// ```
    ///
    /// What is replayed takes the place of the wire: the whole pipeline works as against the server, and the responses' source
    /// is ``ResponseSource/dummy``. The fixture belongs to the task and those that it starts, so that tests may run at once
    /// on one manager; its calls share no stored answers with calls outside. The file is written when the operation has ended
    /// without an error.
    ///
    /// - Parameters:
    ///   - fixture: The file, and how to use it.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: What to run; it is handed the fixture in use.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws, and ``RestClientError`` when the fixture cannot be read, is too old, cannot be
    ///   written, or would hold what looks like a secret.
    public func withFixture<Result>(
        _ fixture: HARFixture,
        isolation: isolated (any Actor)? = #isolation,
        operation: (HARReplay) async throws -> Result
    ) async throws -> Result {
        try await Self.withFixture(fixture, of: core.taps, isolation: isolation, operation: operation)
    }

    /// Runs an operation in which the exchanges of all managers are replayed from a fixture, or recorded into it.
    ///
    /// It does for every manager what ``withFixture(_:isolation:operation:)-swift.method`` does for one: for tests of code that
    /// makes its managers itself.
    ///
    /// - Parameters:
    ///   - fixture: The file, and how to use it.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: What to run; it is handed the fixture in use.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws, and ``RestClientError`` when the fixture cannot be read, is too old, cannot be
    ///   written, or would hold what looks like a secret.
    public static func withFixture<Result>(
        _ fixture: HARFixture,
        isolation: isolated (any Actor)? = #isolation,
        operation: (HARReplay) async throws -> Result
    ) async throws -> Result {
        try await withFixture(fixture, of: nil, isolation: isolation, operation: operation)
    }

    private static func withFixture<Result>(
        _ fixture: HARFixture,
        of owner: ExchangeTaps?,
        isolation: isolated (any Actor)?,
        operation: (HARReplay) async throws -> Result
    ) async throws -> Result {
        let replay = try HARReplay(fixture)
        let result = try await ExchangeTaps.withTap(
            replay,
            of: owner,
            isIsolated: true,
            isolation: isolation,
            operation: { try await operation(replay) }
        )
        if fixture.mode == .all || !replay.recorder.archive.entries.isEmpty {
            try replay.archive.write(to: fixture.file, rules: fixture.rules)
        }
        return result
    }
}
