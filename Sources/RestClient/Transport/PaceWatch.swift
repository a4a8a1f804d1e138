// SPDX-License-Identifier: MIT

import HTTPWire
import NIOCore
import Synchronization

/// Holds the server of one exchange to a pace; made only for exchanges with such limits.
final class PaceWatch: TimedExchange {
    private struct State {
        var ticket: DeadlineWatch.Ticket?
        var isStopped = false
    }

    private let rule: PaceRule
    private let exchange: any PacedExchange
    private let deadlines: DeadlineWatch
    private let state = Mutex(State())

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
            hold(deadlines.add(self, until: .uptimeNanoseconds(min(instant, UInt64(Int64.max)))))
        }
    }

    func stop() {
        hold(nil, isLast: true)
    }

    private func hold(_ ticket: DeadlineWatch.Ticket?, isLast: Bool = false) {
        let spent = state.withLock { state in
            guard !state.isStopped else {
                return ticket
            }
            defer { state = State(ticket: ticket, isStopped: isLast) }
            return state.ticket
        }
        if let spent {
            deadlines.remove(spent)
        }
    }
}

protocol PacedExchange: AnyObject, Sendable {
    var progress: PaceRule.Progress { get }

    func expire(because delay: PaceRule.Delay)
}
