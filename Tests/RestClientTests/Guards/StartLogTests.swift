// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

/// The rule of a sliding window.
@Suite
struct StartLogTests {
    private static func log(_ starts: [Int64], _ span: RateLimit.Span) -> StartLog {
        var log = StartLog()
        for start in starts {
            log.add(start, span)
        }
        return log
    }

    /// A span of so many nanoseconds, at least a thousand.
    private static func span(_ count: Int, _ nanoseconds: Int64 = 1_000) -> RateLimit.Span {
        RateLimit.Span(count, in: .nanoseconds(nanoseconds))
    }

    // MARK: - When the next ones begin

    @Test(
        arguments: [
            ([], 0, 50, 50),
            ([10], 0, 50, 50), ([10, 20], 0, 50, 50),
            // The third of three begins when the first is a span ago.
            ([10, 20, 30], 0, 50, 1_010), ([10, 20, 30], 1, 50, 1_020), ([10, 20, 30], 2, 50, 1_030),
            // And those behind them once more a span later.
            ([10, 20, 30], 3, 50, 2_010), ([10, 20, 30], 5, 50, 2_030), ([10, 20, 30], 6, 50, 3_010),
            ([10, 20], 1, 50, 1_010), ([10, 20], 2, 50, 1_020), ([10, 20], 3, 50, 1_050),
            ([], 3, 50, 1_050), ([], 2, 50, 50),
            // More than the limit, because it was lowered.
            ([10, 20, 30, 40], 0, 50, 1_020),
            ([10, 10, 10], 0, 50, 1_010), ([10, 10, 30], 1, 50, 1_010), ([10, 10, 30], 2, 50, 1_030),
            ([10, 20, 30], 0, 1_009, 1_010), ([10, 20, 30], 0, 1_010, 1_010), ([10, 20, 30], 0, 5_000, 5_000),
        ] as [([Int64], Int, Int64, Int64)]
    )
    func `a call begins when the one so many before it is a span ago`(
        starts: [Int64],
        position: Int,
        now: Int64,
        expected: Int64
    ) {
        let span = Self.span(3)

        #expect(Self.log(starts, span).start(of: position, span, at: now) == expected)
    }

    @Test(
        arguments: [
            ([10, 20, 30], 1_009, 3), ([10, 20, 30], 1_010, 2), ([10, 20, 30], 1_029, 1), ([10, 20, 30], 1_030, 0),
            ([10, 20, 30, 40], 50, 4), ([10, 10, 20], 1_010, 1), ([], 50, 0),
        ] as [([Int64], Int64, Int)]
    )
    func `calls are forgotten when they are a span ago`(starts: [Int64], now: Int64, count: Int) {
        let span = Self.span(3)
        var log = Self.log(starts, span)

        log.forget(span, at: now)

        #expect(log.count == count)
    }

    @Test
    func `a clock that goes back forgets nothing and lets nothing begin early`() {
        let span = Self.span(2)
        let log = Self.log([500, 100], span)

        #expect(log.count == 2)
        #expect(log.latest == 500)
        #expect(log.start(of: 0, span, at: 100) == 1_500)
    }

    @Test
    func `starts after an instant can be taken back, and all can be moved`() {
        let span = Self.span(3)
        var log = Self.log([10, 20, 20, 30], span)

        log.removeStarts(after: 20)
        #expect(log.count == 3)
        #expect(log.latest == 20)
        log.move(by: -15)
        #expect(log.start(of: 0, span, at: 0) == 995)
        log.removeStarts(after: -6)
        #expect(log.count == 0)
        #expect(log.latest == nil)
    }

    // MARK: - Memory

    @Test
    func `up to 512 calls have an instant each, and more share some, later than their own`() {
        let exact = Self.span(512, 1_000_000)
        let log = Self.log((0..<512).map { Int64($0) }, exact)
        #expect(log.stepCount == 512)
        #expect(log.start(of: 0, exact, at: 600) == 1_000_000)

        let coarse = Self.span(513, 1_000_000)
        let joined = Self.log((0..<513).map { Int64($0) }, coarse)
        #expect(joined.stepCount == 1)
        #expect(joined.count == 513)
        #expect(joined.start(of: 0, coarse, at: 600) == 1_000_512)
    }

    @Test(arguments: [1, 2, 511, 512, 513, 1_000, 100_000])
    func `the memory is bounded whatever the number`(count: Int) {
        let span = Self.span(count, 60_000_000_000)
        var log = StartLog()
        var (now, most) = (Int64(0), 0)
        for _ in 0..<(2 * min(count, 5_000) + 100) {
            log.forget(span, at: now)
            now = log.start(of: 0, span, at: now)
            log.add(now, span)
            most = max(most, log.stepCount)
            now += span.length / Int64(count) / 2
        }
        #expect(most <= StartLog.capacity + 2)
    }

