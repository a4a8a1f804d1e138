// SPDX-License-Identifier: MIT

import DequeModule
import RestEssentials
import Synchronization

/// The events of a manager as an asynchronous sequence, in order, from its creation on.
///
/// Unread events are buffered up to a limit. ``Buffering`` decides which are dropped beyond it, and ``droppedCount``
/// counts them. Emitting an event never waits for a reader.
///
/// The sequence ends with its manager, and at once for a cancelled task. Releasing the sequence and its iterators ends
/// the observation. Several iterators share the events: each event is read once.
public struct ClientEvents: AsyncSequence, Sendable {
    /// The rule for unread events when the buffer is full.
    public struct Buffering: Sendable, Hashable {
        let limit: Int
        let keepsNewest: Bool

        /// Returns the rule that drops the oldest unread event in favor of a new one.
        ///
        /// - Parameter limit: The maximum number of unread events, at least 1.
        /// - Returns: The rule.
        public static func newest(_ limit: Int) -> Self {
            Buffering(limit: Swift.max(1, limit), keepsNewest: true)
        }

        /// Returns the rule that drops new events until there is room.
        ///
        /// - Parameter limit: The maximum number of unread events, at least 1.
        /// - Returns: The rule.
        public static func oldest(_ limit: Int) -> Self {
            Buffering(limit: Swift.max(1, limit), keepsNewest: false)
        }
    }

    /// The iterator of the sequence.
    public struct Iterator: AsyncIteratorProtocol {
        private let subscription: Subscription

        fileprivate init(_ subscription: Subscription) {
            self.subscription = subscription
        }

        /// Returns the next event; `nil` if the manager has ended or the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ClientEvent? {
            await subscription.buffer.next()
        }
    }

    /// The object that the sequence and its iterators share; the hub's observer retains only the buffer.
    fileprivate final class Subscription: Sendable {
        let buffer: EventBuffer
        private let observation: ObservationToken

        init(hub: EventHub, filter: EventFilter, buffering: Buffering) {
            let buffer = EventBuffer(buffering: buffering)
            self.buffer = buffer
            observation = hub.observe(filter, onEnd: buffer.end, handler: buffer.offer)
        }
    }

    private let subscription: Subscription

    init(hub: EventHub, filter: EventFilter, buffering: Buffering) {
        subscription = Subscription(hub: hub, filter: filter, buffering: buffering)
    }

    /// The number of events that were dropped because they were not read in time.
    public var droppedCount: Int { subscription.buffer.droppedCount }

    /// Returns an iterator.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription)
    }
}

/// The queue between the hub and the readers of one sequence.
final class EventBuffer: Sendable {
    private typealias Machine = EventBufferStateMachine<ClientEvent>
    private typealias Readers = Waiters<Machine.ReaderID, ClientEvent?>

    private struct State {
        var machine: Machine
        var readers = Readers()
    }

    private let state: Mutex<State>

    init(buffering: ClientEvents.Buffering) {
        state = Mutex(State(machine: Machine(buffering: buffering)))
    }

    var droppedCount: Int {
        state.withLock { $0.machine.droppedCount }
    }

    func offer(_ event: ClientEvent) {
        let wakeup = state.withLock { state in
            state.machine.offer(event).flatMap { state.readers.settle($0, with: event) }
        }
        wakeup?.resume()
    }

    /// Ends the sequence; queued events can still be read.
    func end() {
        let wakeups = state.withLock { state in
            state.machine.end().compactMap { state.readers.settle($0, with: nil) }
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
    }

    /// Returns the next event; `nil` at the end, and when the task is cancelled.
    func next() async -> ClientEvent? {
        guard !Task.isCancelled else {
            return nil
        }
        switch state.withLock({ $0.machine.read() }) {
        case .event(let event): return event
        case .ended: return nil
        case .wait(let reader): return await wait(as: reader)
        }
    }

    private func wait(as reader: Machine.ReaderID) async -> ClientEvent? {
        await Readers.wait { continuation in
            state.withLock { $0.readers.park(reader, continuation) }
        } onCancel: {
            state.withLock { state in
                state.machine.cancel(reader) ? state.readers.settle(reader, with: nil) : nil
            }
        }
    }
}

/// The unread events of a sequence, up to a limit, and its waiting readers.
struct EventBufferStateMachine<Event> {
    typealias ReaderID = UInt64

    enum Reading {
        case event(Event)
        case ended
        case wait(ReaderID)
    }

    private let buffering: ClientEvents.Buffering
    private var events: Deque<Event> = []
    private var readers: Deque<ReaderID> = []
    private var lastReader: ReaderID = 0
    private var hasEnded = false
    private(set) var droppedCount = 0

    init(buffering: ClientEvents.Buffering) {
        self.buffering = buffering
    }

    /// Adds an event; returns the reader that waits for it, or stores or drops it if none waits.
    mutating func offer(_ event: Event) -> ReaderID? {
        guard !hasEnded else {
            return nil
        }
        if let reader = readers.popFirst() {
            return reader
        }
        if events.count >= buffering.limit {
            droppedCount += 1
            guard buffering.keepsNewest else {
                return nil
            }
            events.removeFirst()
        }
        events.append(event)
        return nil
    }

    /// Returns the oldest event, or queues the reader; buffered events are returned even after the end.
    mutating func read() -> Reading {
        if let event = events.popFirst() {
            return .event(event)
        }
        guard !hasEnded else {
            return .ended
        }
        lastReader += 1
        readers.append(lastReader)
        return .wait(lastReader)
    }

    mutating func cancel(_ reader: ReaderID) -> Bool {
        guard let index = readers.firstIndex(of: reader) else {
            return false
        }
        readers.remove(at: index)
        return true
    }

    mutating func end() -> [ReaderID] {
        hasEnded = true
        defer { readers = [] }
        return Array(readers)
    }
}
