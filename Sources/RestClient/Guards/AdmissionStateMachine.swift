// SPDX-License-Identifier: MIT

/// Decides which calls may begin, by their rate and their number: pure.
///
/// There is one line, first come first served: a call that is not at its head waits, even if only the rate or only the
/// number holds the head back.
struct AdmissionStateMachine: Sendable {
    typealias Ticket = UInt64

    /// The limits that a call comes with; the latest ones hold for all that wait.
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
    private var lastTicket: Ticket = 0
    private var terms = Terms()
    private var bucket = RateBucket()
    private var adaptive = AdaptiveLimit()

    /// The number of calls that wait.
    var waitingCount: Int { line.count }

    /// The calls that wait, in their order.
    var waiting: [Ticket] { line }

    /// The number of calls that may be under way; `nil` for any number.
    var limit: Int? { terms.concurrency.map(adaptive.value) }

    /// A Boolean value that is true if the time of a call on the wire counts.
    var needsLatency: Bool { terms.concurrency?.isAdaptive ?? false }

    /// The number of calls that the rate allows to begin at once; `nil` for any number.
    var available: Int? { bucket.available(terms.rate) }

    /// Adds what the rate allows since the last call.
    mutating func refill(at now: Duration) {
        bucket.refill(terms.rate, at: now)
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
        self.terms = terms
        bucket.refill(terms.rate, at: now)
        let wait = bucket.wait(of: line.count, terms.rate, at: now)
        if line.isEmpty, wait <= .zero, isFree || !yields {
            bucket.take(terms.rate, at: now)
            running += 1
            return .begin
        }
        guard yields else {
            if terms.rate?.span != nil {
                bucket.take(terms.rate, at: now)
            }
            running += 1
            return .begin
        }
        if let most = [patience, terms.rate?.maximumWait].compactMap({ $0 }).min(), wait >= most, wait > .zero {
            return .tooLate(wait)
        }
        lastTicket += 1
        line.append(lastTicket)
        return .wait(lastTicket, wait)
    }

    /// Lets those begin whose turn it is.
    mutating func advance(at now: Duration) -> [Ticket] {
        bucket.refill(terms.rate, at: now)
        var begun: [Ticket] = []
        while let head = line.first, isFree, bucket.wait(of: 0, terms.rate, at: now) <= .zero {
            line.removeFirst()
            bucket.take(terms.rate, at: now)
            running += 1
            begun.append(head)
        }
        return begun
    }

    /// Returns how long a call waits at least; `nil` if it does not wait.
    func wait(of ticket: Ticket, at now: Duration) -> Duration? {
        line.firstIndex(of: ticket).map { bucket.wait(of: $0, terms.rate, at: now) }
    }

    /// Returns true if a call waits.
    func isWaiting(_ ticket: Ticket) -> Bool { line.contains(ticket) }

    /// Takes a call out of the line; returns those behind it, or `nil` if it does not wait any more.
    mutating func leave(_ ticket: Ticket) -> [Ticket]? {
        guard let index = line.firstIndex(of: ticket) else {
            return nil
        }
        line.remove(at: index)
        return Array(line[index...])
    }

    /// Records the end of a call that had begun.
    ///
    /// - Parameters:
    ///   - outcome: What the server did.
    ///   - latency: The time on the wire.
    ///   - hints: What its response says of the calls that may follow.
    ///   - now: The time.
    mutating func finish(_ outcome: GuardOutcome, latency: Duration, _ hints: RateHints?, at now: Duration) {
        if let concurrency = terms.concurrency {
            switch outcome {
            case .success: adaptive.learn(latency, running: running, concurrency)
            case .failure: adaptive.learn(nil, running: running, concurrency)
            case .unknown: break
            }
        }
        running = max(0, running - 1)
        if let hints, terms.rate?.heedsServer == true {
            bucket.learn(hints, running: running, at: now)
        }
    }

    /// Forgets what the rate has counted and what the server has said.
    mutating func forgetRate() {
        bucket = RateBucket()
    }

    private var isFree: Bool { limit.map { running < $0 } ?? true }
}
