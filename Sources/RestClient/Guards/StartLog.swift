// SPDX-License-Identifier: MIT

import RestEssentials

/// The latest instants at which calls began, for a limit of calls in a period; does no I/O.
///
/// Instants are nanoseconds since any beginning. Of more than ``capacity`` calls in a span, those in the same small
/// part of it share the latest instant: memory is bounded, and a call may wait longer by that part, never less.
struct StartLog: Hashable, Sendable {
    /// The number of parts of a span.
    static let capacity = 512

    private struct Step: Hashable, Sendable {
        var latest: Int64
        var count: Int
    }

    private var steps: [Step] = []
    private(set) var count = 0
    var latest: Int64? { steps.last?.latest }
    var stepCount: Int { steps.count }

    /// Forgets the calls that are a span ago, and if there are many, those that no later one has to wait for.
    mutating func forget(_ span: RateLimit.Span, at now: Int64) {
        var index = 0
        while index < steps.count {
            let (step, others) = (steps[index], steps.count - index - 1)
            let isOver = Self.later(step.latest, by: span.length) <= now
            guard isOver || others >= Self.capacity && count - step.count >= span.count else {
                break
            }
            count -= step.count
            index += 1
        }
        steps.removeFirst(index)
    }

    /// Returns when the call at a position of a line begins at the earliest, if all before it begin as early as they
    /// can.
    func start(of position: Int, _ span: RateLimit.Span, at now: Int64) -> Int64 {
        let (rounds, place) = position.quotientAndRemainder(dividingBy: span.count)
        var instant = now
        // It waits for the end of the call that began so many calls before it.
        var rest = count + place - span.count
        for step in steps {
            guard rest >= step.count else {
                instant = rest < 0 ? now : max(now, Self.later(step.latest, by: span.length))
                break
            }
            rest -= step.count
        }
        let (wait, isTooLong) = span.length.multipliedReportingOverflow(by: Int64(rounds))
        return Self.later(instant, by: isTooLong ? .max : wait)
    }

    /// Adds calls that begin at an instant, which may be ahead.
    mutating func add(_ instant: Int64, _ span: RateLimit.Span, times number: Int = 1) {
        count += number
        if let last = steps.last, last.latest >= instant || span.part(of: last.latest) == span.part(of: instant) {
            steps[steps.count - 1].latest = max(last.latest, instant)
            steps[steps.count - 1].count += number
        } else {
            steps.append(Step(latest: instant, count: number))
        }
    }

    mutating func removeStarts(after instant: Int64) {
        while let last = steps.last, last.latest > instant {
            count -= last.count
            steps.removeLast()
        }
    }

    /// Moves all instants, because the clock was set.
    mutating func move(by time: Int64) {
        for index in steps.indices {
            steps[index].latest = Self.later(steps[index].latest, by: time)
        }
    }

    /// Returns the sum, limited to what can be represented: a file may say anything.
    private static func later(_ instant: Int64, by time: Int64) -> Int64 {
        let (sum, isTooLarge) = instant.addingReportingOverflow(time)
        return isTooLarge ? (time > 0 ? .max : .min) : sum
    }
}

// MARK: - In ten steps

extension StartLog {
    /// The latest stretch of time, whose instants are numbers of its steps.
    private static let window = RateLimit.Span(.max, in: .nanoseconds(10))

    /// Returns the number of a step, of which ten are a stretch of time.
    static func step(of now: Duration, in length: Duration) -> Int64 {
        let step = max(length.wholeNanoseconds, 1_000_000) / window.length
        let (number, rest) = now.wholeNanoseconds.quotientAndRemainder(dividingBy: step)
        return rest < 0 ? number - 1 : number
    }

    /// Adds to the count of a step, and returns that of the ten up to it.
    @discardableResult
    mutating func count(_ number: Int = 0, upTo step: Int64) -> Int {
        // Steps of another length, or of a clock that went back, count for nothing.
        removeStarts(after: step)
        forget(Self.window, at: step)
        if number > 0 {
            add(step, Self.window, times: number)
        }
        return count
    }
}

extension StartLog: Codable {
    private enum CodingKeys: CodingKey {
        case instants, counts
    }

    /// Reads what a file says, as far as it makes sense.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let instants = try container.decode([Int64].self, forKey: .instants)
        let counts = try container.decode([Int].self, forKey: .counts)
        steps = zip(instants, counts).prefix(4 * Self.capacity)
            .filter { $0.1 > 0 }
            .map { Step(latest: $0.0, count: min($0.1, RateLimit.Span.mostCalls)) }
            .sorted { $0.latest < $1.latest }
        count = steps.reduce(0) { $0 + $1.count }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(steps.map(\.latest), forKey: .instants)
        try container.encode(steps.map(\.count), forKey: .counts)
    }
}

extension RateLimit {
    /// A sliding window: in any period of its length, a limited number of calls may begin.
    struct Span: Sendable, Hashable {
        /// The largest number of calls, with which calculations do not overflow.
        static let mostCalls = 1 << 32

        let count: Int

        /// The length, in whole nanoseconds.
        let length: Int64

        /// The length of a part, in which a ``StartLog`` does not distinguish instants.
        private let part: Int64

        init(_ count: Int, in length: Duration) {
            self.count = min(max(1, count), Self.mostCalls)
            self.length = Self.roundedUp(length)
            part = count <= StartLog.capacity ? 1 : self.length / Int64(StartLog.capacity) + 1
        }

        func part(of instant: Int64) -> Int64 { instant / part }

        /// Returns an instant or a length in nanoseconds, rounded up if it is between two of them.
        static func roundedUp(_ time: Duration) -> Int64 {
            let whole = time.wholeNanoseconds
            return .nanoseconds(whole) < time && whole < .max ? whole + 1 : whole
        }
    }
}
