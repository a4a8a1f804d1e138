// SPDX-License-Identifier: MIT

import DequeModule

/// Decides who gets which message, and when a connection is read: no lock, clock or I/O.
///
/// Some messages are taken ahead of the consumer. Waiters are served in the order in which they came.
struct InboxStateMachine<Message: Sendable> {
    typealias WaiterID = Int

    enum End: Sendable {
        case complete
        case failed(any Error)
    }

    enum Arrival: Equatable {
        case handOver(WaiterID)
        /// It is kept, and the next one may come.
        case keep
        /// It is kept, and the connection is not read until a consumer has made room.
        case hold
        case drop
    }

    enum Delivery {
        /// A message; the connection is to be read again if `resumes`.
        case message(Message, resumes: Bool)
        case end(End)
        /// One of the next arrivals, or the end, is for the waiter.
        case wait(WaiterID)
    }

    private let limit: Int
    private var messages: Deque<(message: Message, count: Int)> = []
    private var aheadCount = 0
    private var waiting: Deque<WaiterID> = []
    private var lastWaiter = 0
    private var end: End?
    /// True while the connection is not to be read.
    private(set) var isHeld = false

    /// Creates an inbox that takes some bytes ahead of the consumer; a message counts one byte more than it has.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    /// True once there is an end, which the consumer may not have reached.
    var hasEnded: Bool { end != nil }

    mutating func receive(_ message: Message, count: Int) -> Arrival {
        guard end == nil else {
            return .drop
        }
        if let waiter = waiting.popFirst() {
            return .handOver(waiter)
        }
        // Empty messages must not come without end.
        messages.append((message, count + 1))
        aheadCount += count + 1
        // What was under way when reading paused still comes, and does not end the pause.
        isHeld = isHeld || aheadCount >= limit
        return isHeld ? .hold : .keep
    }

    mutating func ask() -> Delivery {
        if let (message, count) = messages.popFirst() {
            aheadCount -= count
            let resumes = isHeld && aheadCount <= limit / 2
            isHeld = isHeld && !resumes
            return .message(message, resumes: resumes)
        }
        if let end {
            return .end(end)
        }
        lastWaiter += 1
        waiting.append(lastWaiter)
        return .wait(lastWaiter)
    }

    /// Records that a waiter has gone; returns true if it was to get a message or the end.
    mutating func withdraw(_ waiter: WaiterID) -> Bool {
        guard let index = waiting.firstIndex(of: waiter) else {
            return false
        }
        waiting.remove(at: index)
        return true
    }

    /// Takes the end, behind the messages that are kept; returns the waiters for it.
    mutating func finish(_ end: End) -> [WaiterID] {
        guard self.end == nil else {
            return []
        }
        self.end = end
        isHeld = false
        defer { waiting.removeAll() }
        return Array(waiting)
    }

    mutating func clear() {
        messages.removeAll()
        aheadCount = 0
        isHeld = false
    }
}
