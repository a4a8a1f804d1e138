// SPDX-License-Identifier: MIT

import RestEssentials
import Synchronization

/// A claim that this process holds, from its commit to its end or its loss.
final class RunClaim: Sendable {
    enum Signal: Sendable {
        /// Somebody wants the run cancelled: it ends, and is compensated.
        case cancel
        /// The worker stops: what runs may end, nothing else begins.
        case stop
        /// Another process has the run, or may have it: everything is cancelled, and nothing more is written.
        case abandon
    }

    private struct State {
        var signals: [Signal] = []
        var listener: (@Sendable (Signal) -> Void)?
        var isOver = false
        var isLost = false
    }

    let run: String
    let token: UInt64
    let record: ClaimRecord
    let life: RunLife
    private let state = Mutex(State())

    init(_ run: String, token: UInt64, _ record: ClaimRecord, of life: RunLife) {
        self.run = run
        self.token = token
        self.record = record
        self.life = life
    }

    var isLost: Bool { state.withLock(\.isLost) }

    /// False as long as the row of the claim is to be removed.
    var isOver: Bool { state.withLock { $0.isOver || $0.isLost } }

    func send(_ signal: Signal) {
        let listener = state.withLock { state -> (@Sendable (Signal) -> Void)? in
            guard !state.signals.contains(signal) else {
                return nil
            }
            state.signals.append(signal)
            return state.listener
        }
        listener?(signal)
    }

    /// Passes on what was sent before, and what will be.
    func listen(_ listener: @escaping @Sendable (Signal) -> Void) {
        let signals = state.withLock { state in
            state.listener = listener
            return state.signals
        }
        for signal in signals {
            listener(signal)
        }
    }

    /// Records that the row was removed together with the last write of the run.
    func end() {
        state.withLock { $0.isOver = true }
        life.forget(self)
    }

    func silence() {
        state.withLock { $0.listener = nil }
    }

    func lose() {
        let isNews = state.withLock { state in
            defer { state.isLost = true }
            return !state.isLost && !state.isOver
        }
        if isNews {
            send(.abandon)
        }
    }

    /// Waits until it is beyond doubt that nobody else has the run: right before work that must not be done twice.
    func trusted() async throws {
        while true {
            guard !isLost else {
                throw lost
            }
            guard let wait = life.timeToTrust else {
                return
            }
            try await life.clock.sleep(for: wait)
        }
    }

    var lost: JobGraphError {
        JobGraphError(
            .journalInUse,
            "the run '\(run)' was taken over by another process or changed there, because this one was silent for too "
                + "long; it goes on there, and nothing more is written here"
        )
    }
}
