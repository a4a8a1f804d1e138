// SPDX-License-Identifier: MIT

import HTTPWire
import NIOCore
import Synchronization

/// Holds the server of one exchange to a pace; made only for exchanges with such limits.
final class PaceWatch: TimedExchange {
    private enum State {
        case idle
        case watching(DeadlineWatch.Ticket)
        case stopped
    }

    private let rule: PaceRule
    private let exchange: any PacedExchange
    private let deadlines: DeadlineWatch
    private let state = Mutex(State.idle)

    init(_ rule: PaceRule, of exchange: any PacedExchange, _ deadlines: DeadlineWatch) {
        self.rule = rule
        self.exchange = exchange
        self.deadlines = deadlines
    }

    func expire() {
        switch rule.decision(exchange.progress, at: NIODeadline.now().uptimeNanoseconds) {
        case .none:
            break
        case .expire(let delay):
            exchange.expire(because: delay)
        case .look(let instant):
            watch(until: .uptimeNanoseconds(min(instant, UInt64(Int64.max))))
        }
    }

    private func watch(until instant: NIODeadline) {
        let ticket = deadlines.add(self, until: instant)
        let spent = state.withLock { state in
            switch state {
            case .stopped:
                return ticket as DeadlineWatch.Ticket?
            case .idle:
                state = .watching(ticket)
                return nil
            case .watching(let former):
                state = .watching(ticket)
                return former
            }
        }
        if let spent {
            deadlines.remove(spent)
        }
    }

    func stop() {
        let spent = state.withLock { state in
            defer { state = .stopped }
            guard case .watching(let ticket) = state else {
                return nil as DeadlineWatch.Ticket?
            }
            return ticket
        }
        if let spent {
            deadlines.remove(spent)
        }
    }
}
