// SPDX-License-Identifier: MIT

public import RestClient
import RestClientWebSocket
import RestEssentials
import Synchronization

/// Replays recorded responses instead of sending requests, and records which of them were used.
///
/// ```swift
/// let replay = HARReplay(try HAR(file: file), rules: rules)
/// try await replay.replay(of: manager) { try await orders.refresh() }
/// ```
public final class HARReplay: Sendable {
    /// The order in which requests may come.
    public enum Order: Sendable, Hashable {
        /// The order of the recording.
        case strict
        /// Any order. Repeated requests get their responses in the order of the recording.
        case any
    }

    /// The parts that distinguish masked requests.
    private struct Key: Hashable, Sendable {
        private let method: String
        private var url: String
        private let body: HAR.Body?

        init(_ request: HAR.Request) {
            method = request.method
            // Browsers write the schemes of WebSockets.
            let target = request.url.hasPrefix("ws") ? "http" + request.url.dropFirst(2) : request.url
            url = String(HTTPURL.withoutFragment(target))
            body = request.body.map { HAR.Body($0.bytes) }
        }

        /// The key of requests that differ at most in the order of query items, which most servers ignore.
        var inAnyOrder: Key {
            var key = self
            key.url = QueryItems.sorting(url)
            return key
        }
    }

    private let recorded: [HAR.Entry]
    private let rules: RecordingRules
    private let recordedInAnyOrder: [Key: Key]
    private let state: Mutex<ReplayStateMachine<Key>>
    /// Records requests that the recording does not have; `nil` if they fail instead.
    private let recorder: HARRecorder?

    /// Creates a replay of a recording.
    ///
    /// A request that was not recorded fails.
    ///
    /// - Parameters:
    ///   - archive: The recording.
    ///   - rules: The rules that masked it. Requests are distinguished by what they allow.
    ///   - order: The order in which requests may come.
    public convenience init(_ archive: HAR, rules: RecordingRules = RecordingRules(), order: Order = .any) {
        self.init(archive, rules: rules, order: order, recorder: nil)
    }

