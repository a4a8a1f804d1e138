// SPDX-License-Identifier: MIT

import DequeModule
import RestEssentials

/// Decides which calls may begin, by their rate and their number, without I/O.
///
/// There is one line, first come first served: a call waits for its own limits and behind the head, even if that has
/// a smaller limit, for which it might wait for ever if others overtook it. Each limit counts all calls.
struct AdmissionStateMachine: Sendable {
    typealias Ticket = UInt64

    /// The number of limits beyond which those are forgotten that no call in the line needs.
    private static let bucketCapacity = 16
    /// The difference of times that is an error of rounding.
    private static let tolerance = Duration.microseconds(1)

    /// The limits that a call comes with; one with several rates waits in a line for each.
    struct Terms: Sendable, Hashable {
        var rate: RateLimit?
        var concurrency: ConcurrencyLimit?

        var limited: String {
            if concurrency == nil {
                return "rate is limited"
            }
            return rate == nil ? "number of calls is limited" : "rate and number of calls are limited"
        }
    }

    enum Reception: Sendable, Hashable {
        case begin
        /// It waits; until then at least, as far as the rate is concerned.
        case wait(Ticket, Duration)
        /// Its turn would come too late, in this time.
        case tooLate(Duration)
    }

    private struct Waiter: Sendable {
        let ticket: Ticket
        let terms: Terms
        /// The time at which the call looks again by itself; `nil` if it only knows that others hold it back.
        var alarm: Duration?
    }

    private(set) var running = 0
    private var line: Deque<Waiter> = []
    /// The number of those by their limit in time.
    private var waiting: [RateLimit: Int] = [:]
    private var lastTicket: Ticket = 0
    /// The limit in time of the latest call, which descriptions show.
    private var rate: RateLimit?
    /// The latest limit of the number, by which an adaptive one learns.
    private var concurrency: ConcurrencyLimit?
    private var buckets: [RateBucket] = []
    private var announced = AnnouncedPace()
    private var adaptive = AdaptiveLimit()

    var bucketCount: Int { buckets.count }
    var waitingCount: Int { line.count }

    /// The number of calls that may be under way; `nil` for any number.
    var limit: Int? { concurrency.map(adaptive.value) }

    var needsLatency: Bool { concurrency?.isAdaptive ?? false }

    /// The number of calls that the rate allows to begin at once; `nil` for any number.
    var available: Int? {
        guard let rate else {
            return nil
        }
        let counted = buckets.first { $0.counts(by: rate) }?.available
        return [counted, rate.heedsServer ? announced.available : nil].compactMap { $0 }.min()
    }

    mutating func refill(at now: Duration) {
        announced.refill(at: now)
        for index in buckets.indices {
            buckets[index].refill(at: now)
        }
    }

    /// Receives a call; `yields` is false if it must not wait for others, because they may wait for it.
    mutating func enter(_ terms: Terms, patience: Duration?, yields: Bool, at now: Duration) -> Reception {
        rate = terms.rate
        concurrency = terms.concurrency ?? concurrency
        let wait = wait(ofNew: terms, at: now)
        if !yields || (line.isEmpty && wait <= .zero && isFree(for: terms)) {
            begin(yields ? terms : nil, at: now)
            return .begin
        }
        if isExcessive(wait, terms, patience) {
            return .tooLate(wait)
        }
        lastTicket += 1
        line.append(Waiter(ticket: lastTicket, terms: terms, alarm: Self.alarm(after: wait, at: now)))
        if let limit = terms.rate {
            waiting[limit, default: 0] += 1
        }
        return .wait(lastTicket, wait)
    }

    /// Returns how long a call that came now would have to wait if it cannot wait so long; `nil` if it can.
    mutating func excessiveWait(_ terms: Terms, patience: Duration?, at now: Duration) -> Duration? {
        let wait = wait(ofNew: terms, at: now)
        return isExcessive(wait, terms, patience) ? wait : nil
    }

