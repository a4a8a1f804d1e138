// SPDX-License-Identifier: MIT

import RestClient

/// The messages of a WebSocket that is opened again after an interruption.
///
/// Each iteration opens a new connection; ending it closes the connection. After an interruption (the network
/// fails, a ping has no response, or the server closes with 1001, 1005, 1011, 1012, 1013 or 1014) the feed waits as
/// the ``/RestClient/EventStreamPolicy`` says, and connects again with a fresh token. To observers the feed is one
/// call, and each connection an attempt. A circuit breaker or a rate limit that refuses a connection interrupts the
/// feed, too, which then waits until the refusal ends. The server ends the feed by closing with 1000. Any other close,
/// a response other than 101 and a message that does not decode fail it. Error mappers replace the error that it
/// throws; an interruption stays one.
///
/// The feed is running, as `manager.calls` sees it, until its end, also while it waits.
///
/// Messages that the server sent in between are lost, unless it sends them again: `opened` is the place to ask for
/// them.
public struct WebSocketFeed<Incoming: Sendable, Outgoing: Encodable & Sendable>: AsyncSequence, Sendable {
    /// A message, decoded as the call decodes its responses.
    public typealias Element = Incoming

    /// Errors are those of the calls.
    public typealias Failure = any Error

    let node: RequestNode<Incoming>
    let policy: EventStreamPolicy
    let opened: @Sendable (WebSocket<Incoming, Outgoing>) async throws -> Void

    /// Begins a feed; it connects when the first message is asked for.
    public func makeAsyncIterator() -> Iterator {
        Iterator(loop: ReconnectingLoop(FeedSource(feed: self)))
    }

    /// Delivers the messages of one connection after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var loop: ReconnectingLoop<FeedSource<Incoming, Outgoing>>

        /// Waits for the next message.
        ///
        /// - Returns: The message; `nil` once the server has ended the feed.
        /// - Throws: The error that ends the feed; `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> Incoming? {
            do throws(CallFailure) {
                return try await loop.next()
            } catch {
                throw error.error
            }
        }
    }
}

struct FeedSource<Incoming: Sendable, Outgoing: Encodable & Sendable>: ReconnectingSource {
    var reconnection: ReconnectionStateMachine

    private let feed: WebSocketFeed<Incoming, Outgoing>
    private var socket: WebSocket<Incoming, Outgoing>?

    init(feed: WebSocketFeed<Incoming, Outgoing>) {
        self.feed = feed
        reconnection = ReconnectionStateMachine(feed.policy)
    }

    func beginSeries() -> CallSeries {
        feed.node.beginSeries()
    }

    mutating func connect(in series: CallSeries) async throws -> ReconnectionStateMachine.Action {
        do {
            let socket = try await feed.node.part(of: series).webSocket(sending: Outgoing.self)
            try await feed.opened(socket)
            self.socket = socket
            return reconnection.opened()
        } catch let error as CancellationError {
            throw error
        } catch {
            return reconnection.failed(error, random: .random(in: 0...1))
        }
    }

    mutating func read(_ action: inout ReconnectionStateMachine.Action) async throws -> Incoming? {
        do {
            if let message = try await socket?.receive() {
                reconnection.received()
                return message
            }
            action = reconnection.closed(socket?.closure, random: .random(in: 0...1))
        } catch let error as CancellationError {
            throw error
        } catch {
            action = reconnection.failed(error, random: .random(in: 0...1))
        }
        socket = nil
        return nil
    }

    func announce(_ delay: Duration, in series: CallSeries) {
        feed.node.reconnecting(series, after: delay, because: reconnection.interruption)
    }

    func failure(_ error: any Error) async -> CallFailure {
        await feed.node.failure(error)
    }

    mutating func close(_ error: (any Error)?) {
        socket = nil
    }
}

extension ReconnectionStateMachine {
    /// The codes of a close after which a connection is opened again, however the server was asked: what the server
    /// says of itself, and ends without a word.
    static let transientCodes: Set<WebSocketCloseCode> = [
        .goingAway, .noStatus, .abnormal, .internalError, .serviceRestart, .tryAgainLater, .badGateway,
    ]

    /// Takes the regular end of a connection; `random` is a number from 0 to 1, for the wait.
    mutating func closed(_ closure: WebSocketClosure?, random: Double) -> Action {
        guard let closure, closure.isByServer, Self.transientCodes.contains(closure.code) else {
            return finish()
        }
        return interrupted(by: nil, random: random)
    }

    /// Records that a connection could not be opened, or failed, by the error before mappers replaced it.
    mutating func failed(_ error: any Error, random: Double) -> Action {
        isTransient(error) ? interrupted(by: error, random: random) : failed(error)
    }

    /// True if an error only interrupts a feed, or the policy or the server calls it transient.
    private func isTransient(_ error: any Error) -> Bool {
        guard let error = error as? RestClientError else {
            return false
        }
        switch error.code {
        case .webSocketClosed:
            return (error.underlying as? WebSocketClosure).map { Self.transientCodes.contains($0.code) } ?? false
        case .unacceptableStatus, .preconditionFailed:
            return error.status.map { policy.transientStatuses.contains($0.code) } ?? false
        default:
            return error.isInterruption
        }
    }
}
