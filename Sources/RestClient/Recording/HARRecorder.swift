// SPDX-License-Identifier: MIT

import DequeModule
public import RestEssentials
import Synchronization

/// Records what goes over the wire into an HTTP archive.
///
/// It records the calls of a scope, a run of a graph for example, or all calls of a manager:
///
/// ```swift
/// let recorder = HARRecorder()
/// try await recorder.record { try await orders.refresh() }
/// try recorder.write(to: file)
/// ```
///
/// Answers of the cache and of dummies are not recorded: they are no exchanges. Whatever the rules do not allow is masked as
/// soon as the exchange has ended, so that a recorder never holds it longer than the call does.
public final class HARRecorder: Sendable {
    private struct State {
        var lastNumber = 0
        var entries: Deque<(number: Int, entry: HAR.Entry)> = []
    }

    /// What may be written down.
    public let rules: RecordingRules

    private let limit: Int
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// Creates a recorder that has recorded nothing.
    ///
    /// - Parameters:
    ///   - rules: What may be written down; next to nothing by default.
    ///   - limit: How many exchanges are kept at most, those that ended last; all by default. Give one to a recorder that
    ///     stays attached.
    ///   - now: Tells the time of day.
    public init(
        rules: RecordingRules = RecordingRules(),
        limit: Int = .max,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.rules = rules
        self.limit = max(0, limit)
        self.now = now
    }

    /// What was recorded so far, masked, in the order in which the exchanges began.
    public var archive: HAR {
        HAR(entries: state.withLock { $0.entries }.sorted { $0.number < $1.number }.map(\.entry))
    }

    /// Records the exchanges of all managers that an operation makes, and the tasks that it starts.
    ///
    /// - Parameters:
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: What to record.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws.
    public func record<Result>(
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        try await ExchangeTaps.withTap(self, of: nil, isolation: isolation, operation: operation)
    }

    /// Writes what was recorded so far into a file that only its owner may read, in place of what stood there.
    ///
    /// - Parameter file: The file; its folder is made when there is none.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/secretInRecording``, which names the
    ///   places, when something that the rules allow looks like a secret; with
    ///   ``RestClientError/Code-swift.struct/invalidRecording`` when the file cannot be written.
    public func write(to file: URL) throws(RestClientError) {
        try archive.write(to: file, rules: rules)
    }
}

extension HARRecorder: ExchangeTap {
    func exchange(
        _ request: TransportRequest,
        _ send: @Sendable (TransportRequest) async throws -> RawResponse
    ) async throws -> RawResponse {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let startedAt = now()
        let start = ContinuousClock.now
        func note(_ response: HAR.Response, _ answer: RawResponse? = nil) {
            let entry = HAR.Entry(
                startedAt: startedAt,
                request: HAR.Request(request, in: answer?.httpVersion),
                response: response,
                timings: HAR.Timings(answer?.timings, total: start.duration(to: .now))
            )
            let masked = rules.masked(entry)
            state.withLock { state in
                state.entries.append((number, masked))
                if state.entries.count > limit {
                    state.entries.removeFirst()
                }
            }
        }
        do {
            let response = try await send(request)
            note(HAR.Response(response), response)
            return response
        } catch {
            note(HAR.Response(status: 0, httpVersion: HAR.unknownVersion, error: Redaction.error(error)))
            throw error
        }
    }
}

extension RestClientManager {
    /// Records all exchanges of the manager from now on.
    ///
    /// - Parameter recorder: What records them; it stays attached until ``stopRecording(_:)``.
    public func startRecording(_ recorder: HARRecorder) {
        core.taps.attach(recorder)
    }

    /// Ends a recording; exchanges under way are still recorded.
    ///
    /// - Parameter recorder: What recorded them.
    public func stopRecording(_ recorder: HARRecorder) {
        core.taps.detach(recorder)
    }
}

extension HAR {
    /// Writes the archive into a file that only its owner may read, once nothing in it looks like a secret.
    func write(to file: URL, rules: RecordingRules) throws(RestClientError) {
        try rules.check(self)
        let data = try data()
        do {
            let folder = file.deletingLastPathComponent()
            if !FileManager.default.fileExists(atPath: folder.path) {
                try FileManager.default.createDirectory(
                    at: folder,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            try data.write(to: file, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        } catch {
            throw RestClientError(
                .invalidRecording,
                "the recording '\(file.path)' cannot be written",
                underlying: error
            )
        }
    }

    /// Reads the archive in a file.
    ///
    /// - Parameter file: The file.
    /// - Throws: ``RestClientError`` with the code ``RestClientError/Code-swift.struct/invalidRecording`` when the file cannot
    ///   be read, is cut off, or is no archive.
    public init(file: URL) throws(RestClientError) {
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            throw RestClientError(.invalidRecording, "the recording '\(file.path)' cannot be read", underlying: error)
        }
        do {
            try self.init(data: data)
        } catch {
            throw RestClientError(.invalidRecording, "'\(file.path)': \(error.message)", underlying: error.underlying)
        }
    }
}
