// SPDX-License-Identifier: MIT

import DequeModule

/// Keeps the events that a reader has not read yet, up to a limit, and the readers that wait: pure, without lock or task.
struct EventBufferStateMachine<Event> {
    /// Names one waiting reader for as long as the buffer lives.
    typealias ReaderID = UInt64

    /// What a reader is told.
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
    /// How many events were dropped for want of room.
    private(set) var droppedCount = 0

    init(buffering: ClientEvents.Buffering) {
        self.buffering = buffering
    }

    /// Takes an event in; returns the reader that waits for it, or keeps or drops it when none waits.
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

    /// Gives the oldest event, or queues the reader; what was taken in is given even after the end.
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

    /// Takes a reader out of the queue; `false` when it does not wait any more.
    mutating func cancel(_ reader: ReaderID) -> Bool {
        guard let index = readers.firstIndex(of: reader) else {
            return false
        }
        readers.remove(at: index)
        return true
    }

    /// Ends the stream; returns the readers that wait in vain.
    mutating func end() -> [ReaderID] {
        hasEnded = true
        defer { readers = [] }
        return Array(readers)
    }
}
