// SPDX-License-Identifier: MIT

package import NIOCore
import RestEssentials
import Synchronization

/// Ends exchanges that take too long, with as few timers as possible.
///
/// Nearly every exchange ends in time. A timer for each would have to be added to its event loop and removed again,
/// which costs 5 % of the whole request. Instead, a place in this table is taken and released under a lock, and a timer
/// is set only if none fires in time.
package final class DeadlineWatch: Sendable {
    /// The place of an exchange in the table; held until the exchange has ended.
    package struct Ticket {
        fileprivate let place: Slab<Entry>.Place
    }

    fileprivate struct Entry {
        let deadline: NIODeadline
        let exchange: any TimedExchange
    }

    private struct State {
        var entries = Slab<Entry>()
        /// The times of the timers, in descending order.
        var alarms: [NIODeadline] = []

        /// Returns true if a timer must be set for a time, because none fires by then.
        mutating func needsAlarm(at deadline: NIODeadline) -> Bool {
            if let soonest = alarms.last, soonest <= deadline {
                return false
            }
            alarms.append(deadline)
            return true
        }

        /// Returns the expired exchanges, and the time for which a timer must be set.
        mutating func expire(at now: NIODeadline) -> (due: [any TimedExchange], alarm: NIODeadline?) {
            while let soonest = alarms.last, soonest <= now {
                alarms.removeLast()
            }
            let watched = entries.all
            let due = watched.filter { $0.deadline <= now }.map(\.exchange)
            let next = watched.map(\.deadline).filter { $0 > now }.min()
            return (due, next.flatMap { needsAlarm(at: $0) ? $0 : nil })
        }
    }

    private let eventLoop: @Sendable () -> any EventLoop
    private let state = Mutex(State())

    /// Creates a table.
    ///
    /// - Parameter eventLoop: The event loop of a timer; evaluated for each one.
    package init(eventLoop: @autoclosure @escaping @Sendable () -> any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Watches an exchange until its ticket is removed.
    package func add(_ exchange: any TimedExchange, until deadline: NIODeadline) -> Ticket {
        let entry = Entry(deadline: deadline, exchange: exchange)
        let (place, needsAlarm) = state.withLock { state in
            (state.entries.insert(entry), state.needsAlarm(at: deadline))
        }
        if needsAlarm {
            setAlarm(to: deadline)
        }
        return Ticket(place: place)
    }

    /// Removes an exchange.
    package func remove(_ ticket: Ticket) {
        state.withLock { _ = $0.entries.remove(at: ticket.place) }
    }

    private func setAlarm(to deadline: NIODeadline) {
        eventLoop()
            .scheduleTask(deadline: deadline) { [weak self] in
                self?.expire()
            }
    }

    private func expire() {
        let (due, alarm) = state.withLock { $0.expire(at: .now()) }
        for exchange in due {
            exchange.expire()
        }
        if let alarm {
            setAlarm(to: alarm)
        }
    }
}
