// SPDX-License-Identifier: MIT

public import RestClient
public import RestClientRecording
public import RestEssentials

/// A recording in a file, and the way a test uses it: replayed, recorded, or both.
public struct HARFixture: Sendable {
    /// Decides which requests are replayed and which are recorded.
    public enum Mode: String, Sendable {
        /// Replays everything. Requests that were not recorded fail.
        case none
        /// Records everything if the file does not exist, and replays everything otherwise.
        case once
        /// Replays what was recorded. Other requests go to the network and are added to the file.
        case new
        /// Sends everything to the network and replaces the file.
        case all
    }

    /// The file.
    public var file: URL

    /// Decides which requests are replayed and which are recorded.
    ///
    /// Defaults to ``Mode-swift.enum/none``.
    public var mode = Mode.none

    /// The order in which requests may come.
    ///
    /// Defaults to any.
    public var order = HARReplay.Order.any

    /// The rules that decide what is recorded, and which parts distinguish requests.
    public var rules = RecordingRules()

    /// The maximum age of the oldest exchange.
    ///
    /// Defaults to none.
    ///
    /// An older recording fails, as a reminder to check that the server still responds in this way.
    public var maxAge: Duration?

    /// Returns the current time.
    public var now: @Sendable () -> Date = { Date() }

    /// Creates a fixture.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - mode: Decides which requests are replayed and which are recorded.
    public init(_ file: URL, mode: Mode = .none) {
        self.file = file
        self.mode = mode
    }
}

// MARK: - Use

extension HARFixture {
    /// Runs an operation whose exchanges are replayed from the fixture, or recorded into it.
    ///
    /// ```swift
    /// try await HARFixture(file, mode: .once).use(of: manager) { replay in
    ///     #expect(try await book.total() == 1)
    ///     #expect(replay.unused.isEmpty)
    /// }
    /// ```
    ///
    /// Recorded responses replace the transport: the pipeline works as it does with a server, and the source of
    /// responses is `ResponseSource.dummy`. The fixture belongs to the task and its child tasks, so that tests can run
    /// concurrently on one manager. Calls in the scope share no stored responses with calls outside. The file is
    /// written when the operation has ended without an error.
    ///
    /// - Parameters:
    ///   - manager: The manager; all managers by default, for code that creates its managers itself.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: The operation. Its argument is the replay in use.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error, and `RestClientError` if the fixture cannot be read, is too old, cannot be
    ///   written, or would contain a value that looks like a secret.
    public func use<Result>(
        of manager: RestClientManager? = nil,
        isolation: isolated (any Actor)? = #isolation,
        operation: (HARReplay) async throws -> Result
    ) async throws -> Result {
        let archive = try archive()
        let isRecording = mode == .new || (mode != .none && archive == nil)
        let recorder = isRecording ? HARRecorder(rules: rules, now: now) : nil
        let replay = HARReplay(archive, rules: rules, order: order, recorder: recorder)
        let result = try await replay.replay(of: manager, isolation: isolation) { try await operation(replay) }
        if mode == .all || recorder.map({ !$0.archive.entries.isEmpty }) ?? false {
            try replay.archive.write(to: file, rules: rules)
        }
        return result
    }

    private func archive() throws(RestClientError) -> HAR? {
        let exists = FileManager.default.fileExists(atPath: file.path)
        switch mode {
        case .all: return nil
        case .once, .new: return exists ? try checked(HAR(file: file)) : nil
        case .none:
            guard exists else {
                throw RestClientError(
                    .invalidRecording,
                    "there is no recording '\(file.path)'; the mode .once creates it"
                )
            }
            return try checked(HAR(file: file))
        }
    }

    private func checked(_ archive: HAR) throws(RestClientError) -> HAR {
        guard let maxAge, let oldest = archive.entries.map(\.startedAt).min() else {
            return archive
        }
        let age = now().timeIntervalSince(oldest)
        guard age <= maxAge / .seconds(1) else {
            throw RestClientError(
                .recordingExpired,
                "the recording '\(file.path)' is \(Self.words(.seconds(age))) old, and may be \(Self.words(maxAge)); "
                    + "record it again with the mode .all"
            )
        }
        return archive
    }

    private static func words(_ age: Duration) -> String {
        let seconds = Int64(age / .seconds(1))
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        switch seconds {
        case ..<3_600: return "\(seconds) s"
        case ..<172_800: return "\(hours) h \(minutes < 10 ? "0" : "")\(minutes) min"
        default: return "\(hours / 24) days"
        }
    }
}
