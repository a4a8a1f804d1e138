// SPDX-License-Identifier: MIT

import Synchronization

/// A fixture while it is in use: what was replayed so far, and what was recorded.
///
/// Made by ``RestClientManager/withFixture(_:isolation:operation:)-swift.method``.
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

    convenience init(_ fixture: HARFixture) throws(RestClientError) {
        self.init(try fixture.archive(), fixture)
    }

    /// Uses what was recorded already, `nil` standing for no recording.
    init(_ archive: HAR?, _ fixture: HARFixture) {
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
