// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials

/// Decides when a feed or a download sends its first request, sends another one, and ends (for server-sent events: HTML
/// standard, section "Processing model"), as ``ReconnectingLoop`` then does: a pure value.
///
/// For events after the end, or from a request that is not the latest one, the action is ``Action/none``.
package struct ReconnectionStateMachine: Sendable {
    package enum Action: Sendable {
        case none
        case connect
        case read
        /// Waits, then calls ``ReconnectionStateMachine/waited()``.
        case wait(Duration)
        case finish
        case fail(any Error)
    }

    enum State: Sendable {
        case idle, connecting, open, waiting, over
    }

    /// The way in which a feed continues after an interruption; not asked by a download, which has a `RetryPolicy`.
    package let policy: EventStreamPolicy

    private(set) var state = State.idle
    /// The identifier of the event after which a feed would continue; empty for none.
    private(set) var position: String
    private var serverTime: Duration?
    /// The number of consecutive requests that delivered no bytes, except refused and silent ones.
    private var failures = 0
    private var hasReceived = false
    private var repetition = Repetition()
    /// The error for which the owner waits; `nil` if the server ended the exchange.
    package private(set) var interruption: (any Error)?

    /// Creates the state machine of a download, or of a feed that begins after the event at the position, if any.
    package init(_ policy: EventStreamPolicy = EventStreamPolicy(), position: String = "") {
        self.policy = policy
        repetition.allowsSecondEffect = policy.retriesUnsafeRequests
        // A text that is not allowed in a field or an event stream identifies no event.
        self.position = position.utf8.contains { $0 == 0 || $0 == 0x0A || $0 == 0x0D } ? "" : position
    }

    var reconnects: Bool { policy.reconnects && repetition.allows(.reconnection) }

    /// The error for which the owner waits, in words also if the server ended the exchange.
    var cause: any Error {
        interruption
            ?? RestClientError(
                .connectionClosed,
                hasReceived ? "the server ended the feed" : "the server ended the feed without a message"
            )
    }

    package mutating func start() -> Action {
        switch state {
        case .idle: connect()
        case .open: .read
        case .connecting, .waiting, .over: .none
        }
    }

    /// Records that the latest request was unsafe, and may have had an effect.
    mutating func hadEffect() {
        repetition.mayHaveHadEffect = true
    }

    package mutating func opened() -> Action {
        guard state == .connecting else {
            return .none
        }
        state = .open
        return .read
    }

    /// Records that something arrived, and the information that was found in it.
    package mutating func received(position: String? = nil, reconnectionTime: Duration? = nil) {
        guard state == .open else {
            return
        }
        hasReceived = true
        failures = 0
        self.position = position ?? self.position
        serverTime = reconnectionTime ?? serverTime
    }

    /// Handles the end of an exchange of a feed, or the failure of its request, after which another one may be sent.
    package mutating func interrupted(by error: (any Error)?, random: Double) -> Action {
        guard state == .connecting || state == .open else {
            return .none
        }
        interruption = error
        guard reconnects else {
            guard let error else {
                return finish()
            }
            return failed(error)
        }
        let known = error as? RestClientError
        if !hasReceived, known?.isRefusal != true {
            failures += 1
        }
        if let limit = policy.failureLimit, failures > limit {
            return failed(cause)
        }
        state = .waiting
        return .wait(policy.delay(after: failures, known, serverTime: serverTime, random: random))
    }

    /// Handles the failure of the requests of a download, which a policy of retries judges.
    mutating func failed(
        _ failure: AttemptFailure,
        by retry: RetryPolicy?,
        using generator: inout some RandomNumberGenerator
    ) -> Action {
        guard state == .open else {
            return .none
        }
        interruption = failure.error
        failures += 1
        let decision = retry?.decision(after: failure, attempt: failures, remaining: nil, using: &generator)
        guard case .retry(let delay)? = decision else {
            return failed(failure.error)
        }
        state = .waiting
        return .wait(delay)
    }

    /// Handles a failure after which nothing can continue, like an event that is too long.
    package mutating func failed(_ error: any Error) -> Action {
        guard !isOver else {
            return .none
        }
        state = .over
        return .fail(error)
    }

    package mutating func waited() -> Action {
        guard state == .waiting else {
            return .none
        }
        return connect()
    }

    /// Ends, because all has arrived or the reader is gone.
    package mutating func finish() -> Action {
        guard !isOver else {
            return .none
        }
        state = .over
        return .finish
    }

    var isOver: Bool { state == .over }

    private mutating func connect() -> Action {
        state = .connecting
        hasReceived = false
        return .connect
    }
}

/// The rules of server-sent events.
extension ReconnectionStateMachine {
    mutating func responded(status: Int, contentType: String?, random: Double) -> Action {
        guard state == .connecting else {
            return .none
        }
        if reconnects, policy.transientStatuses.contains(status) {
            let error = RestClientError(.unacceptableStatus, "the server responded with \(status)")
            return interrupted(by: error, random: random)
        }
        switch status {
        case 204:
            return finish()
        case 200 where MediaType.essence(of: contentType) == "text/event-stream":
            return opened()
        case 200:
            let shown = Redaction.text(contentType ?? "no content type").prefix(100).filter { !$0.isNewline }
            let reason = "the server responded with '\(shown)' instead of 'text/event-stream'"
            return failed(RestClientError(.notAnEventStream, reason))
        default:
            let reason = "the server responded with \(status) instead of an event stream"
            return failed(RestClientError(.notAnEventStream, reason))
        }
    }

    /// Handles the end of the response, whether complete or interrupted, or the failure of the request.
    mutating func ended(_ error: (any Error)?, random: Double) -> Action {
        if state == .open, (error as? RestClientError)?.code == .timeout {
            // The server accepted the request; a feed may be silent.
            received()
        }
        return interrupted(by: error, random: random)
    }
}
