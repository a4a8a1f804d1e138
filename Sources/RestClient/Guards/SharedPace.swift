// SPDX-License-Identifier: MIT

import RestEssentials

/// The pace of the calls of all processes to a server; does no I/O.
///
/// It is the generic cell rate algorithm, which keeps one instant instead of a number of tokens; for a sliding window
/// it is a log of turns. Instants are those of the time of day, which all processes of a machine share.
struct SharedPace: Codable, Hashable, Sendable {
    enum Turn: Hashable, Sendable {
        case now
        /// It has its turn after a time, and no other call has that turn.
        case after(Duration)
        /// Its turn would come too late, in this time, and it has none.
        case tooLate(Duration)
    }

    private struct Terms: Codable, Hashable, Sendable {
        let isWindow: Bool
        /// The seconds between two calls, or the seconds of the window.
        let interval: Double
        /// The number of calls at once, or in the window.
        let count: Int
    }

    /// A clock that goes back by more than this was set.
    private static let clockTolerance = 60.0

    /// The instant at which the next call is due if all calls are spread evenly, in seconds.
    private var due = 0.0
    private var starts: StartLog?
    /// When it was changed.
    private var written = 0.0
    private var terms: Terms?

    /// Takes a turn; `now` is the time of day in seconds.
    mutating func take(_ limit: RateLimit, patience: Duration?, at now: Double) -> Turn {
        if written - now > Self.clockTolerance {
            due -= written - now
            starts?.move(by: Self.nanoseconds(now - written))
            written = now
        }
        let turn: Turn
        if let span = limit.span {
            adopt(Terms(isWindow: true, interval: Double(span.length) / 1e9, count: span.count), at: now)
            turn = take(span, patience: patience, at: Self.nanoseconds(now))
        } else if let rate = limit.rate {
            adopt(Terms(isWindow: false, interval: 1 / rate, count: limit.burst), at: now)
            turn = take(every: 1 / rate, burst: limit.burst, patience: patience, at: now)
        } else {
            return .now
        }
        if case .tooLate = turn {
            return turn
        }
        written = max(written, now)
        return turn
    }

    private mutating func take(every interval: Double, burst: Int, patience: Duration?, at now: Double) -> Turn {
        let next = max(due, now)
        // The file may say anything.
        let wait = Duration.bounded(seconds: next - Double(burst - 1) * interval - now)
        // Less than a microsecond is an error of rounding.
        if wait > .microseconds(1), let patience, wait >= patience {
            return .tooLate(wait)
        }
        due = next + interval
        return wait > .microseconds(1) ? .after(wait) : .now
    }

    private mutating func take(_ span: RateLimit.Span, patience: Duration?, at now: Int64) -> Turn {
        var starts = starts ?? StartLog()
        starts.forget(span, at: now)
        let start = starts.start(of: 0, span, at: now)
        let (difference, isTooLong) = start.subtractingReportingOverflow(now)
        let wait = Duration.nanoseconds(isTooLong ? .max : difference)
        if wait > .zero, let patience, wait >= patience {
            return .tooLate(wait)
        }
        starts.add(start, span)
        self.starts = starts
        return wait > .zero ? .after(wait) : .now
    }

    /// Goes over to another limit: instants that were computed by the one before must not hold up calls for its time.
    private mutating func adopt(_ new: Terms, at now: Double) {
        guard terms != new else {
            return
        }
        defer { terms = new }
        switch (terms, new.isWindow) {
        case (let old?, true) where old.isWindow:
            // The calls that have begun count by the new limit, and those that wait have their turns already.
            starts?.removeStarts(after: Self.nanoseconds(now))
        case (let old?, false) where !old.isWindow:
            // As many calls are ahead as before, but not more than the new limit lets begin at once.
            let ahead = old.interval > 0 ? min(max(0, due - now) / old.interval, Double(new.count)) : 0
            due = now + ahead * new.interval
        default:
            (due, starts) = (0, nil)
        }
    }

    private static func nanoseconds(_ seconds: Double) -> Int64 {
        Duration.bounded(seconds: seconds).wholeNanoseconds
    }
}