    /// Creates a replay with a recorder for requests that were not recorded.
    package init(_ archive: HAR?, rules: RecordingRules, order: Order, recorder: HARRecorder?) {
        recorded = (archive?.entries ?? []).map { rules.masked($0) }
        self.rules = rules
        self.recorder = recorder
        let keys = recorded.map { Key($0.request) }
        recordedInAnyOrder = Dictionary(
            keys.map { ($0, $0) } + keys.map { ($0.inAnyOrder, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        state = Mutex(ReplayStateMachine(keys, isStrict: order == .strict))
    }

    /// The recorded exchanges that have not been requested.
    public var unused: [HAR.Entry] {
        state.withLock { $0.unused }.map { recorded[$0] }
    }

    /// The recorded exchanges that follow another one for the same request, and are replayed only if it is repeated.
    ///
    /// Requests are the same if the parts that the rules allow are equal.
    public var shadowed: [HAR.Entry] {
        state.withLock { $0.shadowed }.map { recorded[$0] }
    }

    package var archive: HAR {
        HAR(entries: recorded + (recorder?.archive.entries ?? []))
    }

    /// Runs an operation in which the exchanges of a manager are replayed.
    ///
    /// Recorded responses replace the transport: the pipeline works as it does with a server, and the source of
    /// responses is `ResponseSource.dummy`. The scope belongs to the task and its child tasks, so that several can run
    /// concurrently on one manager. Calls in the scope share no stored responses with calls outside.
    ///
    /// - Parameters:
    ///   - manager: The manager; all managers by default, for code that creates its managers itself.
    ///   - isolation: The actor to run on; the caller's by default.
    ///   - operation: The operation.
    /// - Returns: The operation's result.
    /// - Throws: The operation's error.
    public func replay<Result>(
        of manager: RestClientManager? = nil,
        isolation: isolated (any Actor)? = #isolation,
        operation: () async throws -> Result
    ) async rethrows -> Result {
        try await ExchangeTaps.withTap(
            self,
            of: manager?.taps,
            isIsolated: true,
            isolation: isolation,
            operation: operation
        )
    }
}

// MARK: - ExchangeTap

extension HARReplay: ExchangeTap {
    package func exchange(
        _ request: TransportRequest,
        _ send: @Sendable (TransportRequest) async throws -> RawResponse
    ) async throws -> RawResponse {
        let masked = rules.masked(HAR.Request(request))
        let key = Key(masked)
        // A request in another order gets what was recorded, unless that order was recorded too.
        let recordedKey = recordedInAnyOrder[key] ?? recordedInAnyOrder[key.inAnyOrder] ?? key
        let decision = state.withLock { $0.request(recordedKey) }
        if case .play(let index) = decision {
            let entry = recorded[index]
            var response = try entry.response.rawResponse(to: entry.request.method)
            if response.status == .switchingProtocols, let messages = recorded[index].webSocketMessages {
                let conversation = RecordedConversation(
                    url: masked.url,
                    messages: messages,
                    end: recorded[index].webSocketEnd,
                    rules: rules
                )
                response.stream = ByteStream(conversation.begin() as any ByteSource)
            }
            guard response.body.count <= request.responseLimit else {
                throw TransportFailure.bodyOverLimit(request.responseLimit)
            }
            return response
        }
        if let recorder {
            return try await recorder.exchange(request, send)
        }
        throw failure(decision, masked)
    }

    private func failure(_ decision: ReplayStateMachine<Key>.Decision, _ request: HAR.Request) -> RestClientError {
        let call = "\(request.method) \(request.url)"
        let reason: String
        switch decision {
        case .outOfOrder(let expected):
            let next = recorded[expected].request
            reason = "is out of order: \(next.method) \(next.url) was recorded next; allow any order, or record again"
        case .exhausted(let count):
            let times = count == 1 ? "once" : "\(count) times"
            reason = "was recorded \(times), and is requested once more; record it again"
        case .unknown, .play:
            let calls = Set(recorded.map { "\($0.request.method) \($0.request.url)" })
            let hint =
                calls.contains(call)
                ? "it was recorded with another body"
                : "recorded: " + calls.sorted().prefix(5).map { "'\($0)'" }.joined(separator: ", ")
            reason = "was not recorded; \(calls.isEmpty ? "nothing was" : hint); the mode .new records it"
        }
        return RestClientError(.notRecorded, "\(call) \(reason)")
    }
}

/// Plays the server's side of a recorded WebSocket.
struct RecordedConversation: Sendable {
    let url: String
    let messages: [HAR.WebSocketMessage]
    let end: HAR.WebSocketEnd?
    let rules: RecordingRules

    /// Returns a connection on which the conversation is played.
    func begin() -> any MessageLink {
        let link = DummyLink()
        link.begin { [self] link in try await play(on: link) }
        return link
    }

    private func play(on link: DummyLink) async throws {
        for (index, recorded) in messages.enumerated() {
            guard recorded.isSent else {
                try await link.sendByServer(recorded.message)
                continue
            }
            guard let message = try await link.receiveByServer() else {
                return
            }
            let sent = rules.masked(HAR.WebSocketMessage(message, isSent: true, time: recorded.time))
            guard sent == rules.masked(recorded) else {
                throw RestClientError(
                    .notRecorded,
                    "message \(index + 1) of the WebSocket to \(url) is not the recorded one; record it again"
                )
            }
        }
        // Browsers do not write the end: the server closes.
        guard let end else {
            return
        }
        guard end.isByServer else {
            guard try await link.receiveByServer() == nil else {
                throw RestClientError(
                    .notRecorded,
                    "the WebSocket to \(url) has \(messages.count) recorded messages, and one more was sent; "
                        + "record it again"
                )
            }
            return
        }
        let code = WebSocketCloseCode(rawValue: end.code)
        if code == .abnormal {
            link.cut(RestClientError(.connectionClosed, "the WebSocket was cut, as it was when it was recorded"))
        } else {
            link.closeByServer(code, reason: end.reason)
        }
    }
}

/// Decides which recorded response a request gets; each response is used once.
struct ReplayStateMachine<Key: Hashable & Sendable>: Sendable {
    enum Decision: Equatable {
        case play(Int)
        case unknown
        /// The request was recorded `count` times, and all of these responses have been used.
        case exhausted(count: Int)
        /// In strict order, another request is next: the one at this index.
        case outOfOrder(expected: Int)
    }

    private let keys: [Key]
    private let isStrict: Bool
    /// The remaining indices of each key, the next one last.
    private var left: [Key: [Int]]
    private let counts: [Key: Int]
    /// In strict order, the first index that has not been played.
    private var next = 0

    init(_ keys: [Key], isStrict: Bool) {
        self.keys = keys
        self.isStrict = isStrict
        let places = Dictionary(grouping: keys.indices) { keys[$0] }
        counts = places.mapValues(\.count)
        left = places.mapValues { $0.reversed() }
    }

    mutating func request(_ key: Key) -> Decision {
        guard let count = counts[key] else {
            return .unknown
        }
        guard let place = left[key]?.last else {
            return .exhausted(count: count)
        }
        if isStrict {
            guard place == next else {
                return .outOfOrder(expected: next)
            }
            next += 1
        }
        left[key]?.removeLast()
        return .play(place)
    }

    var unused: [Int] { left.values.joined().sorted() }

    /// The indices of responses that follow another one to the same request, and are used only if it is repeated.
    var shadowed: [Int] {
        var seen: Set<Key> = []
        return keys.indices.filter { !seen.insert(keys[$0]).inserted }
    }
}
