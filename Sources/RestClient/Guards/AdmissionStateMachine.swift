// SPDX-License-Identifier: MIT

import RestEssentials

/// Decides which calls may begin, by their rate and their number: pure.
///
/// There is one line, first come first served: a call that is not at its head waits, even if only the rate or only the
/// number holds the head back. Each call waits for the limits that it comes with, and each limit counts all calls that
/// begin.
///
/// That holds for a head with a small number of its own, too, although the calls behind it might begin by theirs. Its
/// number counts all calls under way: each one that passed by would hold it back again, and while others keep coming,
/// it would never begin.
struct AdmissionStateMachine: Sendable {
    typealias Ticket = UInt64

    /// The number of limits beyond which those are forgotten that no call in the line needs.
    private static let bucketCapacity = 16

    /// The limits that a call comes with; one with several rates waits in a line for each.
    struct Terms: Sendable, Hashable {
        var rate: RateLimit?
        var concurrency: ConcurrencyLimit?

        /// The limits in words, as in `rate is limited`.
        var limited: String {
            if concurrency == nil {
                return "rate is limited"
            }
            return rate == nil ? "number of calls is limited" : "rate and number of calls are limited"
        }

        /// True if the call waits for what the server says.
        fileprivate var heedsServer: Bool { rate?.heedsServer ?? false }
    }

    /// The reception of a call.
    enum Reception: Sendable, Hashable {
        /// It begins.
        case begin
        /// It waits; until then at least, as far as the rate is concerned.
        case wait(Ticket, Duration)
        /// Its turn would come too late, in this time.
        case tooLate(Duration)
    }

    private(set) var running = 0
    private var line: [Ticket] = []
    /// The terms of the calls in the line.
    private var termsInLine: [Ticket: Terms] = [:]
    private var lastTicket: Ticket = 0
    /// The limit in time of the latest call, which descriptions show.
    private var rate: RateLimit?
    /// The latest limit of the number, by which an adaptive one learns.
    private var concurrency: ConcurrencyLimit?
    /// The counts of the limits in time, one bucket for each.
    private var buckets: [RateBucket] = []
    private var announced = AnnouncedPace()
    private var adaptive = AdaptiveLimit()

    /// A Boolean value that is true if calls with different terms wait, so that the beginning of one may change for how
    /// long the next one waits.
    private(set) var isMixed = false

    /// True if the waits of those in the line may have changed since they came.
    private var hasChanged = false

    /// A Boolean value that is true if those who wait may have to do so for another time than they know, so that the
    /// next one has to look again.
    ///
    /// Others may begin before it with limits of their own, the server may have said something else, and a nested call
    /// may have taken its turn.
    var areWaitsUncertain: Bool { isMixed || hasChanged }

    /// The number of limits that count.
    var bucketCount: Int { buckets.count }

    /// The number of calls that wait.
    var waitingCount: Int { line.count }

    /// The calls that wait, in their order.
    var waiting: [Ticket] { line }

    /// The number of calls that may be under way; `nil` for any number.
    var limit: Int? { concurrency.map(adaptive.value) }

    /// A Boolean value that is true if the time of a call on the wire counts.
    var needsLatency: Bool { concurrency?.isAdaptive ?? false }

    /// The number of calls that the rate allows to begin at once; `nil` for any number.
    var available: Int? {
        guard let rate else {
            return nil
        }
        let counted = buckets.first { $0.counts(by: rate) }?.available
        return [counted, rate.heedsServer ? announced.available : nil].compactMap { $0 }.min()
    }

    /// Adds what the rate allows since the last call.
    mutating func refill(at now: Duration) {
        if announced.refill(at: now) {
            noteChange()
        }
        for index in buckets.indices {
            buckets[index].refill(at: now)
        }
    }

