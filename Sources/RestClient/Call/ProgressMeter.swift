// SPDX-License-Identifier: MIT

/// Measures a transfer, and says when there is news: no clock.
///
/// There is news at the first bytes, then at most once an interval, and at the end. The rate is an average over the
/// last few seconds, in which older bytes count less and less.
struct ProgressMeter: Sendable {
    private let interval: Duration
    private let window: Duration
    private let start: Duration

    private var progress: TransferProgress
    private var told: TransferProgress?
    private var toldAt: Duration
    private var isOver = false
    /// The bytes that were handed over for sending, some of which may not count yet.
    private var handed: Int64 = 0

    // The bytes and the time since the rate was last worked out.
    private var sampled: Int64 = 0
    private var sampledAt: Duration

    /// Creates a meter, whose rate is averaged over the window; bytes that are there already, as in a resumed download,
    /// do not count towards it.
    init(
        total: Int64? = nil,
        completed: Int64 = 0,
        interval: Duration = .milliseconds(100),
        window: Duration = .seconds(3),
        now: Duration
    ) {
        progress = TransferProgress(completed: completed, total: total)
        self.interval = max(.zero, interval)
        self.window = max(.milliseconds(1), window)
        start = now
        toldAt = now
        sampledAt = now
    }

    /// The state of the transfer; its rate falls while nothing comes.
    mutating func current(at now: Duration) -> TransferProgress {
        sample(at: now)
        return progress
    }

    mutating func setTotal(_ total: Int64?) {
        progress.total = total
    }

    mutating func add(_ count: Int64, at now: Duration) -> TransferProgress? {
        guard !isOver, count > 0 else {
            return nil
        }
        progress.completed += count
        sampled += count
        if let total = progress.total, progress.completed > total {
            // The other side was wrong about it.
            progress.total = nil
        }
        guard told == nil || now - toldAt >= interval else {
            return nil
        }
        return tell(now)
    }

    /// Records that bytes were handed over for sending; they count when the next ones are asked for.
    mutating func handOver(_ count: Int64) {
        handed += count
    }

    /// Records that the other side has responded: a body that was handed over as a whole has been sent.
    ///
    /// Returns the last progress; `nil` if it has been reported, or a part is missing.
    mutating func respond(at now: Duration) -> TransferProgress? {
        guard !isOver, let total = progress.total, handed == total, total > 0 else {
            return nil
        }
        let news = add(total - progress.completed, at: now)
        return finish(at: now) ?? news
    }

    /// Records that the transfer continues from another position: a new attempt, or a file that changed.
    mutating func restart(from completed: Int64, total: Int64?, at now: Duration) -> TransferProgress? {
        guard !isOver else {
            return nil
        }
        progress = TransferProgress(completed: completed, total: total)
        sampled = 0
        sampledAt = now
        return told == nil ? nil : tell(now)
    }

    /// Takes the regular end of the transfer; returns the last news, whose total is what was transferred, unless it has
    /// been told.
    mutating func finish(at now: Duration) -> TransferProgress? {
        guard !isOver else {
            return nil
        }
        isOver = true
        progress.total = progress.completed
        let last = told
        let news = tell(now)
        return last?.completed == news.completed && last?.total == news.total ? nil : news
    }

    // MARK: - Rules

    private mutating func tell(_ now: Duration) -> TransferProgress {
        sample(at: now)
        toldAt = now
        told = progress
        return progress
    }

    private mutating func sample(at now: Duration) {
        let passed = now - sampledAt
        // Over a shorter time, a few chunks that came together would look like a great rate.
        guard passed > .zero, passed >= interval || isOver else {
            return
        }
        let rate = Double(sampled) / (passed / .seconds(1))
        if let known = progress.rate {
            // The weight of the time that passed, out of the window: an exponential moving average, to first order.
            let weight = passed / (passed + window)
            // At first the average is that of all bytes there were.
            let share = max(weight, passed / max(passed, now - start))
            progress.rate = known + (rate - known) * min(1, share)
        } else {
            progress.rate = rate
        }
        sampled = 0
        sampledAt = now
    }
}
