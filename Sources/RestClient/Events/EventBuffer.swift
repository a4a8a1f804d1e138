// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The queue between the hub and the readers of one sequence.
///
/// Adding an event never waits.
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

    /// The number of events that were dropped because the buffer was full.
    var droppedCount: Int {
        state.withLock { $0.machine.droppedCount }
    }

    /// Adds an event, or passes it to a waiting reader.
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