    /// Receives a call.
    ///
    /// - Parameters:
    ///   - terms: Its limits.
    ///   - patience: How long it can wait; `nil` for any time.
    ///   - yields: False if it must not wait for others, because they may wait for it.
    ///   - now: The time.
    /// - Returns: What it does.
    mutating func enter(_ terms: Terms, patience: Duration?, yields: Bool, at now: Duration) -> Reception {
        rate = terms.rate
        concurrency = terms.concurrency ?? concurrency
        refill(at: now)
        addBucket(for: terms, at: now)
        let wait = wait(for: terms, behind: line.count, at: now)
        if !yields || (line.isEmpty && wait <= .zero && isFree(for: terms)) {
            begin(yields ? terms : nil, at: now)
            if !yields {
                noteChange()
            }
            return .begin
        }
        if isExcessive(wait, terms, patience) {
            return .tooLate(wait)
        }
        if let last = line.last, termsInLine[last] != terms {
            isMixed = true
        }
        lastTicket += 1
        line.append(lastTicket)
        termsInLine[lastTicket] = terms
        return .wait(lastTicket, wait)
    }

    /// Returns how long a call that came now would have to wait if it cannot wait so long; `nil` if it can.
    mutating func excessiveWait(_ terms: Terms, patience: Duration?, at now: Duration) -> Duration? {
        refill(at: now)
        addBucket(for: terms, at: now)
        let wait = wait(for: terms, behind: line.count, at: now)
        return isExcessive(wait, terms, patience) ? wait : nil
    }

    /// Lets those begin whose turn it is.
    mutating func advance(at now: Duration) -> [Ticket] {
        refill(at: now)
        var begun: [Ticket] = []
        while let head = line.first, let terms = termsInLine[head], isFree(for: terms),
            wait(for: terms, behind: 0, at: now) <= .zero
        {
            removeFromLine(at: 0)
            begin(terms, at: now)
            begun.append(head)
        }
        return begun
    }

    /// Returns how long a call waits at least; `nil` if it does not wait.
    func wait(of ticket: Ticket, at now: Duration) -> Duration? {
        guard let terms = termsInLine[ticket], let index = line.firstIndex(of: ticket) else {
            return nil
        }
        return wait(for: terms, behind: index, at: now)
    }

    /// Returns true if a call waits.
    func isWaiting(_ ticket: Ticket) -> Bool { termsInLine[ticket] != nil }

    /// Takes a call out of the line; returns those behind it, or `nil` if it does not wait any more.
    mutating func leave(_ ticket: Ticket) -> [Ticket]? {
        guard isWaiting(ticket), let index = line.firstIndex(of: ticket) else {
            return nil
        }
        removeFromLine(at: index)
        return Array(line[index...])
    }

    /// Records the end of a call that had begun, from which an adaptive limit learns, whatever the call came with.
    ///
    /// - Parameters:
    ///   - outcome: What the server did.
    ///   - latency: The time on the wire.
    ///   - hints: What its response says of the calls that may follow, if the call heeds that.
    ///   - now: The time.
    mutating func finish(_ outcome: GuardOutcome, latency: Duration, _ hints: RateHints?, at now: Duration) {
        if let concurrency {
            switch outcome {
            case .success: adaptive.learn(latency, running: running, concurrency)
            case .failure: adaptive.learn(nil, running: running, concurrency)
            case .unknown: break
            }
        }
        running = max(0, running - 1)
        if let hints {
            announced.learn(hints, running: running, at: now)
            noteChange()
        }
    }

    /// Returns true if nothing is lost with the machine: no call is under way or waits, and a new machine would decide
    /// as it does.
    ///
    /// What an adaptive number has learned does not count: it is learned again, and has no time at which it ends.
    mutating func isIdle(at now: Duration) -> Bool {
        refill(at: now)
        return running == 0 && line.isEmpty && buckets.allSatisfy(\.isIdle) && announced.isIdle(at: now)
    }

    /// Forgets what the rate has counted and what the server has said.
    mutating func forgetRate() {
        announced = AnnouncedPace()
        for index in buckets.indices {
            buckets[index].forget()
        }
    }
}

// MARK: - Limits

extension AdmissionStateMachine {
    private func isFree(for terms: Terms) -> Bool {
        terms.concurrency.map { running < adaptive.value($0) } ?? true
    }

