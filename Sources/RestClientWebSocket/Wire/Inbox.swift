// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// The messages that came and were not taken yet, and the tasks that wait for one, or for room.
final class Inbox: Sendable {
    private typealias Machine = InboxStateMachine<WebSocketMessage>

    private enum Outcome: Sendable {
        case message(WebSocketMessage)
        case end(Machine.End)
    }

    private struct State {
        var machine: Machine
        var waiters = Waiters<Int, Outcome>()
        var senders = Waiters<Int, Void>()
        var lastSender = 0
    }

    private let state: Mutex<State>

    /// Creates an inbox.
    ///
    /// - Parameter limit: The number of bytes that are taken ahead of the consumer.
    init(limit: Int) {
        state = Mutex(State(machine: Machine(limit: limit)))
    }

    /// True if a sender or a connection has to wait for room.
    var isHeld: Bool { state.withLock { $0.machine.isHeld } }

    /// True once there is an end, which the consumer may not have reached.
    var hasEnded: Bool { state.withLock { $0.machine.hasEnded } }

    /// Takes a message.
    ///
    /// - Returns: False if no further message should come before there is room.
    @discardableResult
    func receive(_ message: WebSocketMessage) -> Bool {
        let (mayContinue, wakeup) = state.withLock { state in
            switch state.machine.receive(message, count: message.count) {
            case .handOver(let waiter): (true, state.waiters.settle(waiter, with: .message(message)))
            case .keep, .drop: (true, nil)
            case .hold: (false, nil)
            }
        }
        wakeup?.resume()
        return mayContinue
    }

    /// Takes a message, and waits until there is room for another one.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func put(_ message: WebSocketMessage) async throws {
        try Task.checkCancellation()
        guard !receive(message) else {
            return
        }
        let sender = state.withLock { state -> Int? in
            guard state.machine.isHeld else {
                return nil
            }
            state.lastSender += 1
            return state.lastSender
        }
        guard let sender else {
            return
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

    /// Waits for a message.
    ///
    /// - Parameter makeRoom: Called if messages may come again.
    /// - Returns: The message; `nil` behind the last one of a regular end.
    /// - Throws: The error of the end; `CancellationError` when the task is cancelled.
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
            return try Self.result(of: end)
        case .wait(let waiter):
            let outcome = await Waiters<Int, Outcome>
                .wait { continuation in
                    state.withLock { $0.waiters.park(waiter, continuation) }
                } onCancel: {
                    state.withLock { state in
                        state.machine.withdraw(waiter)
                            ? state.waiters.settle(waiter, with: .end(.failed(CancellationError()))) : nil
                    }
                }
            switch outcome {
            case .message(let message): return message
            case .end(let end): return try Self.result(of: end)
            }
        }
    }

    /// Takes the end; a later one is ignored.
    ///
    /// - Parameters:
    ///   - error: The error of the end; `nil` for a regular one.
    ///   - dropsMessages: True if messages that were not taken are dropped.
    func finish(_ error: (any Error)?, dropsMessages: Bool = false) {
        let end = error.map { Machine.End.failed($0) } ?? .complete
        let (wakeups, senders) = state.withLock { state in
            if dropsMessages {
                state.machine.clear()
            }
            let wakeups = state.machine.finish(end).compactMap { state.waiters.settle($0, with: .end(end)) }
            return (wakeups, state.senders.withdrawAll(with: ()))
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
        for sender in senders {
            sender.resume()
        }
    }

    private static func result(of end: Machine.End) throws -> WebSocketMessage? {
        switch end {
        case .complete: return nil
        case .failed(let error): throw error
        }
    }
}

extension WebSocketMessage {
    /// The number of bytes.
    var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes): bytes.count
        }
    }
}