    @Test
    func `of many turns ahead only those are remembered for which the next one waits`() {
        let span = Self.span(1)
        var log = StartLog()
        for number in 0..<2_000 {
            log.forget(span, at: 0)
            let start = log.start(of: 0, span, at: 0)
            #expect(start == 1_000 * Int64(number))
            log.add(start, span)
        }
        #expect(log.stepCount == StartLog.capacity + 1)
        #expect(log.count == StartLog.capacity + 1)
    }

    @Test(arguments: [(1, 512), (511, 512), (512, 512), (513, 513), (600, 600), (2_000, 1_000)])
    func `of 1,000 turns ahead no fewer are remembered than a later one may wait for`(count: Int, remembered: Int) {
        let span = Self.span(count, 1_000_000)
        // Each is in a part of its own.
        var log = Self.log((0..<1_000).map { 1_954 * Int64($0) }, span)

        log.forget(span, at: 0)

        #expect(log.count == remembered)
        #expect(log.stepCount == remembered)
    }

    @Test(
        arguments: [
            (.min, 1), (0, 1), (1, 1), (513, 513), (4_294_967_296, 4_294_967_296), (4_294_967_297, 4_294_967_296),
            (.max, 4_294_967_296),
        ] as [(Int, Int)]
    )
    func `a span has at least one call, and no more than calculations bear`(count: Int, calls: Int) {
        #expect(RateLimit.Span(count, in: .seconds(1)).count == calls)
    }

    @Test(
        arguments: [
            (512, 1_953, 1_953), (513, 0, 0), (513, 1_953, 0), (513, 1_954, 1), (513, 1_000_000, 511),
        ] as [(Int, Int64, Int64)]
    )
    func `up to 512 calls each nanosecond is a part, and of more there are 512 parts`(
        count: Int,
        instant: Int64,
        part: Int64
    ) {
        #expect(Self.span(count, 1_000_000).part(of: instant) == part)
    }

    @Test(
        arguments: [
            (.zero, 0), (Duration(attoseconds: 1), 1), (Duration(attoseconds: 999_999_999), 1), (.nanoseconds(1), 1),
            (Duration(attoseconds: 1_000_000_001), 2), (Duration(attoseconds: -1), 0), (.nanoseconds(-1), -1),
            (.seconds(Int64.max), .max),
        ] as [(Duration, Int64)]
    )
    func `a time between two nanoseconds counts as the later one`(time: Duration, nanoseconds: Int64) {
        #expect(RateLimit.Span.roundedUp(time) == nanoseconds)
    }

    @Test(
        arguments: [
            (5, 0, 5), (5, -7, -2), (.max, 1, .max), (.max, .max, .max), (.min, -1, .min), (.min, .min, .min),
        ] as [(Int64, Int64, Int64)]
    )
    func `an instant that is moved is limited to what can be represented`(instant: Int64, time: Int64, moved: Int64) {
        var log = Self.log([instant], Self.span(3))

        log.move(by: time)

        #expect(log.latest == moved)
    }

    @Test(arguments: [(2_048, 2_048), (2_049, 2_048), (3_000, 2_048)])
    func `a file with too many instants is read in part`(count: Int, read: Int) throws {
        let (instants, counts) = (Array(0..<count), [Int](repeating: 1, count: count))
        let json = #"{"instants": \#(instants), "counts": \#(counts)}"#

        let log = try JSONDecoder().decode(StartLog.self, from: Data(json.utf8))

        #expect(log.count == read)
        #expect(log.stepCount == read)
    }

    @Test
    func `an instant without calls is not read`() throws {
        let json = #"{"instants": [1, 2, 3, 4], "counts": [0, -1, 2, 1]}"#

        let log = try JSONDecoder().decode(StartLog.self, from: Data(json.utf8))

        #expect(log.count == 3)
        #expect(log.stepCount == 2)
    }

    @Test(arguments: [
        #"{"instants": [], "counts": []}"#, #"{"instants": [1], "counts": []}"#,
        #"{"instants": [9223372036854775807, -9223372036854775808], "counts": [9223372036854775807, -1]}"#,
        #"{"instants": [5, 3, 9223372036854775807], "counts": [9223372036854775807, 9223372036854775807, 2]}"#,
    ])
    func `a file may say anything`(json: String) throws {
        for count in [1, 600, .max] {
            for length in [Duration.zero, .seconds(60), .seconds(Int64.max)] {
                let span = RateLimit.Span(count, in: min(length, .century))
                for now in [Int64.min, 0, .max] {
                    var log = try JSONDecoder().decode(StartLog.self, from: Data(json.utf8))
                    log.forget(span, at: now)
                    let start = log.start(of: 3, span, at: now)
                    #expect(start >= now)
                    log.add(start, span)
                    log.move(by: .min)
                    log.removeStarts(after: now)
                }
            }
        }
    }