    mutating func advance(at now: Duration) -> [Ticket] {
        refill(at: now)
        var begun: [Ticket] = []
        while let head = line.first, isFree(for: head.terms), wait(for: head.terms, behind: 0, at: now) <= .zero {
            remove(at: 0)
            begin(head.terms, at: now)
            begun.append(head.ticket)
        }
        return begun
    }

    /// Returns the first of the line if its turn comes before it looks by itself, because others have begun or left or
    /// the server has said something else; sets its alarm.
    mutating func callUp(at now: Duration) -> Ticket? {
        guard let head = line.first,
            let alarm = Self.alarm(after: wait(for: head.terms, behind: 0, at: now), at: now),
            head.alarm.map({ alarm + Self.tolerance < $0 }) ?? true
        else {
            return nil
        }
        line[0].alarm = alarm
        return head.ticket
    }

    /// Returns how long a call waits at least, after which it looks again; `nil` if it does not wait.
    mutating func wait(of ticket: Ticket, at now: Duration) -> Duration? {
        guard let index = line.firstIndex(where: { $0.ticket == ticket }) else {
            return nil
        }
        refill(at: now)
        let wait = wait(for: line[index].terms, behind: index, at: now)
        line[index].alarm = Self.alarm(after: wait, at: now)
        return wait
    }

    func isWaiting(_ ticket: Ticket) -> Bool { line.contains { $0.ticket == ticket } }

    /// Takes a call out of the line; returns false if it does not wait any more.
    mutating func leave(_ ticket: Ticket) -> Bool {
        guard let index = line.firstIndex(where: { $0.ticket == ticket }) else {
            return false
        }
        remove(at: index)
        return true
    }

    private mutating func remove(at index: Int) {
        guard let limit = line.remove(at: index).terms.rate, let count = waiting[limit] else {
            return
        }
        waiting[limit] = count > 1 ? count - 1 : nil
    }

    /// Records the end of a call that had begun, from which an adaptive limit learns, whatever the call came with.
    mutating func finish(_ outcome: GuardOutcome, latency: Duration, _ hints: RateHints?, at now: Duration) {
        if let concurrency, outcome != .unknown {
            adaptive.learn(outcome == .success ? latency : nil, running: running, concurrency)
        }
        running = max(0, running - 1)
        if let hints {
            announced.learn(hints, running: running, at: now)
        }
    }

    /// Returns true if no call is under way or waits, and a new machine would decide as this one, but for an adaptive
    /// number, which is learned again.
    mutating func isIdle(at now: Duration) -> Bool {
        refill(at: now)
        return running == 0 && line.isEmpty && buckets.allSatisfy(\.isIdle) && announced.isIdle(at: now)
    }

    mutating func forgetRate() {
        announced = AnnouncedPace()
        for index in buckets.indices {
            buckets[index].forget()
        }
    }
}

// MARK: - Limits

extension AdmissionStateMachine {
    private static func alarm(after wait: Duration, at now: Duration) -> Duration? {
        wait > .zero ? now + wait : nil
    }

    private func isFree(for terms: Terms) -> Bool {
        terms.concurrency.map { running < adaptive.value($0) } ?? true
    }

    private func isExcessive(_ wait: Duration, _ terms: Terms, _ patience: Duration?) -> Bool {
        let patience = [patience, terms.rate?.maximumWait].compactMap { $0 }.min()
        return wait > .zero && patience.map { $0 <= wait } ?? false
    }

    /// Returns how long a call that comes now waits at least, and counts by its limit from now on.
    private mutating func wait(ofNew terms: Terms, at now: Duration) -> Duration {
        refill(at: now)
        addBucket(for: terms, at: now)
        return wait(for: terms, behind: line.count, at: now)
    }

