// SPDX-License-Identifier: MIT

import Synchronization

/// Lies between the hub and the readers of one stream: takes events without waiting, gives them when asked.
final class EventBuffer: Sendable {
    private typealias Machine = EventBufferStateMachine<ClientEvent>
    private typealias Waiter = CheckedContinuation<ClientEvent?, Never>

    private struct State {
        var machine: Machine
        var waiters: [Machine.ReaderID: Waiter] = [:]
        /// What was given to readers that had not gone to sleep yet.
        var unclaimed: [Machine.ReaderID: ClientEvent?] = [:]

        /// Gives a reader what it waits for; returns its continuation if it sleeps already.
        mutating func settle(_ reader: Machine.ReaderID, with event: ClientEvent?) -> Waiter? {
            let waiter = waiters.removeValue(forKey: reader)
            if waiter == nil {
                unclaimed.updateValue(event, forKey: reader)
            }
            return waiter
        }
    }

    private let state: Mutex<State>

    init(buffering: ClientEvents.Buffering) {
        state = Mutex(State(machine: Machine(buffering: buffering)))
    }

    /// How many events were dropped for want of room.
    var droppedCount: Int {
        state.withLock { $0.machine.droppedCount }
    }

    /// Takes an event in.
    func offer(_ event: ClientEvent) {
        let waiter = state.withLock { state in
            state.machine.offer(event).flatMap { state.settle($0, with: event) }
        }
        waiter?.resume(returning: event)
    }

    /// Ends the stream; what was taken in can still be read.
    func end() {
        let waiters = state.withLock { state in
            state.machine.end().compactMap { state.settle($0, with: nil) }
        }
        for waiter in waiters {
            waiter.resume(returning: nil)
        }
    }

    /// The next event; `nil` at the end, and when the task is cancelled.
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
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let settled = state.withLock { state -> ClientEvent?? in
                    if let event = state.unclaimed.removeValue(forKey: reader) {
                        return .some(event)
                    }
                    // Cancelled before it slept: nobody will wake it.
                    if Task.isCancelled {
                        _ = state.machine.cancel(reader)
                        return .some(nil)
                    }
                    state.waiters[reader] = waiter
                    return nil
                }
                if let settled {
                    waiter.resume(returning: settled)
                }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.machine.cancel(reader) ? state.waiters.removeValue(forKey: reader) : nil
            }
            waiter?.resume(returning: nil)
        }
    }
}
