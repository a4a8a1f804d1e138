// SPDX-License-Identifier: MIT

import NIOCore
import RestClient
import RestEssentials
import Synchronization

/// The pings that wait for their pongs, and the signs of life of the server.
final class PongTable: Sendable {
    private struct State {
        var lastPing: UInt64 = 0
        /// The latest ping that was responded to.
        var lastPong: UInt64 = 0
        var waiters = Waiters<UInt64, Bool>()
        var hasEnded = false
        var hasHeard = false
    }

    private let state = Mutex(State())

    func begin() -> (number: UInt64, payload: ByteBuffer) {
        let number = state.withLock { state in
            state.lastPing += 1
            return state.lastPing
        }
        return (number, ByteBuffer(integer: number))
    }

    /// Takes a pong, which responds to earlier pings as well; a pong without a ping is ignored.
    func receive(_ payload: ByteBuffer) {
        var payload = payload
        guard payload.readableBytes == 8, let number = payload.readInteger(as: UInt64.self) else {
            return
        }
        let wakeups = state.withLock { state -> [Waiters<UInt64, Bool>.Wakeup] in
            guard number <= state.lastPing, number > state.lastPong else {
                return []
            }
            let answered = state.lastPong + 1...number
            state.lastPong = number
            return answered.compactMap { state.waiters.withdraw($0, with: true) }
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
    }

    /// Begins to wait for a sign of life: what came before does not count.
    func listen() {
        state.withLock { $0.hasHeard = false }
    }

    func hear() {
        state.withLock { $0.hasHeard = true }
    }

    var hasHeard: Bool { state.withLock { $0.hasHeard } }

    func end() {
        let wakeups = state.withLock { state in
            state.hasEnded = true
            return state.waiters.withdrawAll(with: false)
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
    }

    /// Waits for the pong to a ping; returns false if the connection ended before.
    func wait(for number: UInt64) async throws -> Bool {
        let isAnswered = await Waiters<UInt64, Bool>
            .wait { continuation in
                state.withLock { state in
                    if state.lastPong >= number {
                        return true
                    }
                    return state.hasEnded ? false : state.waiters.park(number, continuation, ifCancelled: false)
                }
            } onCancel: {
                state.withLock { $0.waiters.withdraw(number, with: false) }
            }
        if !isAnswered {
            try Task.checkCancellation()
        }
        return isAnswered
    }
}