    private func isExcessive(_ wait: Duration, _ terms: Terms, _ patience: Duration?) -> Bool {
        let patience = [patience, terms.rate?.maximumWait].compactMap { $0 }.min()
        return wait > .zero && patience.map { $0 <= wait } ?? false
    }

    /// Returns how long a call behind a number of others waits at least.
    private func wait(for terms: Terms, behind count: Int, at now: Duration) -> Duration {
        guard let limit = terms.rate else {
            return .zero
        }
        var wait = Duration.zero
        if let bucket = buckets.first(where: { $0.counts(by: limit) }) {
            let position = number(before: count) { $0.rate.map { bucket.counts(by: $0) } ?? false }
            wait = max(wait, bucket.wait(of: position, at: now))
        }
        if limit.heedsServer {
            wait = max(wait, announced.start(of: number(before: count) { $0.heedsServer }, at: now) - now)
        }
        return wait
    }

    /// Returns the number of those before a place in the line that are held like the call there.
    private func number(before index: Int, where isHeld: (Terms) -> Bool) -> Int {
        guard isMixed else {
            // All have the terms of the first.
            let first = line.first.flatMap { termsInLine[$0] }
            return first.map(isHeld) ?? false ? index : 0
        }
        return line[..<index].count(where: { termsInLine[$0].map(isHeld) ?? false })
    }

    /// Begins to count by a limit that is new here, and forgets limits that nobody needs: those that have counted
    /// nothing lately, and if there are many, all of them.
    private mutating func addBucket(for terms: Terms, at now: Duration) {
        guard let limit = terms.rate, limit.count != nil, !buckets.contains(where: { $0.counts(by: limit) }) else {
            return
        }
        let new = RateBucket(limit, after: buckets, at: now)
        let needed = termsInLine.values.compactMap(\.rate)
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

    /// Notes that those who wait may have to do so for another time.
    private mutating func noteChange() {
        hasChanged = !line.isEmpty
    }

    private mutating func removeFromLine(at index: Int) {
        termsInLine[line.remove(at: index)] = nil
        if line.isEmpty {
            isMixed = false
            hasChanged = false
        }
    }
}

/// A limit that follows the latency of a server: pure.
///
/// The quotient of the usual latency and the latest one is the gradient: below one the server has begun to queue, and
/// the limit shrinks with it; otherwise it grows by its square root. A limit that is not used does not grow.
struct AdaptiveLimit: Sendable {
    private static let tolerance = 1.5
    private static let smoothing = 0.2
    private static let memory = 0.05
    private static let backOff = 0.9

    private var estimate: Double?
    private var usual: Double?

    /// The limit in force.
    func value(_ limit: ConcurrencyLimit) -> Int {
        switch limit.mode {
        case .fixed(let count): count
        case .adaptive(let initial, let range):
            min(max(Int(estimate ?? Double(initial)), range.lowerBound), range.upperBound)
        }
    }

    /// Learns from the end of a call.
    ///
    /// - Parameters:
    ///   - latency: The time on the wire; `nil` if the server failed or was too slow to respond.
    ///   - running: How many calls were under way, this one included.
    ///   - limit: The limit.
    mutating func learn(_ latency: Duration?, running: Int, _ limit: ConcurrencyLimit) {
        guard case .adaptive(let initial, let range) = limit.mode else {
            return
        }
        let current = estimate ?? Double(initial)
        guard let latency else {
            estimate = max(Double(range.lowerBound), current * Self.backOff)
            return
        }
        let seconds = max(latency.timeInterval, 1e-6)
        let before = usual ?? seconds
        // A server that has recovered is soon believed; one that has become slow is only slowly taken for usual.
        usual = seconds < before ? before * 0.7 + seconds * 0.3 : before * (1 - Self.memory) + seconds * Self.memory
        guard Double(running) >= current / 2 else {
            return
        }
        let gradient = max(0.5, min(1, Self.tolerance * before / seconds))
        let target = current * gradient + current.squareRoot()
        let next = current * (1 - Self.smoothing) + target * Self.smoothing
        estimate = min(max(next, Double(range.lowerBound)), Double(range.upperBound))
    }
}
