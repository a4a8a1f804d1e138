// SPDX-License-Identifier: MIT

/// The calls that may begin by what the server has said: pure.
struct AnnouncedPace: Sendable {
    private struct Quota: Sendable {
        var left: Int
        let until: Duration
        let renewal: RateHints.Renewal?
        /// The time between two calls when none is left; `nil` if they wait for the end of the quota.
        let pace: Duration?
    }

    private var blockedUntil = Duration.zero
    private var quota: Quota?
    private var latestStart = Duration.zero

    var available: Int? { quota?.left }

    func isIdle(at now: Duration) -> Bool { quota == nil && blockedUntil <= now }

    /// Renews the quota when its time has come.
    ///
    /// A quota that follows by the server's policy is believed once. A server that still has this policy says so in the
    /// next response.
    mutating func refill(at now: Duration) {
        guard let ended = quota, ended.until <= now else {
            return
        }
        quota = ended.renewal.flatMap { renewal in
            let until = ended.until + renewal.window
            return until > now ? Quota(left: renewal.count, until: until, renewal: nil, pace: ended.pace) : nil
        }
    }

    /// Returns when the call at a position of the line begins at the earliest.
    func start(of position: Int, at now: Duration) -> Duration {
        let start = max(now, blockedUntil)
        guard let quota, position >= quota.left else {
            return start
        }
        guard let pace = quota.pace else {
            return max(start, quota.until)
        }
        // Those before it begin at the start at the earliest, as many as are left at once.
        let latest = quota.left > 0 ? start : max(latestStart, start - pace)
        return max(start, min(latest + pace * (position - quota.left + 1), quota.until))
    }

    mutating func take(at now: Duration) {
        latestStart = now
        if let left = quota?.left {
            quota?.left = max(0, left - 1)
        }
    }

    /// Keeps what a response says; when the server counted, it may not have heard of the `running` calls.
    mutating func learn(_ hints: RateHints, running: Int, at now: Duration) {
        if let pause = hints.pause {
            blockedUntil = max(blockedUntil, now + pause)
        }
        if let known = hints.quota, known.reset > .zero {
            quota = Quota(
                left: max(0, known.remaining - running),
                until: now + known.reset,
                renewal: known.renewal,
                pace: known.pace
            )
        }
    }
}
