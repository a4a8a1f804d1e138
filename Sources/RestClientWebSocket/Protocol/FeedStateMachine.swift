// SPDX-License-Identifier: MIT

import RestClient

/// Decides when a feed is connected, connected again, and over: no lock, clock or I/O.
///
/// The owner performs the action that each method returns. What comes late brings ``Action/none``.
struct FeedStateMachine: Sendable {
    /// A duty of the owner.
    enum Action: Sendable {
        /// Nothing.
        case none
        /// Opens a connection.
        case connect
        /// Takes the next message.
        case read
        /// Waits, then calls ``FeedStateMachine/waited()``.
        case wait(Duration)
        /// Ends the feed.
        case finish
        /// Ends the feed with an error.
        case fail(any Error)
    }

    private enum State {
        case idle, connecting, open, waiting, over
    }

    /// The codes of a close after which a connection is opened again, however the server was asked: what the server
    /// says of itself, and ends without a word.
    static let transientCodes: Set<WebSocketCloseCode> = [
        .goingAway, .noStatus, .abnormal, .internalError, .serviceRestart, .tryAgainLater, .badGateway,
    ]

    private let policy: EventStreamPolicy
    private var state = State.idle
    /// The number of connections in succession that brought no message, except those that were refused on this side.
    private var failures = 0
    private var hasReceived = false

    /// Creates the machine of a feed.
    init(_ policy: EventStreamPolicy) {
        self.policy = policy
    }

    /// Begins.
    mutating func start() -> Action {
        switch state {
        case .idle:
            return connect()
        case .open:
            return .read
        case .connecting, .waiting, .over:
            state = .over
            return .finish
        }
    }

    /// Records that a connection is open.
    mutating func opened() -> Action {
        guard state == .connecting else {
            return .none
        }
        state = .open
        return .read
    }

    /// Takes a message.
    mutating func received() {
        hasReceived = true
        failures = 0
    }

    /// Takes the regular end of a connection.
    ///
    /// - Parameters:
    ///   - closure: The end of the connection.
    ///   - random: A number from 0 to 1, for the wait.
    /// - Returns: The action.
    mutating func closed(_ closure: WebSocketClosure?, random: Double) -> Action {
        guard state == .open else {
            return .none
        }
        guard policy.reconnects, let closure, closure.isByServer, Self.transientCodes.contains(closure.code) else {
            state = .over
            return .finish
        }
        return interrupted(nil, random)
    }

    /// Records that a connection could not be opened, or failed.
    ///
    /// - Parameters:
    ///   - error: The failure, before mappers replaced it.
    ///   - random: A number from 0 to 1, for the wait.
    /// - Returns: The action.
    mutating func failed(_ error: any Error, random: Double) -> Action {
        guard state == .connecting || state == .open else {
            return .none
        }
        guard policy.reconnects, isTransient(error) else {
            state = .over
            return .fail(error)
        }
        return interrupted(error, random)
    }

    /// Takes the end of a wait.
    mutating func waited() -> Action {
        guard state == .waiting else {
            return .none
        }
        return connect()
    }

    // MARK: - Rules

    private mutating func connect() -> Action {
        state = .connecting
        hasReceived = false
        return .connect
    }

    private mutating func interrupted(_ error: (any Error)?, _ random: Double) -> Action {
        let known = error as? RestClientError
        if !hasReceived, known?.isRefusal != true {
            failures += 1
        }
        if let limit = policy.failureLimit, failures > limit {
            state = .over
            return .fail(
                error ?? RestClientError(.connectionClosed, "the server closed the WebSocket without a message")
            )
        }
        state = .waiting
        return .wait(policy.delay(after: failures, known, random: random))
    }

    /// True if an error only interrupts a feed, or the policy or the server calls it transient.
    private func isTransient(_ error: any Error) -> Bool {
        guard let error = error as? RestClientError else {
            return false
        }
        switch error.code {
        case .webSocketClosed:
            return (error.underlying as? WebSocketClosure).map { Self.transientCodes.contains($0.code) } ?? false
        case .unacceptableStatus:
            return error.status.map { policy.transientStatuses.contains($0.code) } ?? false
        default:
            return error.isInterruption
        }
    }
}
