// SPDX-License-Identifier: MIT

import Synchronization

/// A fixture while it is in use: what was replayed so far, and what was recorded.
///
/// Made by ``RestClientManager/withFixture(_:isolation:operation:)``.
public final class HARReplay: Sendable {
    /// What tells requests apart, once they are masked.
    private struct Key: Hashable, Sendable {
        let method: String
        let url: String
        let body: HAR.Body?

        init(_ request: HAR.Request) {
            method = request.method
            // The order of a query's items means nothing to most servers, and dictionaries give none.
            let parts = request.url.split(separator: "?", maxSplits: 1)
            let items = parts.dropFirst().first?.split(separator: "&").sorted().joined(separator: "&")
            url = (parts.first.map { String($0) } ?? "") + (items.map { "?\($0)" } ?? "")
            body = request.body.map { HAR.Body($0.bytes) }
        }
    }

    private let recorded: [HAR.Entry]
    private let rules: RecordingRules
    private let isRecording: Bool
    private let state: Mutex<ReplayStateMachine<Key>>
    /// Takes down what the recording does not have.
    let recorder: HARRecorder

    init(_ fixture: HARFixture) throws(RestClientError) {
        let archive = try fixture.archive()
        rules = fixture.rules
        recorded = (archive?.entries ?? []).map { fixture.rules.masked($0) }
        isRecording = fixture.mode == .new || (fixture.mode != .none && archive == nil)
        recorder = HARRecorder(rules: fixture.rules, now: fixture.now)
        let keys = recorded.map { Key($0.request) }
        state = Mutex(ReplayStateMachine(keys, isStrict: fixture.order == .strict))
    }

    /// The recorded exchanges that nobody asked for yet.
    public var unused: [HAR.Entry] {
        state.withLock { $0.unused }.map { recorded[$0] }
    }

    /// The recorded exchanges that stand behind another one of the same request: they are replayed only when it comes again.
    ///
    /// Requests are the same when what the rules allow of them is.
    public var shadowed: [HAR.Entry] {
        state.withLock { $0.shadowed }.map { recorded[$0] }
    }

    /// What was replayed from, with what was recorded since behind it.
    public var archive: HAR {
        HAR(entries: recorded + recorder.archive.entries)
    }
}

extension HARReplay: ExchangeTap {
    func exchange(
        _ request: TransportRequest,
        _ send: @Sendable (TransportRequest) async throws -> RawResponse
    ) async throws -> RawResponse {
        let masked = rules.masked(HAR.Request(request))
        let decision = state.withLock { $0.request(Key(masked)) }
        if case .play(let place) = decision {
            let response = try recorded[place].response.rawResponse()
            guard response.body.count <= request.responseLimit else {
                throw TransportFailure.bodyOverLimit(request.responseLimit)
            }
            return response
        }
        if isRecording {
            return try await recorder.exchange(request, send)
        }
        throw failure(decision, masked)
    }

    private func failure(_ decision: ReplayStateMachine<Key>.Decision, _ request: HAR.Request) -> RestClientError {
        let call = "\(request.method) \(request.url)"
        switch decision {
        case .outOfOrder(let expected):
            let next = recorded[expected].request
            return RestClientError(
                .notRecorded,
                "\(call) comes out of order: \(next.method) \(next.url) was recorded next; allow any order, or record anew"
            )
        case .exhausted(let count):
            return RestClientError(
                .notRecorded,
                "\(call) was recorded \(count == 1 ? "once" : "\(count) times"), and comes once more; record it anew"
            )
        case .unknown, .play:
            let calls = Set(recorded.map { "\($0.request.method) \($0.request.url)" })
            let hint =
                calls.contains(call)
                ? "it was recorded with another body"
                : "recorded: " + calls.sorted().prefix(5).map { "'\($0)'" }.joined(separator: ", ")
            return RestClientError(
                .notRecorded,
                "\(call) was not recorded; \(calls.isEmpty ? "nothing was" : hint); the mode .new records it"
            )
        }
    }
}

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
    /// What is replayed takes the place of the wire: the whole pipeline works as against the server, and the answers' source
    /// is ``ResponseSource/dummy``. The fixture belongs to the task and those that it starts, so that tests may run at once
    /// on one manager. The file is written when the operation has ended without an error.
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
        let replay = try HARReplay(fixture)
        let result = try await ExchangeTaps.withTap(
            replay,
            of: core.taps,
            isolation: isolation,
            operation: { try await operation(replay) }
        )
        if fixture.mode == .all || !replay.recorder.archive.entries.isEmpty {
            try replay.archive.write(to: fixture.file, rules: fixture.rules)
        }
        return result
    }
}