    @Test
    func `a log is read as it was written`() throws {
        let log = Self.log([10, 20, 20, 30], Self.span(9))

        #expect(try JSONDecoder().decode(StartLog.self, from: JSONEncoder().encode(log)) == log)
    }

    @Test
    func `equal instants are read in the order in which they were written`() throws {
        var log = Self.log([10, 20, 20], Self.span(9))
        log.move(by: .max)

        #expect(log.stepCount == 2)
        #expect(try JSONDecoder().decode(StartLog.self, from: JSONEncoder().encode(log)) == log)
    }

    // MARK: - In ten steps

    /// Returns the number of calls in ten seconds, which are ten steps.
    private static func calls(_ times: [Double], at now: Double) -> Int {
        var log = StartLog()
        for time in times {
            log.count(1, upTo: StartLog.step(of: .seconds(time), in: .seconds(10)))
        }
        return log.count(upTo: StartLog.step(of: .seconds(now), in: .seconds(10)))
    }

    @Test
    func `a window begins with nothing, and each log counts its own`() {
        var logs = (0..<4).map { _ in StartLog() }
        func counts(_ new: [Int] = [0, 0, 0, 0], at second: Int) -> [Int] {
            let step = StartLog.step(of: .seconds(second), in: .seconds(10))
            return logs.indices.map { logs[$0].count(new[$0], upTo: step) }
        }
        #expect(counts(at: 0) == [0, 0, 0, 0])
        #expect(logs.allSatisfy { $0 == StartLog() })

        for second in 0..<4 {
            _ = counts([1, 2, 3, 4], at: second)
        }

        #expect(counts(at: 4) == [4, 8, 12, 16])
        #expect(counts(at: 10) == [3, 6, 9, 12])
    }

    @Test(arguments: [
        (0.0, 0.0, 1), (0, 9.999, 1), (0, 10, 0), (0.999, 9.999, 1), (0.999, 10, 0), (1, 10, 1), (1, 10.999, 1),
        (1, 11, 0),
        (5, 4.9, 0), (5, 5, 1), (-3, -1, 1), (-3, 7, 0), (-0.5, 8.9, 1), (-0.5, 9, 0),
    ])
    func `a window has ten steps, and forgets the oldest as a whole`(time: Double, now: Double, count: Int) {
        #expect(Self.calls([time], at: now) == count)
    }

    @Test
    func `calls within a step are one step, and counting forgets the old ones`() {
        #expect(Self.calls([0, 0.1, 0.9, 1, 9.9], at: 9.9) == 5)
        #expect(Self.calls([0, 0.1, 0.9, 1, 9.9], at: 10) == 2)
        #expect(Self.calls([0, 5, 10], at: 10) == 2)
        // A clock that went back: later steps count for nothing, and do not come back.
        #expect(Self.calls([5, 3], at: 5) == 1)
        #expect(Self.calls([3, 5], at: 3) == 1)
    }

    @Test
    func `a window without a length forgets at once, and nothing overflows`() {
        func step(_ now: Duration, _ length: Duration = .zero) -> Int64 { StartLog.step(of: now, in: length) }
        var log = StartLog()
        log.count(1, upTo: step(.seconds(1_000_000)))
        #expect(log.count(upTo: step(.seconds(1_000_000))) == 1)
        #expect(log.count(upTo: step(.seconds(1_000_000) + .milliseconds(2))) == 0)
        #expect(log.count(upTo: step(.seconds(1_000_000), .seconds(-5))) == 0)
    }

    // MARK: - All at random

    /// Returns the largest number of starts in any span of a length.
    private static func most(_ starts: [Int64], within length: Int64) -> Int {
        var (first, most) = (0, 0)
        for (index, start) in starts.enumerated() {
            while starts[first] <= start - length {
                first += 1
            }
            most = max(most, index - first + 1)
        }
        return most
    }

    @Test(arguments: 0..<40)
    func `never more calls begin in any span, and few wait longer than they must`(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let count = Int.random(in: 1...4, using: &generator) * (seed.isMultiple(of: 2) ? 3 : 300)
        let span = Self.span(count, Int64.random(in: 1_000...1_000_000, using: &generator))
        let tolerance = count <= StartLog.capacity ? 0 : span.length / Int64(StartLog.capacity) + 1
        var log = StartLog()
        var (now, starts) = (Int64(0), [Int64]())
        for _ in 0..<4_000 {
            now += Int64.random(in: 0...(2 * span.length / Int64(count) + 1), using: &generator)
            log.forget(span, at: now)
            let start = log.start(of: 0, span, at: now)
            // The earliest that the rule allows.
            let earliest = starts.count < count ? now : max(now, starts[starts.count - count] + span.length)
            #expect(start >= earliest && start <= earliest + tolerance)
            now = start
            log.add(now, span)
            starts.append(now)
        }
        #expect(Self.most(starts, within: span.length) <= count)
        #expect(Self.most(starts, within: span.length) > count / 2)
    }
}
