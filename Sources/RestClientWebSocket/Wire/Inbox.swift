// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The messages that came and were not taken yet, and the tasks that wait for one, or for room.
final class Inbox: Sendable {
    private typealias Machine = InboxStateMachine<WebSocketMessage>
    private typealias Outcome = Result<WebSocketMessage?, any Error>

    private struct State {
        var machine: Machine
        var waiters = Waiters<Int, Outcome>()
        var senders = Waiters<Int, Void>()
        var lastSender = 0
    }

    private let state: Mutex<State>

    init(limit: Int) {
        state = Mutex(State(machine: Machine(limit: limit)))
    }

    /// True if a sender or a connection has to wait for room.
    var isHeld: Bool { state.withLock { $0.machine.isHeld } }

    var hasEnded: Bool { state.withLock { $0.machine.hasEnded } }

    /// Takes a message; returns false if no further one should come before there is room.
    @discardableResult
    func receive(_ message: WebSocketMessage) -> Bool {
        let (mayContinue, wakeup) = state.withLock { state in
            switch state.machine.receive(message, count: message.count) {
            case .handOver(let waiter): (true, state.waiters.settle(waiter, with: .success(message)))
            case .keep, .drop: (true, nil)
            case .hold: (false, nil)
            }
        }
        wakeup?.resume()
        return mayContinue
    }

    /// Takes a message, and waits until there is room for another one, or the task is cancelled.
    func put(_ message: WebSocketMessage) async throws {
        try Task.checkCancellation()
        guard !receive(message) else {
            return
        }
        let sender = state.withLock { state in
            state.lastSender += 1
            return state.lastSender
        }
        await Waiters<Int, Void>
            .wait { continuation in
                state.withLock { state in
                    // Room may have been made meanwhile.
                    state.machine.isHeld ? state.senders.park(sender, continuation, ifCancelled: ()) : ()
                }
            } onCancel: {
                state.withLock { $0.senders.withdraw(sender, with: ()) }
            }
        try Task.checkCancellation()
    }

    /// Waits for a message, or for the end, which is `nil` if it is regular; makes room if messages may come again.
    func next(makeRoom: @Sendable () -> Void = {}) async throws -> WebSocketMessage? {
        try Task.checkCancellation()
        let (delivery, senders) = state.withLock { state in
            let delivery = state.machine.ask()
            if case .message(_, resumes: true) = delivery {
                return (delivery, state.senders.withdrawAll(with: ()))
            }
            return (delivery, [])
        }
        for sender in senders {
            sender.resume()
        }
        switch delivery {
        case .message(let message, let resumes):
            if resumes {
                makeRoom()
            }
            return message
        case .end(let end):
            return try Self.outcome(of: end).get()
        case .wait(let waiter):
            return try await Waiters<Int, Outcome>
                .wait { continuation in
                    state.withLock { $0.waiters.park(waiter, continuation) }
                } onCancel: {
                    state.withLock { state in
                        state.machine.withdraw(waiter)
                            ? state.waiters.settle(waiter, with: .failure(CancellationError())) : nil
                    }
                }
                .get()
        }
    }

    /// Takes the end, which is regular without an error; a later one is ignored.
    func finish(_ error: (any Error)?, dropsMessages: Bool = false) {
        let end = error.map { Machine.End.failed($0) } ?? .complete
        let (wakeups, senders) = state.withLock { state in
            if dropsMessages {
                state.machine.clear()
            }
            let wakeups = state.machine.finish(end).compactMap { state.waiters.settle($0, with: Self.outcome(of: end)) }
            return (wakeups, state.senders.withdrawAll(with: ()))
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
        for sender in senders {
            sender.resume()
        }
    }

    private static func outcome(of end: Machine.End) -> Outcome {
        switch end {
        case .complete: .success(nil)
        case .failed(let error): .failure(error)
        }
    }
}
