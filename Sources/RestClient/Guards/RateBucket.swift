// SPDX-License-Identifier: MIT

import RestEssentials

/// The calls that may begin now by one limit: pure.
struct RateBucket: Sendable {
    private let limit: RateLimit
    private var tokens: Double
    private var updated: Duration
    /// The calls that have begun, for a limit of a sliding window.
    private var starts: StartLog

    /// Creates the bucket of a limit, which counts what those of other limits have counted at its place.
    init(_ limit: RateLimit, after others: [RateBucket], at now: Duration) {
        self.limit = limit
        updated = now
        tokens = Double(limit.burst)
        if limit.rate != nil, let other = others.last(where: { $0.limit.rate != nil }) {
            tokens = min(tokens, other.tokens)
        }
        // Only windows forget and add starts, so only they keep any.
        starts = limit.span == nil ? StartLog() : others.map(\.starts).max { $0.count < $1.count } ?? StartLog()
        refill(at: now)
    }

    /// Returns true if a limit counts the same calls in the same way, whatever else it says.
    func counts(by other: RateLimit) -> Bool {
        limit.rate == other.rate && limit.burst == other.burst && limit.span == other.span
    }

    mutating func refill(at now: Duration) {
        if let span = limit.span {
            starts.forget(span, at: now.wholeNanoseconds)
        }
        if let rate = limit.rate {
            tokens = min(Double(limit.burst), tokens + max(0, (now - updated).timeInterval) * rate)
        }
        updated = now
    }

    /// Returns how long a call waits at least behind a number of others that the limit holds, if none of them leaves.
    func wait(of position: Int, at now: Duration) -> Duration {
        if let span = limit.span {
            let present = now.wholeNanoseconds
            return .nanoseconds(starts.start(of: position, span, at: present) - present)
        }
        guard let rate = limit.rate else {
            return .zero
        }
        let missing = Double(position + 1) - tokens
        // Less than a billionth of a call is an error of rounding.
        return missing > 1e-9 ? .seconds(missing / rate) : .zero
    }

    /// Counts a call that begins.
    ///
    /// One that the limit did not hold takes a turn only if one is there, and leaves those that the limit holds what
    /// has come of the next one.
    mutating func take(isHeld: Bool, at now: Duration) {
        if let span = limit.span {
            starts.add(RateLimit.Span.roundedUp(now), span)
        } else if isHeld || wait(of: 0, at: now) == .zero {
            tokens -= 1
        }
    }

    mutating func forget() {
        tokens = Double(limit.burst)
        starts = StartLog()
    }

    var isIdle: Bool { limit.span == nil ? tokens >= Double(limit.burst) : starts.count == 0 }

    var available: Int {
        limit.span.map { max(0, $0.count - starts.count) } ?? Int(max(0, tokens))
    }
}
