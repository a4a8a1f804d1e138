// SPDX-License-Identifier: MIT

public import RestEssentials

/// A recording in a file, and how tests use it: replayed, recorded, or both.
public struct HARFixture: Sendable {
    /// When requests are replayed, and when they are recorded.
    public enum Mode: Sendable, Hashable {
        /// Everything is replayed; what was not recorded fails.
        case none
        /// Everything is recorded when the file does not exist, and replayed otherwise.
        case once
        /// What was recorded is replayed, and what was not goes to the network and is added to the file.
        case new
        /// Everything goes to the network, and the file is written anew.
        case all
    }

    /// In which order requests may come.
    public enum Order: Sendable, Hashable {
        /// As they were recorded.
        case strict
        /// In any order; the same request gets its responses in the order of their recording.
        case any
    }

    /// The file.
    public var file: URL

    /// When requests are replayed, and when they are recorded; ``Mode-swift.enum/none`` by default.
    public var mode = Mode.none

    /// In which order requests may come; any by default.
    public var order = Order.any

    /// What may be written down, and by what requests are told apart.
    public var rules = RecordingRules()

    /// How old the oldest exchange may be; any age by default.
    ///
    /// An older recording fails, so that somebody looks whether the server still answers like that.
    public var maxAge: Duration?

    /// Tells the time of day.
    public var now: @Sendable () -> Date = { Date() }

    /// Creates a fixture.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - mode: When requests are replayed, and when they are recorded.
    public init(_ file: URL, mode: Mode = .none) {
        self.file = file
        self.mode = mode
    }

    /// The recording that is there; `nil` when nothing is to be replayed.
    func archive() throws(RestClientError) -> HAR? {
        let exists = FileManager.default.fileExists(atPath: file.path)
        switch mode {
        case .all: return nil
        case .once, .new: return exists ? try checked(HAR(file: file)) : nil
        case .none:
            guard exists else {
                throw RestClientError(
                    .invalidRecording,
                    "there is no recording '\(file.path)'; the mode .once makes it"
                )
            }
            return try checked(HAR(file: file))
        }
    }

    private static func words(_ age: Duration) -> String {
        let days = Int64(age / .seconds(86_400))
        return days < 2 ? ReportText.duration(age) : "\(days) days"
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
                    + "record it anew with the mode .all"
            )
        }
        return archive
    }
}
