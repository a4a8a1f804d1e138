// SPDX-License-Identifier: MIT

import RestEssentials

/// Decides when a stream of server-sent events is requested, requested again, and ended (HTML standard, section
/// "Processing model"): a pure value, without locks, clocks or I/O.
///
/// The owner performs the action that each method returns. For events after the end, or from a request that is not the
/// latest one, the action is ``Action/none``.
struct EventStreamStateMachine: Sendable {
    /// An action for the owner.
    enum Action: Sendable {
        /// Nothing.
        case none
        /// Sends the request, with `Accept: text/event-stream`, `Cache-Control: no-store`, and `Last-Event-ID` if the
        /// text is not empty.
        case connect(lastEventID: String)
        /// Reads the body with a parser that begins with this identifier.
        case read(lastEventID: String)
        /// Waits, then calls ``EventStreamStateMachine/waited()``.
        case wait(Duration)
        /// Ends the stream; a running exchange or wait is cancelled.
        case finish
        /// Ends the stream with an error; a running exchange is cancelled.
        case fail(any Error)
    }

    private enum State: Sendable {
        case idle
        case connecting
        case open
        case waiting
        case over
    }

    private let policy: EventStreamPolicy
    private var state = State.idle
    private var lastEventID: String
    private var serverTime: Duration?
    /// The number of consecutive requests that delivered no bytes, except refused and silent ones.
    private var failures = 0
    /// The reason for the latest wait.
    private(set) var interruption: (any Error)?
    /// True if the latest request delivered bytes.
    private var hasReceived = false
    /// The facts about the requests so far.
    private var repetition = Repetition()
    /// True if another request may be sent.
    private var reconnects: Bool { policy.reconnects && repetition.allows(.reconnection) }

    /// The longest event, in bytes.
    var eventLimit: Int { policy.eventLimit }

    /// Creates the state machine of a stream.
    ///
    /// - Parameters:
    ///   - policy: The way in which the stream continues after an interruption.
    ///   - lastEventID: The event after which the stream begins; empty for none.
    init(_ policy: EventStreamPolicy = EventStreamPolicy(), lastEventID: String = "") {
        self.policy = policy
        repetition.allowsSecondEffect = policy.retriesUnsafeRequests
        // A text that is not allowed in a field or an event stream identifies no event.
        self.lastEventID = lastEventID.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D } ? "" : lastEventID
    }

    /// A Boolean value that is true once the stream has ended.
    var isOver: Bool {
        if case .over = state { true } else { false }
    }

    /// The identifier of the event after which the stream would continue.
    var position: String { lastEventID }

    /// Starts the stream.
    mutating func start() -> Action {
        guard case .idle = state else {
            return .none
        }
        return connect()
    }

    /// Records that the latest request was unsafe, and may have had an effect.
    mutating func hadEffect() {
        repetition.mayHaveHadEffect = true
    }

    /// Handles the head of the response, after redirects.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - contentType: The value of `Content-Type`.
    ///   - random: A number from 0 to 1, for the wait.
    /// - Returns: The action.
    mutating func responded(status: Int, contentType: String?, random: Double) -> Action {
        guard case .connecting = state else {
            return .none
        }
        if reconnects, policy.transientStatuses.contains(status) {
            return interrupted(RestClientError(.unacceptableStatus, "the server responded with \(status)"), random)
        }
        switch status {
        case 204:
            state = .over
            return .finish
        case 200 where Self.isEventStream(contentType):
            state = .open
            return .read(lastEventID: lastEventID)
        case 200:
            return fail(
                RestClientError(
                    .notAnEventStream,
                    "the server responded with '\(Self.shown(contentType))' instead of 'text/event-stream'"
                )
            )
        default:
            return fail(
                RestClientError(.notAnEventStream, "the server responded with \(status) instead of an event stream")
            )
        }
    }

    /// Records that bytes arrived, and the information that the parser found in them.
    mutating func received(lastEventID: String, reconnectionTime: Duration?) {
        guard case .open = state else {
            return
        }
        hasReceived = true
        failures = 0
        self.lastEventID = lastEventID
        serverTime = reconnectionTime ?? serverTime
    }

    /// Handles the end of the response, whether complete or interrupted, or the failure of the request.
    ///
    /// - Parameters:
    ///   - error: The failure; `nil` for the regular end.
    ///   - random: A number from 0 to 1, for the wait.
    /// - Returns: The action.
    mutating func ended(_ error: (any Error)?, random: Double) -> Action {
        switch state {
        case .connecting, .open: interrupted(error, random)
        case .idle, .waiting, .over: .none
        }
    }

    /// Handles a failure after which the stream cannot continue, like an event that is too long.
    mutating func failed(_ error: any Error) -> Action {
        guard !isOver else {
            return .none
        }
        return fail(error)
    }

    /// Handles the end of a wait.
    mutating func waited() -> Action {
        guard case .waiting = state else {
            return .none
        }
        return connect()
    }

    /// Ends the stream because it has no reader.
    mutating func cancel() -> Action {
        guard !isOver else {
            return .none
        }
        state = .over
        return .finish
    }

    // MARK: - Rules

    private mutating func connect() -> Action {
        state = .connecting
        hasReceived = false
        return .connect(lastEventID: lastEventID)
    }

    private mutating func fail(_ error: any Error) -> Action {
        state = .over
        return .fail(error)
    }

    private mutating func interrupted(_ error: (any Error)?, _ random: Double) -> Action {
        guard reconnects else {
            state = .over
            return error.map { .fail($0) } ?? .finish
        }
        let known = error as? RestClientError
        if case .open = state, known?.code == .timeout {
            // The server accepted the request; a feed may be silent.
            failures = 0
        } else if !hasReceived, known?.isRefusal != true {
            failures += 1
        }
        let last = error ?? RestClientError(.connectionClosed, "the server ended the stream without an event")
        if let limit = policy.failureLimit, failures > limit {
            return fail(last)
        }
        state = .waiting
        interruption = hasReceived ? error ?? RestClientError(.connectionClosed, "the server ended the stream") : last
        return .wait(policy.delay(after: failures, known, serverTime: serverTime, random: random))
    }

    /// True if a media type is that of event streams, regardless of its parameters.
    private static func isEventStream(_ contentType: String?) -> Bool {
        guard let contentType else {
            return false
        }
        return FieldList.token(FieldList.essence(of: contentType)) == "text/event-stream"
    }

    private static func shown(_ contentType: String?) -> String {
        Redaction.text(contentType ?? "no content type").prefix(100).filter { !$0.isNewline }
    }
}
