// SPDX-License-Identifier: MIT

import JobGraphs
import RestEssentials
import Synchronization

/// The line of the calls to one server, or to one API of it, whose rate or number is limited.
final class AdmissionLine: Sendable {
    typealias Ticket = AdmissionStateMachine.Ticket
    private typealias Wakeup = Waiters<Ticket, Signal>.Wakeup

    private enum Signal: Sendable {
        case begin
        /// Its time may have come, or has changed.
        case look
        case cancelled
    }

    private struct State {
        var machine = AdmissionStateMachine()
        var waiters = Waiters<Ticket, Signal>()

        /// Lets those begin whose turn it is; returns whom to resume: them, and the next one if it has to look again.
        mutating func advance(at now: Duration) -> [Wakeup] {
            guard machine.waitingCount > 0 else {
                return []
            }
            let wakeups = machine.advance(at: now).compactMap { waiters.settle($0, with: .begin) }
            let next = machine.callUp(at: now).flatMap { waiters.settle($0, with: .look) }
            return wakeups + [next].compactMap { $0 }
        }
    }

    private struct Wait: CancellableWork {
        let line: AdmissionLine
        let ticket: Ticket

        func cancel() { line.cancel(ticket)?.resume() }
    }

    private let clock: ClientClock
    private let state = Mutex(State())

    init(clock: ClientClock) {
        self.clock = clock
    }

    var machine: AdmissionStateMachine { state.withLock { $0.machine } }

    /// Changes the line, and then lets those begin whose turn it is.
    private func change<Result: Sendable>(at now: Duration, _ body: (inout State) -> Result) -> Result {
        let (result, wakeups) = state.withLock { state in
            let result = body(&state)
            return (result, state.advance(at: now))
        }
        for wakeup in wakeups {
            wakeup.resume()
        }
        return result
    }

    // MARK: - Beginning and end

    /// Returns how long a call would have to wait here if it cannot wait so long; `nil` if it can.
    func excessiveWait(_ terms: AdmissionStateMachine.Terms, _ call: CallContext) -> Duration? {
        guard !WorkerPool.isInSlot else {
            return nil
        }
        let now = clock.now()
        let patience = call.deadline.map { $0 - now }
        return state.withLock { $0.machine.excessiveWait(terms, patience: patience, at: now) }
    }

    func receive(
        _ terms: AdmissionStateMachine.Terms,
        _ call: CallContext,
        at now: Duration
    ) -> AdmissionStateMachine.Reception {
        let patience = call.deadline.map { $0 - now }
        // Work inside a slot may be what the first of the line waits for.
        let yields = !WorkerPool.isInSlot
        return state.withLock { $0.machine.enter(terms, patience: patience, yields: yields, at: now) }
    }

    /// Records the end of a call that had begun; `latency` is called under the lock, only if a limit asks for it.
    func finish(_ outcome: GuardOutcome, latency: () -> Duration, _ hints: RateHints?, at now: Duration) {
        change(at: now) { state in
            let latency = state.machine.needsLatency ? latency() : .zero
            state.machine.finish(outcome, latency: latency, hints, at: now)
        }
    }

    func forgetRate() {
        change(at: clock.now()) { $0.machine.forgetRate() }
    }

    // MARK: - In the line

    func wait(_ ticket: Ticket, _ first: Duration, _ call: CallContext) async throws {
        let start = clock.now()
        call.cancellation?.waits(for: Wait(line: self, ticket: ticket))
        defer {
            call.cancellation?.stopsWaiting()
            call.note { $0.add(waitFrom: start, to: clock.now(), for: .turn) }
        }
        var wait = first
        while true {
            switch await signal(to: ticket, within: alarm(wait, call)) {
            case .begin:
                return
            case .cancelled:
                throw CancellationError()
            case .look:
                break
            }
            let now = clock.now()
            let isLate = call.deadline.map { $0 <= now } ?? false
            let next = change(at: now) { state in
                let next = state.machine.wait(of: ticket, at: now)
                if isLate, state.machine.leave(ticket) {
                    _ = state.waiters.claim(ticket)
                }
                return next
            }
            guard let next else {
                // It was let in or cancelled meanwhile: the outcome is there to be claimed.
                if case .cancelled = state.withLock({ $0.waiters.claim(ticket) }) {
                    throw CancellationError()
                }
                return
            }
            if isLate {
                throw RestClientError.timedOut(after: call.policy.timeout)
            }
            wait = next
        }
    }

    /// The time after which a call looks again; `nil` if only others can change its place.
    private func alarm(_ wait: Duration, _ call: CallContext) -> Duration? {
        let left = call.deadline.map { max(.zero, $0 - clock.now()) }
        return wait > .zero ? min(wait, left ?? wait) : left
    }

    private func signal(to ticket: Ticket, within limit: Duration?) async -> Signal {
        guard let limit else {
            return await signal(to: ticket)
        }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if (try? await self.clock.sleep(for: limit)) != nil {
                    self.wake(ticket)
                }
            }
            defer { group.cancelAll() }
            return await signal(to: ticket)
        }
    }

    private func signal(to ticket: Ticket) async -> Signal {
        await Waiters.wait { continuation in
            state.withLock { $0.waiters.park(ticket, continuation) }
        } onCancel: {
            cancel(ticket)
        }
    }

    /// Lets a call look again, unless it was let in.
    private func wake(_ ticket: Ticket) {
        let wakeup = state.withLock { state in
            state.machine.isWaiting(ticket) ? state.waiters.settle(ticket, with: .look) : nil
        }
        wakeup?.resume()
    }

    private func cancel(_ ticket: Ticket) -> Wakeup? {
        change(at: clock.now()) { state in
            state.machine.leave(ticket) ? state.waiters.settle(ticket, with: .cancelled) : nil
        }
    }
}
