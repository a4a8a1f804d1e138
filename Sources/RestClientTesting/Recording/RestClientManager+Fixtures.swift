// SPDX-License-Identifier: MIT

public import RestClient
public import RestClientRecording

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
    /// Recorded responses take the place of the wire: the pipeline works as against a server, and the source of
    /// responses is `ResponseSource.dummy`. The fixture belongs to the task and its child tasks, so that tests can run
    /// concurrently on one manager. Calls in the scope share no stored responses with calls outside. The file is
    /// written when the operation has ended without an error.
    ///
    /// - Parameters:
    ///   - fixture: The file and how to use it.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: The operation. Its argument is the replay in use.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, and `RestClientError` if the fixture cannot be read, is too old, cannot be
    ///   written, or would contain what looks like a secret.
    public func withFixture<Result>(
        _ fixture: HARFixture,
        isolation: isolated (any Actor)? = #isolation,
        operation: (HARReplay) async throws -> Result
    ) async throws -> Result {
        try await fixture.run(of: self, isolation: isolation, operation: operation)
    }

    /// Runs an operation in which the exchanges of all managers are replayed from a fixture, or recorded into it.
    ///
    /// It does for every manager what ``withFixture(_:isolation:operation:)-swift.method`` does for one: for tests of
    /// code that creates its managers itself.
    ///
    /// - Parameters:
    ///   - fixture: The file and how to use it.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: The operation. Its argument is the replay in use.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, and `RestClientError` if the fixture cannot be read, is too old, cannot be
    ///   written, or would contain what looks like a secret.
    public static func withFixture<Result>(
        _ fixture: HARFixture,
        isolation: isolated (any Actor)? = #isolation,
        operation: (HARReplay) async throws -> Result
    ) async throws -> Result {
        try await fixture.run(of: nil, isolation: isolation, operation: operation)
    }
}