    private func wait(for terms: Terms, behind count: Int, at now: Duration) -> Duration {
        guard let limit = terms.rate else {
            return .zero
        }
        var wait = Duration.zero
        if let bucket = buckets.first(where: { $0.counts(by: limit) }) {
            let position = number(before: count) { bucket.counts(by: $0) }
            wait = max(wait, bucket.wait(of: position, at: now))
        }
        if limit.heedsServer {
            let position = number(before: count, where: \.heedsServer)
            wait = max(wait, announced.start(of: position, at: now) - now)
        }
        return wait
    }

    /// Returns the number of calls before a place in the line whose limit in time satisfies a condition.
    private func number(before place: Int, where isCounted: (RateLimit) -> Bool) -> Int {
        guard place < line.count else {
            // Each new call asks for the end of the line, where limits are fewer than calls.
            return waiting.reduce(0) { $0 + (isCounted($1.key) ? $1.value : 0) }
        }
        return line.prefix(place).count { $0.terms.rate.map(isCounted) ?? false }
    }

    /// Adds a limit, and forgets limits that are no longer used: those that have counted nothing lately, and if there
    /// are many, all of them.
    private mutating func addBucket(for terms: Terms, at now: Duration) {
        guard let limit = terms.rate, limit.count != nil, !buckets.contains(where: { $0.counts(by: limit) }) else {
            return
        }
        let new = RateBucket(limit, after: buckets, at: now)
        let needed = waiting.keys
        let areMany = buckets.count >= Self.bucketCapacity
        buckets.removeAll { bucket in
            (areMany || bucket.isIdle) && !needed.contains { bucket.counts(by: $0) }
        }
        buckets.append(new)
    }

    /// Counts a call that begins; one without terms did not wait for its own.
    private mutating func begin(_ terms: Terms?, at now: Duration) {
        running += 1
        announced.take(at: now)
        for index in buckets.indices {
            let isHeld = terms?.rate.map { buckets[index].counts(by: $0) } ?? false
            buckets[index].take(isHeld: isHeld, at: now)
        }
    }
}

/// The calls that may begin now by one limit; does no I/O.
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

    /// Counts a call that begins; one that the limit did not hold takes a turn only if a whole one is there.
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

/// The calls that may begin by what the server has said; does no I/O.
struct AnnouncedPace: Sendable {
    private var blockedUntil = Duration.zero
    private var quota: RateHints.Quota?
    /// The end of the quota.
    private var end = Duration.zero
    private var latestStart = Duration.zero

    var available: Int? { quota?.remaining }

    func isIdle(at now: Duration) -> Bool { quota == nil && blockedUntil <= now }

    /// Renews the quota when its time has come: by the server's policy once, which its next response may state again.
    mutating func refill(at now: Duration) {
        guard let ended = quota, end <= now else {
            return
        }
        quota = nil
        if let renewal = ended.renewal, end + renewal.window > now {
            quota = RateHints.Quota(remaining: renewal.count, reset: renewal.window, pace: ended.pace)
            end += renewal.window
        }
    }

    /// Returns when the call at a position of the line begins at the earliest.
    func start(of position: Int, at now: Duration) -> Duration {
        let start = max(now, blockedUntil)
        guard let quota, position >= quota.remaining else {
            return start
        }
        guard let pace = quota.pace else {
            return max(start, end)
        }
        // Those before it begin at the start at the earliest, as many as are left at once.
        let latest = quota.remaining > 0 ? start : max(latestStart, start - pace)
        return max(start, min(latest + pace * (position - quota.remaining + 1), end))
    }

    mutating func take(at now: Duration) {
        latestStart = now
        quota?.count(1)
    }

    /// Keeps what a response says; when the server counted, it may not have heard of the `running` calls.
    mutating func learn(_ hints: RateHints, running: Int, at now: Duration) {
        if let pause = hints.pause {
            blockedUntil = max(blockedUntil, now + pause)
        }
        if let known = hints.quota, known.reset > .zero {
            quota = known
            quota?.count(running)
            end = now + known.reset
        }
    }
}
