// SPDX-License-Identifier: MIT

import RestEssentials
import SeededRandom
import Testing

@testable import RestClient

@Suite
struct ProgressMeterTests {
    private func approximately(_ rate: Double?, _ expected: Double) -> Bool {
        rate.map { abs($0 - expected) <= expected * 0.02 } ?? false
    }

    @Test
    func `news come at the first bytes, then once an interval, and at the end`() {
        var meter = ProgressMeter(total: 100, now: .seconds(7))
        var news: [Int64] = []
        for step in 1...100 {
            // Ten milliseconds each.
            if let progress = meter.add(1, at: .seconds(7) + .milliseconds(10 * step)) {
                news.append(progress.completed)
            }
        }

        #expect(news == [1, 11, 21, 31, 41, 51, 61, 71, 81, 91])
        #expect(meter.finish(at: .seconds(9))?.completed == 100)
        #expect(meter.finish(at: .seconds(9)) == nil)
        #expect(meter.add(1, at: .seconds(10)) == nil)
        #expect(meter.restart(from: 0, total: nil, at: .seconds(10)) == nil)
    }

    @Test
    func `with the response all is sent that was handed over, and nothing of it counts again`() {
        var meter = ProgressMeter(total: 100, now: .zero)
        meter.handOver(60)
        #expect(meter.add(60, at: .milliseconds(1))?.completed == 60)
        #expect(meter.respond(at: .milliseconds(2)) == nil)
        meter.handOver(40)

        #expect(meter.respond(at: .milliseconds(3))?.completed == 100)
        #expect(meter.add(40, at: .milliseconds(4)) == nil)
        #expect(meter.finish(at: .milliseconds(4)) == nil)
        #expect(meter.respond(at: .milliseconds(4)) == nil)
    }

    @Test(arguments: [nil, 0, 7] as [Int64?])
    func `a response says nothing of a body that was not handed over as a whole`(total: Int64?) {
        var meter = ProgressMeter(total: total, now: .zero)
        #expect(meter.respond(at: .zero) == nil)
        #expect(meter.add(7, at: .zero)?.completed == 7)
    }

    @Test
    func `the end is not told twice`() {
        var meter = ProgressMeter(total: 5, now: .zero)
        #expect(meter.add(5, at: .seconds(1))?.fraction == 1)

        #expect(meter.finish(at: .seconds(1)) == nil)
    }

    @Test
    func `the end tells the total that nobody knew`() {
        var meter = ProgressMeter(now: .zero)
        #expect(meter.add(5, at: .seconds(1))?.fraction == nil)

        #expect(meter.finish(at: .seconds(1))?.fraction == 1)
    }

    @Test
    func `no bytes are no news`() {
        var meter = ProgressMeter(now: .zero)

        #expect(meter.add(0, at: .seconds(1)) == nil)
        #expect(meter.add(-1, at: .seconds(1)) == nil)
    }

    @Test
    func `a steady transfer has its rate`() {
        var meter = ProgressMeter(total: 1_000_000, now: .zero)
        for step in 1...100 {
            _ = meter.add(1_000, at: .milliseconds(10 * step))
        }

        #expect(approximately(meter.current(at: .seconds(1)).rate, 100_000))
        #expect(meter.current(at: .seconds(1)).remainingTime.map { abs($0 / .seconds(1) - 9) < 0.3 } == true)
    }

    @Test
    func `at first, the rate is the average of all bytes`() {
        var meter = ProgressMeter(now: .zero)
        _ = meter.add(100, at: .milliseconds(100))
        for step in 2...5 {
            _ = meter.add(1_000, at: .milliseconds(100 * step))
        }

        #expect(approximately(meter.current(at: .milliseconds(500)).rate, 8_200))
    }

    @Test
    func `a rate follows a change, but not at once`() {
        var meter = ProgressMeter(now: .zero)
        var time = Duration.zero
        for _ in 0..<100 {
            time += .milliseconds(100)
            _ = meter.add(1_000, at: time)
        }
        for _ in 0..<5 {
            time += .milliseconds(100)
            _ = meter.add(10_000, at: time)
        }
        let soon = meter.current(at: time).rate ?? 0
        for _ in 0..<200 {
            time += .milliseconds(100)
            _ = meter.add(10_000, at: time)
        }

        #expect(soon > 12_000 && soon < 40_000)
        #expect(approximately(meter.current(at: time).rate, 100_000))
    }

    @Test
    func `a rate falls while nothing comes`() {
        var meter = ProgressMeter(now: .zero)
        _ = meter.add(1_000, at: .milliseconds(100))
        _ = meter.add(100_000, at: .seconds(1))
        let before = meter.current(at: .seconds(1)).rate ?? 0

        let after = meter.current(at: .seconds(31)).rate ?? .infinity

        #expect(after < before / 5)
    }

    @Test
    func `chunks that come together are not a great rate`() {
        var meter = ProgressMeter(now: .zero)
        _ = meter.add(1_000, at: .seconds(1))
        _ = meter.add(1_000_000, at: .milliseconds(1_001))

        #expect(meter.current(at: .milliseconds(1_001)).rate == 1_000)
        #expect((meter.current(at: .seconds(2)).rate ?? 0) > 100_000)
    }

    @Test
    func `bytes that were there before do not count towards the rate`() {
        var meter = ProgressMeter(total: 2_000_000, completed: 1_000_000, now: .zero)

        let progress = meter.add(1_000, at: .seconds(1))

        #expect(progress?.completed == 1_001_000)
        #expect(approximately(progress?.rate, 1_000))
    }

    @Test
    func `a new attempt begins where it begins`() {
        var meter = ProgressMeter(total: 10, now: .zero)
        _ = meter.add(4, at: .seconds(1))

        let news = meter.restart(from: 0, total: 12, at: .seconds(2))

        #expect(news == TransferProgress(completed: 0, total: 12))
        #expect(meter.add(12, at: .seconds(3))?.fraction == 1)
    }

    @Test
    func `more bytes than announced leave the total open`() {
        var meter = ProgressMeter(total: 5, now: .zero)

        #expect(meter.add(6, at: .seconds(1)) == TransferProgress(completed: 6, total: nil, rate: 6))
    }

    @Test
    func `a clock that stands still is no problem`() {
        var meter = ProgressMeter(total: 5, interval: .zero, now: .seconds(5))

        #expect(meter.add(1, at: .seconds(5))?.rate == nil)
        #expect(meter.add(1, at: .seconds(4))?.rate == nil)
    }

    @Test
    func `progress never goes back, and rates are sound, whatever comes when`() {
        var generator = SeededGenerator(seed: 15)
        for _ in 0..<200 {
            let total = Int64.random(in: 1...100_000, using: &generator)
            var meter = ProgressMeter(total: total, now: .zero)
            var time = Duration.zero
            var last: Int64 = 0
            var newsTimes: [Duration] = []
            while last < total {
                time += .milliseconds(Int.random(in: 0...80, using: &generator))
                let count = min(total - last, Int64.random(in: 1...5_000, using: &generator))
                last += count
                if let progress = meter.add(count, at: time) {
                    #expect(progress.completed == last)
                    #expect((progress.rate ?? 0) >= 0 && (progress.rate ?? 0).isFinite)
                    #expect((0...1).contains(progress.fraction ?? -1))
                    newsTimes.append(time)
                }
            }
            #expect(zip(newsTimes, newsTimes.dropFirst()).allSatisfy { $1 - $0 >= .milliseconds(100) })
        }
    }
}
