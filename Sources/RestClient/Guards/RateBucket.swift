// SPDX-License-Identifier: MIT

import RestEssentials

/// The calls that may begin now, by a limit and by what the server says: pure.
struct RateBucket: Sendable {
    private var tokens = 0.0
    private var updated: Duration?
    /// The calls that have begun, for a limit of a sliding window.
    private var starts = StartLog()
    private var announced = AnnouncedPace()

    /// Adds what has come since.
    mutating func refill(_ limit: RateLimit?, at now: Duration) {
        announced.refill(at: now)
        if let span = limit?.span {
            starts.forget(span, at: now.wholeNanoseconds)
        }
        guard let limit, let rate = limit.rate else {
            return
        }
        let capacity = Double(limit.burst)
        if let updated {
            tokens = min(capacity, tokens + max(0, (now - updated).timeInterval) * rate)
        } else {
            tokens = capacity
        }
        updated = now
    }

    /// Returns how long the call at a position of the line waits at least, if none before it leaves.
    func wait(of position: Int, _ limit: RateLimit?, at now: Duration) -> Duration {
        guard let limit else {
            return .zero
        }
        var until = now
        if let rate = limit.rate {
            let missing = Double(position + 1) - tokens
            // Less than a billionth of a call is an error of rounding.
            if missing > 1e-9 {
                until = now + .seconds(missing / rate)
            }
        }
        if let span = limit.span {
            let present = now.wholeNanoseconds
            until = now + .nanoseconds(starts.start(of: position, span, at: present) - present)
        }
        if limit.heedsServer {
            until = max(until, announced.start(of: position, at: now))
        }
        return until - now
    }

    /// Takes the turn of one call.
    mutating func take(_ limit: RateLimit?, at now: Duration) {
        if limit?.rate != nil {
            tokens -= 1
        }
        if let span = limit?.span {
            starts.add(RateLimit.Span.roundedUp(now), span)
        }
        announced.take(at: now)
    }

    /// Keeps what a response says.
    ///
    /// - Parameters:
    ///   - hints: What it says.
    ///   - running: How many calls are under way, of which the server may not have heard when it counted.
    ///   - now: The time.
    mutating func learn(_ hints: RateHints, running: Int, at now: Duration) {
        announced.learn(hints, running: running, at: now)
    }

    /// The number of calls that could begin at once; `nil` for any number.
    func available(_ limit: RateLimit?) -> Int? {
        if let span = limit?.span {
            return min(max(0, span.count - starts.count), announced.available ?? .max)
        }
        return limit?.rate == nil ? announced.available : min(Int(max(0, tokens)), announced.available ?? .max)
    }
}
