// SPDX-License-Identifier: MIT

import DequeModule

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
