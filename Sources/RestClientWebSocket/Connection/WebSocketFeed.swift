// SPDX-License-Identifier: MIT

import RestClient

/// The messages of a WebSocket that is opened again after an interruption.
///
/// Each iteration opens a connection of its own; ending it closes the connection. After an interruption (the network
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
        Iterator(feed: self, machine: FeedStateMachine(policy))
    }

    /// Performs what the machine says, whenever the next message is asked for.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let feed: WebSocketFeed
        fileprivate var machine: FeedStateMachine
        private var socket: WebSocket<Incoming, Outgoing>?
        /// The error that interrupted the feed; `nil` after a close without one.
        private var interruption: (any Error)?
        /// The connections, from the first one to the end of the feed.
        private var series: CallSeries?

        fileprivate init(feed: WebSocketFeed, machine: FeedStateMachine) {
            self.feed = feed
            self.machine = machine
        }

        /// Waits for the next message.
        ///
        /// - Returns: The message; `nil` once the server has ended the feed.
        /// - Throws: The error that ends the feed; `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> Incoming? {
            do {
                let message = try await advance()
                if message == nil {
                    end(.complete)
                }
                return message
            } catch {
                end(.failed(error))
                throw CallFailure(error).error
            }
        }

        private mutating func end(_ end: StreamEnd) {
            socket = nil
            series?.end(end)
        }

        private mutating func advance() async throws -> Incoming? {
            var action = machine.start()
            while true {
                try Task.checkCancellation()
                switch action {
                case .none, .finish:
                    return nil
                case .connect:
                    action = try await connect()
                case .read:
                    if let message = try await read(&action) {
                        return message
                    }
                case .wait(let delay):
                    if let series {
                        feed.node.reconnecting(series, after: delay, because: interruption)
                        try await series.pause(delay)
                    }
                    interruption = nil
                    action = machine.waited()
                case .fail(let error):
                    throw await feed.node.failure(error)
                }
            }
        }

        private mutating func connect() async throws -> FeedStateMachine.Action {
            let series = series ?? feed.node.beginSeries()
            self.series = series
            try series.checkCancellation()
            do {
                let socket = try await feed.node.part(of: series).webSocket(sending: Outgoing.self)
                try await feed.opened(socket)
                self.socket = socket
                return machine.opened()
            } catch let error as CancellationError {
                throw error
            } catch {
                interruption = error
                return machine.failed(error, random: .random(in: 0...1))
            }
        }

        /// Returns the next message; without one, sets what is to be done.
        private mutating func read(_ action: inout FeedStateMachine.Action) async throws -> Incoming? {
            guard let socket else {
                action = .finish
                return nil
            }
            do {
                if let message = try await socket.receive() {
                    machine.received()
                    return message
                }
                action = machine.closed(socket.closure, random: .random(in: 0...1))
            } catch let error as CancellationError {
                throw error
            } catch {
                interruption = error
                action = machine.failed(error, random: .random(in: 0...1))
            }
            self.socket = nil
            return nil
        }
    }
}
