// SPDX-License-Identifier: MIT

/// The events of a manager as an asynchronous sequence, in order, from the moment it is made.
///
/// Events wait for a slow reader up to a limit; what is dropped beyond it is the ``Buffering``'s to say, and
/// ``droppedCount`` tells how many were. Emitters never wait for a reader.
///
/// The sequence ends when its manager does; for a cancelled task it ends at once. Releasing the sequence and its iterators
/// ends the observation. Several iterators share the events: each event is read once.
public struct ClientEvents: AsyncSequence, Sendable {
    /// What the sequence gives.
    public typealias Element = ClientEvent

    /// Reading events does not fail.
    public typealias Failure = Never

    /// What happens to events that nobody has read when there is no room for more.
    public struct Buffering: Sendable, Hashable {
        let limit: Int
        let keepsNewest: Bool

        /// Keeps the newest: the oldest event that waits is dropped for a new one.
        ///
        /// - Parameter limit: How many events wait at most; at least one does.
        /// - Returns: The rule.
        public static func newest(_ limit: Int) -> Self {
            Buffering(limit: Swift.max(1, limit), keepsNewest: true)
        }

        /// Keeps the oldest: new events are dropped until there is room.
        ///
        /// - Parameter limit: How many events wait at most; at least one does.
        /// - Returns: The rule.
        public static func oldest(_ limit: Int) -> Self {
            Buffering(limit: Swift.max(1, limit), keepsNewest: false)
        }
    }

    /// Reads the events one by one.
    public struct Iterator: AsyncIteratorProtocol {
        private let subscription: Subscription

        fileprivate init(_ subscription: Subscription) {
            self.subscription = subscription
        }

        /// The next event; `nil` when the manager is gone or the task is cancelled.
        public mutating func next() async -> ClientEvent? {
            await subscription.buffer.next()
        }

        /// The next event; `nil` when the manager is gone or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ClientEvent? {
            await subscription.buffer.next()
        }
    }

    /// What the sequence and its iterators keep alive together; the hub's observer keeps the buffer only.
    fileprivate final class Subscription: Sendable {
        let buffer: EventBuffer
        private let observation: EventObservation

        init(hub: EventHub, filter: EventFilter, buffering: Buffering) {
            let buffer = EventBuffer(buffering: buffering)
            self.buffer = buffer
            observation = EventObservation(hub: hub, filter: filter, onEnd: buffer.end) { event in
                buffer.offer(event)
                return true
            }
        }
    }

    private let subscription: Subscription

    init(hub: EventHub, filter: EventFilter, buffering: Buffering) {
        subscription = Subscription(hub: hub, filter: filter, buffering: buffering)
    }

    /// How many events were dropped so far, because nobody read them in time.
    public var droppedCount: Int { subscription.buffer.droppedCount }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription)
    }
}
